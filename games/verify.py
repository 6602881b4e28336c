"""Replaying hand records: `xuezhan verify-record`.

Law: whatever a line holds, it is answered, never raised on. What a record derives from its seed and actions is derived again; what
differs is named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from games import record
from games.deal import commitment
from games.fields import FieldError, listed, mapping, required, text, whole
from games.hand import Action, Do, Refusal, Ruleset, Setup
from games.record import Recorder
from games.registry import game, ruleset

MOST_COINS: Final = (1 << 53) - 1
"""No account passes this, so no figure of a record may."""
_TABLES: Final = 10_000
"""Tables whose last hand is remembered at the same time."""


class _Trouble(Exception):  # noqa: N818 - a finding, not an error
    """What is wrong with a record. `at`: the number of the action, their count for the end, None for the deal."""

    def __init__(self, at: int | None, why: str) -> None:
        super().__init__(why)
        self.at = at
        self.why = why


class _Record(NamedTuple):
    """A record whose setup could be read; the rest is as given."""

    given: Mapping[str, Any]
    rules: Ruleset
    setup: Setup
    actions: list[Any]


class _Before(NamedTuple):
    """What the hand before left to the next, and who sat where as far as its record says."""

    carry: Mapping[str, Any]
    seats: object


class Verifier:
    """Checks records in order. What the next hand of a table needs of the one before, and who played it, it remembers."""

    def __init__(self) -> None:
        self._before: dict[str, _Before] = {}

    def check(self, line: object) -> dict[str, Any]:
        """Answer one record: `{"ok": true}`, `{"ok": false, "at", "why"}`, or `{"error"}` for a line that is no record."""
        try:
            return self._check(line)
        except RecursionError:
            return {"error": "line: nested too deep"}
        except ValueError as bad:
            return {"error": str(bad)}
        except _Trouble as trouble:
            return {"ok": False, "at": trouble.at, "why": trouble.why}

    def _check(self, line: object) -> dict[str, Any]:
        read = _read(mapping("line", line), self._before)
        self._before.pop(read.setup.table, None)
        recorder = Recorder(read.rules, read.setup)
        _check_deal(read, recorder)
        _replay(read, recorder)
        # What the next hand needs follows from the actions, whatever else the record holds.
        carry = recorder.hand.carry()
        if carry and len(self._before) < _TABLES:
            self._before[read.setup.table] = _Before(carry, read.given.get("seats"))
        _check_end(read, recorder)
        return {"ok": True}


def _read(given: Mapping[str, Any], before: Mapping[str, _Before]) -> _Record:
    """Read what a hand starts from. FieldError names what cannot be used."""
    players = whole("players", required(given, "players"), 1)
    name = text("game", required(given, "game"))
    options = game(name).options.recorded(mapping("options", required(given, "options")))
    version = text("rules", given["rules"]) if "rules" in given else None
    rules = ruleset(name, options, players, version)
    if not _same(options, dict(rules.options)):
        raise FieldError("options", "not every option with its resolved value")
    for field in ("commitment", "dealer", "dealer_from", "wall", "stages", "points", "coins"):
        required(given, field)
    table = text("table", required(given, "table"))
    if not table.isascii() and any("\ud800" <= letter <= "\udfff" for letter in table):
        raise FieldError("table", "half a character")
    seats = listed("seats", given["seats"]) if "seats" in given else None
    if seats is not None and (len(seats) != players or any(seat is not None and not isinstance(seat, str) for seat in seats)):
        raise FieldError("seats", "not a player's id or null a seat")
    last = before.get(table) if given["dealer_from"] == "before" else None
    setup = Setup(
        table=table,
        hand=whole("hand", required(given, "hand"), 0, MOST_COINS),
        seed=_bytes("seed", required(given, "seed")),
        contributions=tuple(
            None if one is None else _bytes(f"contributions[{seat}]", one)
            for seat, one in enumerate(listed("contributions", required(given, "contributions")))
        ),
        before=last.carry if last is not None else None,
        new_players=last is not None and None not in (last.seats, seats) and last.seats != seats,
    )
    return _Record(given, rules, setup, listed("actions", required(given, "actions")))


def _bytes(where: str, value: object) -> bytes:
    try:
        return bytes.fromhex(text(where, value))
    except ValueError:
        raise FieldError(where, "not hexadecimal") from None


def _same(one: object, other: object) -> bool:
    """Whether two JSON values are the same: 1, 1.0 and true are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _compare(at: int | None, name: str, given: object, derived: object) -> None:
    if not _same(given, derived):
        raise _Trouble(at, f"{name}: the record has another")


def _check_deal(read: _Record, recorder: Recorder) -> None:
    if read.given["dealer_from"] == "before" and read.setup.before is None:
        raise _Trouble(None, "dealer: no line before this has a hand of the table that it could follow from")
    derived = {"commitment": commitment(read.setup.seed), "shift": None, **recorder.hand.record()}
    for name, value in derived.items():
        _compare(None, name, read.given.get(name), value)


def _replay(read: _Record, recorder: Recorder) -> None:
    """Play the actions."""
    actions = [_action(read.rules, at, given) for at, given in enumerate(read.actions)]
    start = 0
    while start < len(actions):
        together = _together(recorder.hand, actions, start)
        for at in together:
            refused = recorder.apply(actions[at])
            if isinstance(refused, Refusal):
                raise _Trouble(at, f"refused: {refused.why}{refused.detail and f', {refused.detail}'}")
        start += len(together)
    if not recorder.hand.over:
        raise _Trouble(len(actions), "the hand is not over")


def _action(rules: Ruleset, at: int, given: object) -> Action:
    if not isinstance(given, Mapping):
        raise _Trouble(at, "not a JSON object")
    action = rules.action_from_json(given)
    if isinstance(action, Refusal):
        raise _Trouble(at, action.detail)
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
        raise _Trouble(start, "the answers are not in seat order")
    return sorted(found.values(), key=lambda at: not hand.offers[actions[at].seat].lapses) or [start]


def _check_end(read: _Record, recorder: Recorder) -> None:
    """Compare what is known at the end. Claims of one stage may stand in any order."""
    end = len(read.actions)
    hand = recorder.hand
    given_stages = [_stage(end, stage) for stage in listed("stages", read.given["stages"])]
    derived = [(stage.cause, [list(claim) for claim in stage.claims]) for stage in hand.stages]
    _compare(
        end, "stages", [(cause, sorted(claims)) for cause, claims in given_stages], [(cause, sorted(claims)) for cause, claims in derived]
    )
    _compare(end, "points", read.given["points"], hand.points())
    _check_coins(read, end, hand, [claims for _, claims in given_stages])
    if "rules" in read.given:
        _compare(end, "result", read.given.get("result"), hand.result())


def _stage(end: int, given: object) -> tuple[str, list[list[int]]]:
    try:
        stage = mapping("stages", given)
        claims = [listed("claim", claim) for claim in listed("claims", stage.get("claims"))]
        return text("cause", stage.get("cause")), [[whole("claim", number) for number in claim] for claim in claims]
    except FieldError as bad:
        raise _Trouble(end, f"stages: {bad}") from None


def _check_coins(read: _Record, end: int, hand: Any, stages: list[list[list[int]]]) -> None:
    """Compute the payouts again, from what a multiple is worth and what the seats had."""
    given = listed("coins", read.given["coins"])
    unit = record.UNITS[read.rules.policy]
    first = given[0] if given and isinstance(given[0], Mapping) else {}
    try:
        base = whole(unit, read.given.get(unit, first.get(unit, 0)), 0, MOST_COINS)
        had = read.given.get("money", first.get("money", [0] * read.rules.players))
        money = [whole("money", coins, 0, MOST_COINS) for coins in listed("money", had)]
    except FieldError as bad:
        raise _Trouble(end, f"coins: {bad}") from None
    if len(money) != read.rules.players:
        raise _Trouble(end, "coins: money is not one figure a seat")
    derived = record.coins(read.rules.policy, base, money, stages, hand.points())
    if len(given) != len(derived):
        raise _Trouble(end, f"coins: {len(given)} payouts, not {len(derived)}")
    for place, (entry, payout) in enumerate(zip(given, derived, strict=True)):
        for name, value in payout.items():
            _compare(end, f"coins[{place}].{name}", entry.get(name) if isinstance(entry, Mapping) else None, value)
