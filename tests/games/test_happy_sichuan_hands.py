"""Hands of 欢乐麻将 one after the other: dealers, records, coins, options, rooms, bots (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from games import payout
from games.hand import Setup
from games.option_table import OptionError
from games.options import resolve
from games.registry import ruleset
from games.score import score_line, waits_line
from games.simulate import enough_for_anything, simulate
from games.verify import Verifier
from services.kit.rooms import load_rooms
from tests.games.board import play
from tests.games.happy import FAR, HAPPY, JUNK, LONG, READY, SINGLE, THREE_FAN, board

GAME = "happy_sichuan"
OPTION_SETS: list[dict[str, object]] = [
    {},
    {"mode": "single"},
    {"room": "three_fan"},
    {"mode": "single", "cap": 1, "kong_draw_fan": 2},
    {"kong_draw_fan": 2, "cap": 5},
]


def setup(number: int, before: dict[str, Any] | None = None, *, new_players: bool = False) -> Setup:
    return Setup("t", number, bytes([number % 256, number // 256]) * 16, (None,) * 4, before, new_players)


# the dealer


def test_xuezhan_draws_the_dealer_for_each_hand() -> None:
    dealers = {HAPPY.deal(setup(number, {"dealer": 0}))[0].dealer for number in range(40)}
    assert dealers == {0, 1, 2, 3}
    hand = board(READY, READY, READY, JUNK, wall="9p9p9p" + LONG)
    play(hand, "0 win", "1 win", "2 win")
    assert hand.carry() == {}


def test_single_draws_the_first_dealer() -> None:
    hands = [SINGLE.deal(setup(number))[0] for number in range(40)]
    assert {hand.dealer for hand in hands} == {0, 1, 2, 3}
    assert {hand.dealer_from for hand in hands} == {"draw"}


def test_single_goes_on_with_the_dealer_that_the_hand_before_names() -> None:
    hand = SINGLE.deal(setup(2, {"dealer": 3}))[0]
    assert (hand.dealer, hand.dealer_from, hand.turn) == (3, "before", 3)


def test_single_draws_again_when_the_players_have_changed() -> None:
    hands = [SINGLE.deal(setup(number, {"dealer": 3}, new_players=True))[0] for number in range(40)]
    assert {hand.dealer for hand in hands} == {0, 1, 2, 3}
    assert {hand.dealer_from for hand in hands} == {"draw"}


def test_the_discarder_of_the_winning_tile_deals_next() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p" + LONG, rules=SINGLE)
    play(hand, "0 discard 9p", "1 win")
    assert hand.carry() == {"dealer": 0}
    hand = board(FAR, READY, JUNK, READY, wall="9p" + LONG, rules=SINGLE)
    play(hand, "0 discard 9p", "1 win", "3 win")
    assert hand.carry() == {"dealer": 0}, "also when several won on it"


def test_the_robbed_konger_deals_next() -> None:
    hand = board(JUNK, "1357m2468p23s | pung 9p", READY, JUNK, wall="9p" + LONG, dealer=1, rules=SINGLE)
    play(hand, "1 kong 9p added", "2 win")
    assert hand.carry() == {"dealer": 1}


def test_who_won_by_self_draw_deals_next() -> None:
    hand = board(JUNK, JUNK, READY, JUNK, wall="9p" + LONG, dealer=2, rules=SINGLE)
    play(hand, "2 win")
    assert hand.carry() == {"dealer": 2}
    hand = board(FAR, JUNK, READY, JUNK, wall="2s3s9p" + LONG, rules=SINGLE)
    play(hand, "0 discard 2s", "1 discard 3s", "2 win")
    assert hand.carry() == {"dealer": 2}


def test_after_a_draw_the_same_player_deals() -> None:
    hand = board(FAR, FAR, FAR, FAR, wall="2s", dealer=3, rules=SINGLE)
    play(hand, "3 discard 2s")
    assert hand.carry() == {"dealer": 3}


def test_after_an_escape_the_players_have_changed() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="2s" + LONG, rules=SINGLE)
    play(hand, "2 leave")
    assert hand.carry() == {}


# options and rooms


def test_options_have_their_defaults_and_the_rooms_their_caps() -> None:
    assert resolve(GAME, {}) == {"mode": "xuezhan", "cap": None, "kong_draw_fan": 1, "room": "open"}
    assert resolve(GAME, {"room": "three_fan"}) == {"mode": "xuezhan", "cap": 3, "kong_draw_fan": 1, "room": "three_fan"}


@pytest.mark.parametrize("null", [None, "null"])
def test_a_cap_of_null_is_no_cap_in_any_room(null: object) -> None:
    assert resolve(GAME, {"room": "three_fan", "cap": null})["cap"] is None
    assert resolve(GAME, {"cap": null, "mode": null, "kong_draw_fan": null}) == resolve(GAME, {})


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"cap": 0}, "cap: 0 is not a whole number from 1 to 99"),
        ({"mode": "double"}, "mode: 'double' is not one of xuezhan, single"),
        ({"kong_draw_fan": 3}, "kong_draw_fan: 3 is not a whole number from 1 to 2"),
        ({"room": "Mayou"}, "room: 'Mayou' is not 1 to 32 of the characters a-z 0-9 _"),
        ({"phases": "void_exchange"}, "phases: happy_sichuan has no such option; it has cap, kong_draw_fan, mode, room"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(given: dict[str, object], error: str) -> None:
    with pytest.raises(OptionError, match=f"^{error}$"):
        resolve(GAME, given)


def test_what_one_seat_can_owe_another_in_a_hand_is_bounded_also_without_a_cap() -> None:
    assert HAPPY.largest_claim == 6 * (512 + 38)
    assert THREE_FAN.largest_claim == 6 * (4 + 38)
    assert ruleset(GAME, {"cap": 99}).largest_claim == HAPPY.largest_claim
    assert enough_for_anything(HAPPY) == 10**9


def test_all_rooms_are_offered() -> None:
    rooms = {room.id: room for room in load_rooms(None) if room.game == GAME}
    assert {name: room.name for name, room in rooms.items()} == {"open": "不封顶", "three_fan": "三番场", "single": "普通场"}
    assert rooms["single"].rules().options["mode"] == "single"
    assert rooms["single"].hands > 1, "else the dealer would never be carried over"
    assert all(room.players == 4 and room.base >= 1 for room in rooms.values())


# score and waits

LINE = {"concealed": "111222333m7899p", "tile": "9p"}


def score(line: dict[str, Any], **options: object) -> tuple[int, int]:
    answer = score_line(GAME, options, line)
    assert answer["win"], answer
    return answer["fan"], answer["multiple"]


def test_score_answers_with_the_parts_of_a_win() -> None:
    answer = score_line(GAME, {}, LINE | {"how": "discard", "kongs": 1})
    assert answer == {
        "win": True,
        "parts": [{"id": "outside", "name": "带幺九", "fan": 3}, {"id": "kong_discard", "name": "杠上炮", "fan": 1}],
        "fan": 4,
        "multiple": 8,
    }
    assert score_line(GAME, {}, LINE | {"tile": "1s"}) == {"win": False, "why": "three_suits"}
    assert score_line(GAME, {}, LINE | {"tile": "1p"}) == {"win": False, "why": "no_shape"}


def test_score_takes_the_option_for_kong_draws() -> None:
    line = LINE | {"how": "self_draw", "kongs": 1}
    assert (score(line), score(line, kong_draw_fan=2), score(line, kong_draw_fan="2")) == ((4, 8), (5, 16), (5, 16))


def test_score_has_no_cap_unless_cap_or_room_is_given() -> None:
    line = LINE | {"how": "discard", "kongs": 1}
    assert score(line) == score(line, cap=None) == score(line, room="open") == score(line, mode="single") == (4, 8)
    assert score(line, room="three_fan") == score(line, cap="3") == score(line | {"cap": 3}) == (4, 4)
    assert score(line, room="three_fan", cap="null") == (4, 8)
    assert score(line | {"cap": 2}, room="three_fan") == (4, 2)


def test_score_ignores_a_void_suit() -> None:
    assert score(LINE | {"void": "m"}) == score(LINE | {"void": None}) == (3, 4)


def test_waits_are_listed_with_their_values() -> None:
    hand = {"concealed": "22334455p11199m"}
    expected = [("1m", 5, 16), ("9m", 1, 1), ("2p", 1, 1), ("5p", 1, 1)]
    answer = waits_line(GAME, {}, hand)
    assert answer == {"ready": True, "waits": [{"tile": tile, "fan": fan, "multiple": multiple} for tile, fan, multiple in expected]}
    assert waits_line(GAME, {"kong_draw_fan": 2}, hand) == answer
    assert waits_line(GAME, {"room": "three_fan"}, hand)["waits"][0] == {"tile": "1m", "fan": 5, "multiple": 4}
    assert waits_line(GAME, {}, {"concealed": "22334455p111m99s"}) == {"ready": False, "waits": []}


# whole hands


@cache
def records(bots: str, leave: float, number: int, hands: int = 25) -> tuple[dict[str, Any], ...]:
    return tuple(simulate(GAME, hands, "1", OPTION_SETS[number], bots=bots, leave=leave))


def every_record() -> Iterator[dict[str, Any]]:
    for number in range(len(OPTION_SETS)):
        for bots in ("random", "greedy"):
            for leave in (0.0, 0.004):
                yield from records(bots, leave, number)


@pytest.mark.parametrize("number", range(len(OPTION_SETS)))
@pytest.mark.parametrize("bots", ["random", "greedy"])
@pytest.mark.parametrize("leave", [0.0, 0.004])
def test_every_record_verifies_and_its_points_add_up_to_zero(number: int, bots: str, leave: float) -> None:
    verifier = Verifier()
    for record in records(bots, leave, number):
        assert verifier.check(json.loads(json.dumps(record))) == {"ok": True}
        assert sum(record["points"]) == 0


def test_every_cause_occurs() -> None:
    causes = Counter(stage["cause"] for record in every_record() for stage in record["stages"])
    assert set(causes) == {"win", "kong", "kong_transfer", "flower_pig", "not_ready", "refund", "escape"}


def test_points_are_six_for_each_multiple() -> None:
    for record in records("greedy", 0.004, 0):
        sums = [0] * 4
        for stage in record["stages"]:
            for payer, payee, multiple in stage["claims"]:
                sums[payer] -= 6 * multiple
                sums[payee] += 6 * multiple
        assert sums == record["points"]


def test_a_record_has_one_pooled_payout_at_the_hands_end() -> None:
    for record in records("greedy", 0.004, 0):
        (paid,) = record["coins"]
        result = payout.pooled(1, [10**9] * 4, record["points"])
        assert (paid["policy"], paid["rate"], paid["points"]) == ("pooled", 1, record["points"])
        assert (paid["change"], paid["after"]) == (list(result.change), list(result.money))
    left = [record for record in records("greedy", 0.004, 0) if any(action["do"] == "leave" for action in record["actions"])]
    assert any(record["result"]["ended"] != "escape" for record in left), "a winner who left is included"


def test_a_seat_short_of_coins_pays_what_it_has_and_winners_share_it() -> None:
    short = [record for record in simulate(GAME, 40, "1", money=20) if record["coins"][0]["short"]]
    assert short
    for record in short:
        (paid,) = record["coins"]
        assert min(paid["after"]) >= 0
        assert sum(paid["change"]) == 0
        for row in paid["short"]:
            assert (row["paid"], row["owed"]) == (20, -record["points"][row["seat"]])


def test_the_dealer_of_a_record_is_checked_against_the_hand_before() -> None:
    played = records("greedy", 0.0, 1)
    assert played[0]["dealer_from"] == "draw"
    assert {record["dealer_from"] for record in played[1:]} == {"before"}
    changed = dict(played[1], dealer=(played[1]["dealer"] + 1) % 4)
    verifier = Verifier()
    assert verifier.check(dict(played[0])) == {"ok": True}
    answer = verifier.check(changed)
    assert (answer["ok"], answer["at"]) == (False, None)
    assert "dealer" in answer["why"]


def test_a_dealer_from_a_hand_before_that_is_not_there_is_not_confirmed() -> None:
    played = records("greedy", 0.0, 1)
    answer = Verifier().check(dict(played[1]))
    assert (answer["ok"], answer["at"]) == (False, None)
    assert answer["why"].startswith("dealer: no line before this")


def test_a_record_with_wrong_points_does_not_spoil_the_next() -> None:
    first, second = records("greedy", 0.0, 1)[:2]
    verifier = Verifier()
    assert verifier.check(dict(first, points=[1, -1, 0, 0]))["ok"] is False
    assert verifier.check(dict(second)) == {"ok": True}


def test_whoever_left_is_a_new_player_in_the_next_hand() -> None:
    played = records("greedy", 0.004, 1)
    pairs = list(pairwise(played))
    assert any(before["result"]["ended"] == "escape" for before, _ in pairs)
    for before, after in pairs:
        assert (after["dealer_from"] == "draw") == (before["result"]["ended"] == "escape")


def test_the_same_arguments_give_the_same_records() -> None:
    assert tuple(simulate(GAME, 25, "1", {}, bots="random", leave=0.004)) == records("random", 0.004, 0)


def test_the_greedy_bot_drops_a_suit_and_wins() -> None:
    wins = {
        bots: sum(action["do"] == "win" for record in records(bots, 0.0, 0) for action in record["actions"])
        for bots in ("greedy", "random")
    }
    assert wins["greedy"] > 40
    assert wins["random"] < 5
    pigs = [stage for record in records("greedy", 0.0, 0) for stage in record["stages"] if stage["cause"] == "flower_pig"]
    assert len(pigs) <= 3
