"""Dealing and playing a recorded hand again, and comparing all that follows from its seed and actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games import record
from games.deal import commitment
from games.fields import FieldError, listed, mapping, text, whole
from games.hand import Action, Do, Policy, Refusal, Ruleset
from games.record import Recorder
from games.verify_read import MOST_COINS, Record, Trouble, check_bytes, compare


def check_deal(read: Record, recorder: Recorder | None) -> None:
    """Compare the commitment, the bytes and the deal."""
    if read.setup.seed:
        compare(None, "commitment", read.given["commitment"], commitment(read.setup.seed))
    check_bytes(read.given, read.setup.contributions, dealt=read.dealt)
    if recorder is None:
        # Of a hand that was dealt and cannot be dealt again only what was done is known.
        for name in ("stages", "coins") if read.dealt else ("actions", "stages", "coins"):
            compare(None, name, read.given.get(name, []), [])
        return
    if read.given["dealer_from"] == "before" and not read.follows:
        raise Trouble(None, "dealer: no line before this has a hand of the table that it could follow from")
    derived = {"shift": None, **recorder.hand.record()}
    for name, value in derived.items():
        compare(None, name, read.given.get(name), value)


def replay(read: Record, recorder: Recorder) -> None:
    """Play the actions."""
    actions = [_action(read.rules, at, given) for at, given in enumerate(read.actions)]
    start = 0
    while start < len(actions):
        together = _together(recorder.hand, actions, start)
        for at in together:
            refused = recorder.apply(actions[at])
            if isinstance(refused, Refusal):
                raise Trouble(at, f"refused: {refused.why}{refused.detail and f', {refused.detail}'}")
        start += len(together)
    if recorder.hand.over == read.called_off:
        raise Trouble(len(actions), "the hand was over, and is said to have been called off" if read.called_off else "the hand is not over")


def _action(rules: Ruleset, at: int, given: object) -> Action:
    if not isinstance(given, Mapping):
        raise Trouble(at, "not a JSON object")
    action = rules.action_from_json(given)
    if isinstance(action, Refusal):
        raise Trouble(at, action.detail)
    return action


def _together(hand: Any, actions: Sequence[Action], start: int) -> list[int]:
    """Return which actions from `start` on are to be played next, in this order: one, or answers to the open question.

    A record has a question's answers in seat order, but some end it before others that were given too: those that may lapse go first.
    """
    question = hand.question
    if question is None:
        return [start]
    found: dict[int, int] = {}
    for at in range(start, len(actions)):
        action = actions[at]
        offer = hand.offers[action.seat]
        if offer is None or action.seat in found or action.do is Do.LEAVE or (offer.lapses and offer.check(action) is not None):
            break
        found[action.seat] = at
    if question.source >= 0 and list(found) != [seat for seat in question.order if seat in found]:
        raise Trouble(start, "the answers are not in seat order")
    return sorted(found.values(), key=lambda at: not hand.offers[actions[at].seat].lapses) or [start]


def check_end(read: Record, recorder: Recorder) -> None:
    """Compare what is known at the end. Claims of one stage may stand in any order."""
    end = len(read.actions)
    hand = recorder.hand
    given_stages = [_stage(end, stage) for stage in listed("stages", read.given["stages"])]
    derived = [(stage.cause, [list(claim) for claim in stage.claims]) for stage in hand.stages]
    compare(
        end, "stages", [(cause, sorted(claims)) for cause, claims in given_stages], [(cause, sorted(claims)) for cause, claims in derived]
    )
    compare(end, "points", read.given["points"], hand.points())
    _check_coins(read, end, hand, [claims for _, claims in given_stages])
    if not read.called_off and ("rules" in read.given or read.given.get("result")):
        compare(end, "result", read.given.get("result"), hand.result())
    if "times" in read.given:
        _check_times(end, read.given["times"])


def _stage(end: int, given: object) -> tuple[str, list[list[int]]]:
    try:
        stage = mapping("stages", given)
        claims = [listed("claim", claim) for claim in listed("claims", stage.get("claims"))]
        return text("cause", stage.get("cause")), [[whole("claim", number) for number in claim] for claim in claims]
    except FieldError as bad:
        raise Trouble(end, f"stages: {bad}") from None


def _check_coins(read: Record, end: int, hand: Any, stages: list[list[list[int]]]) -> None:
    """Compute the payouts again, from what a multiple is worth and what the seats had."""
    given = listed("coins", read.given["coins"])
    unit = record.UNITS[read.rules.policy]
    first = given[0] if given and isinstance(given[0], Mapping) else {}
    try:
        base = whole(unit, read.given.get(unit, first.get(unit, 0)), 0, MOST_COINS)
        had = read.given.get("money", first.get("money", [0] * read.rules.players))
        money = [whole("money", coins, 0, MOST_COINS) for coins in listed("money", had)]
    except FieldError as bad:
        raise Trouble(end, f"coins: {bad}") from None
    if len(money) != read.rules.players:
        raise Trouble(end, "coins: money is not one figure a seat")
    # A pool is paid at a hand's end, which one that was called off did not come to.
    unpaid = read.called_off and read.rules.policy is Policy.POOLED
    derived = [] if unpaid else record.coins(read.rules.policy, base, money, stages, hand.points())
    if len(given) != len(derived):
        raise Trouble(end, f"coins: {len(given)} payouts, not {len(derived)}")
    for place, (entry, payout) in enumerate(zip(given, derived, strict=True)):
        for name, value in payout.items():
            compare(end, f"coins[{place}].{name}", entry.get(name) if isinstance(entry, Mapping) else None, value)


def _check_times(end: int, given: object) -> None:
    try:
        times = [whole("times", at, 0, MOST_COINS) for at in listed("times", given)]
    except FieldError as bad:
        raise Trouble(end, str(bad)) from None
    if len(times) != end:
        raise Trouble(end, f"times: {len(times)} for {end} actions")
