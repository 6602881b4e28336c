"""Hand records: what stands in them, and where. Everyone is void in s."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.hand import Action, Do, Policy, Refusal, Setup
from games.record import Recorder, build_record, coins, undealt
from games.registry import ruleset
from games.simulate import simulate
from tests.games.board import XUEZHAN, act, board

JUNK = "124578m124578p9m"
WAITS_5P = "123456789m4611p"
PAIR_5P = "124578m124558p9m"
SETUP = Setup("table-1", 7, bytes(range(32)), (bytes([7] * 16), None, None, bytes(16)))


def written(hand: Any, *moves: str) -> list[str]:
    """Play on from a hand laid out; return the actions in record order."""
    recorder = Recorder(XUEZHAN, SETUP)
    recorder.hand = hand
    for move in moves:
        answer = recorder.apply(act(move))
        assert not isinstance(answer, Refusal), (move, answer)
    return [" ".join(map(str, XUEZHAN.action_to_json(action).values())) for action in recorder.actions]


def test_actions_on_ones_own_turn_stand_as_they_come() -> None:
    hand = board("1111m24578m1245p", JUNK, JUNK, JUNK, wall="9p8p9m9m")
    assert written(hand, "0 kong 1m concealed", "0 discard 9p", "1 discard 9m") == [
        "0 kong 1m concealed_kong",
        "0 discard 9p",
        "1 discard 9m",
    ]


@pytest.mark.parametrize("moves", [("1 win", "2 pung", "3 pass"), ("3 pass", "2 pung", "1 win"), ("2 pung", "1 win", "3 pass")])
def test_answers_to_a_discard_follow_it_in_seat_order_passes_included(moves: tuple[str, ...]) -> None:
    hand = board(JUNK, WAITS_5P, PAIR_5P, WAITS_5P, wall="5p9m9m9m")
    assert written(hand, "0 discard 5p", *moves) == ["0 discard 5p", "1 win", "2 pung", "3 pass"]


def test_seat_order_begins_after_the_discarder() -> None:
    hand = board(WAITS_5P, PAIR_5P, JUNK, WAITS_5P, wall="5p9m9m9m", dealer=2)
    assert written(hand, "2 discard 5p", "0 win", "1 pass", "3 win") == ["2 discard 5p", "3 win", "0 win", "1 pass"]


def test_an_added_kong_stands_where_it_was_announced_robbed_or_not() -> None:
    for answer in ("win", "pass"):
        hand = board("124578m1248p | pung 5p", WAITS_5P, JUNK, JUNK, wall="5p9m8m9m")
        assert written(hand, "0 kong 5p added", f"1 {answer}") == ["0 kong 5p added_kong", f"1 {answer}"]


def test_choices_before_play_stand_in_seat_order() -> None:
    recorder = Recorder(XUEZHAN, SETUP)
    for seat in (2, 0, 3, 1):
        recorder.apply(Action(seat, Do.VOID, seat % 3))
    assert [action.seat for action in recorder.actions] == [0, 1, 2, 3]


def test_what_the_server_did_for_a_seat_is_marked() -> None:
    recorder = Recorder(XUEZHAN, SETUP)
    while not recorder.hand.over:
        seat = next(seat for seat, offer in enumerate(recorder.hand.offers) if offer is not None)
        recorder.apply(recorder.hand.default(seat))
    record = recorder.record(1, [10**6] * 4)
    assert all(action["auto"] for action in record["actions"])
    assert not any("auto" in XUEZHAN.action_to_json(action._replace(auto=False)) for action in recorder.actions)


def finished(base: int = 10, money: tuple[int, ...] = (10**6,) * 4) -> dict[str, Any]:
    recorder = Recorder(XUEZHAN, SETUP)
    journal = []
    while not recorder.hand.over:
        seat = next(seat for seat, offer in enumerate(recorder.hand.offers) if offer is not None)
        journal.append(recorder.hand.default(seat))
        recorder.apply(journal[-1])
    return build_record(XUEZHAN, SETUP, journal, base, money)


def test_the_deal_stands_in_the_record_as_it_was() -> None:
    record = finished()
    assert (record["table"], record["hand"], record["seed"]) == ("table-1", 7, bytes(range(32)).hex())
    assert record["contributions"] == ["07" * 16, None, None, "00" * 16]
    hand, _ = XUEZHAN.deal(SETUP)
    assert record["dealer"] == hand.dealer
    assert sorted(record["wall"]) == sorted(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10) for _ in range(4))


def test_a_record_is_plain_json() -> None:
    record = finished()
    assert json.loads(json.dumps(record)) == record


def test_where_a_multiple_is_worth_nothing_no_coins_move() -> None:
    assert finished(base=0)["coins"] == []
    assert finished(base=0)["base"] == 0


def test_a_pool_is_paid_once() -> None:
    assert coins(Policy.POOLED, 2, [100, 5], [], [6, -6]) == [
        {
            "policy": "pooled",
            "rate": 2,
            "money": [100, 5],
            "points": [6, -6],
            "change": [5, -5],
            "after": [105, 0],
            "short": [{"seat": 1, "owed": 12, "paid": 5}],
        },
    ]


def test_a_hand_that_is_not_over_has_no_record() -> None:
    with pytest.raises(AssertionError, match="not over"):
        Recorder(XUEZHAN, SETUP).record(1, [0] * 4)


def test_a_journal_with_an_action_that_is_refused_is_a_programming_error() -> None:
    with pytest.raises(AssertionError, match="refused"):
        build_record(XUEZHAN, SETUP, [Action(0, Do.WIN)], 1, [0] * 4)


def test_the_result_says_what_each_seat_held_and_won() -> None:
    hand = board("124578m1248p | pung 5p", WAITS_5P, JUNK, JUNK, wall="5p")
    recorder = Recorder(XUEZHAN, SETUP)
    recorder.hand = hand
    for move in ("0 discard 5p", "1 win"):
        recorder.apply(act(move))
    result = hand.result()
    assert (result["ended"], result["left"]) == ("wall_empty", 0)
    assert result["seats"][0] == {"concealed": "124578m1248p", "melds": [{"kind": "pung", "tile": "5p"}], "void": "s", "wins": []}
    assert result["seats"][1]["wins"] == [
        {
            "tile": "5p",
            "how": "discard",
            "from": 0,
            "parts": [{"id": "standard", "name": "平胡", "fan": 0}, {"id": "last_discard", "name": "海底炮", "fan": 1}],
            "fan": 1,
            "multiple": 10,
        },
    ]


def test_each_accepted_action_keeps_its_time_where_it_stands_in_the_record() -> None:
    recorder = Recorder(XUEZHAN, SETUP)
    for at, seat in enumerate((2, 0, 3, 1)):
        recorder.apply(Action(seat, Do.VOID, seat % 3), at=at)
    assert recorder.times == [1, 3, 0, 2]


def of_a_hand_called_off(game: str, seed: str, share: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """The record of a whole hand, and that of the same hand called off after a share of its actions."""
    whole = next(hand for hand in simulate(game, 20, seed) if hand["stages"])
    rules = ruleset(game, whole["options"], whole["players"])
    setup = Setup(whole["table"], whole["hand"], bytes.fromhex(whole["seed"]), (None,) * whole["players"])
    recorder = Recorder(rules, setup)
    for action in whole["actions"][: int(share * len(whole["actions"]))]:
        read = rules.action_from_json(action)
        assert isinstance(read, Action)
        recorder.apply(read)
    return whole, recorder.called_off(whole.get("base", 0) or whole["rate"], whole["money"], "operator")


def test_stages_that_arose_before_a_hand_was_called_off_are_in_its_record_and_are_paid() -> None:
    whole, record = of_a_hand_called_off("kaxinwu", "stages", 0.9)
    count = len(record["stages"])
    assert count > 0
    assert (record["stages"], record["coins"]) == (whole["stages"][:count], whole["coins"][:count])
    assert record["actions"] == whole["actions"][: len(record["actions"])]
    assert (record["wall"], record["dealer"], record["called_off"]) == (whole["wall"], whole["dealer"], "operator")
    assert "result" not in record


def test_a_pool_of_a_hand_that_was_called_off_is_not_paid() -> None:
    whole, record = of_a_hand_called_off("happy_sichuan", "pool", 0.9)
    assert whole["coins"]
    assert record["stages"]
    assert record["coins"] == []


def test_a_hand_that_was_called_off_before_its_deal_has_what_the_deal_would_have_needed_and_nothing_else() -> None:
    record = undealt(XUEZHAN, SETUP, 5, [1, 2, 3, 4], "operator")
    assert record["seed"] == SETUP.seed.hex()
    assert record["contributions"] == [None if given is None else given.hex() for given in SETUP.contributions]
    assert (record["actions"], record["stages"], record["points"], record["coins"]) == ([], [], [0] * 4, [])
    assert (record["base"], record["money"], record["called_off"]) == (5, [1, 2, 3, 4], "operator")
    assert {"wall", "dealer", "result"} & set(record) == set()
