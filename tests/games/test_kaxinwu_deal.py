"""Tables of 血战卡心五: tiles, players, options, rooms and dealers (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from games.fields import FieldError
from games.hand import Action, Do, Policy, Refusal, Setup, Why
from games.mahjong.events import Dealt
from games.option_table import OptionError
from games.options import resolve
from games.record import Recorder
from games.registry import GAMES, ruleset
from games.score import score_line, waits_line
from games.simulate import simulate
from games.verify import Verifier
from services.kit.rooms import load_rooms
from tests.games.board import asked, names, play
from tests.games.kaxinwu import FOUR, JUNK, LONG, READY, THREE, TWO, board


def setup(players: int = 4, **more: Any) -> Setup:
    return Setup("t", 1, bytes(32), (None,) * players, **more)


# tiles and players


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("three_suits", "tiles"), [(False, 72), (True, 108)])
def test_two_to_four_players_have_72_tiles_of_p_and_s_or_108_with_three_suits(players: int, three_suits: bool, tiles: int) -> None:
    rules = ruleset("kaxinwu", {"three_suits": three_suits}, players)
    hand, events = rules.deal(setup(players))
    assert Counter(hand.wall) == dict.fromkeys(range(0 if three_suits else 9, 27), 4)
    assert (len(hand.wall), hand.left) == (tiles, tiles - 13 * players - 1)
    assert names(events) == ["dealt"] * (players + 1) + ["drew"] * 2, "play begins at once"
    assert asked(hand) == [hand.dealer]


def test_by_default_four_play_and_one_or_five_cannot() -> None:
    assert GAMES["kaxinwu"].players == (4, 3, 2)
    for players in (1, 5):
        with pytest.raises(FieldError, match=r"^players: kaxinwu is played by 4 or 3 or 2, not \d$"):
            ruleset("kaxinwu", {}, players)


# options and rooms


def test_options_have_their_defaults() -> None:
    assert resolve("kaxinwu", {}) == {"three_suits": False, "must_kong": False, "opener": None, "room": "coins"}
    given = {"three_suits": "true", "must_kong": "true", "opener": "1", "room": "points"}
    assert resolve("kaxinwu", given) == {"three_suits": True, "must_kong": True, "opener": 1, "room": "points"}
    assert resolve("kaxinwu", {"opener": "null"})["opener"] is None


@pytest.mark.parametrize(
    "given", [{"opener": 4}, {"opener": "first"}, {"must_kong": "yes"}, {"three_suits": 1}, {"room": "Private room"}, {"cap": 3}]
)
def test_an_option_that_cannot_be_used_is_named(given: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=f"^{next(iter(given))}: "):
        resolve("kaxinwu", given)


@pytest.mark.parametrize(("opener", "players"), [(2, 2), (3, 2), (3, 3)])
def test_an_opener_who_has_no_seat_is_named(opener: int, players: int) -> None:
    with pytest.raises(OptionError, match=f"^opener: there is no seat {opener} at a table of {players}$"):
        ruleset("kaxinwu", {"opener": opener}, players)


def test_coins_are_points_times_the_base_and_in_the_room_points_no_coins_move() -> None:
    assert (FOUR.policy, FOUR.base, FOUR.point_unit) == (Policy.STAGE, 1, 1)
    assert ruleset("kaxinwu", {"room": "points"}).base == 0
    (record,) = simulate("kaxinwu", 1, "2", {"room": "points"}, money=0)
    assert (record["base"], record["coins"]) == (0, [])
    assert any(record["points"]), "nothing is limited by what a player owns"


def test_a_room_takes_into_account_the_largest_claim() -> None:
    assert FOUR.largest_claim == 128


def test_the_rooms_that_come_with_the_project() -> None:
    rooms = {room.id: room for room in load_rooms(None) if room.game == "kaxinwu"}
    assert set(rooms) == {"coins", "points"}
    assert rooms["coins"].base > 0
    points = rooms["points"]
    assert (points.base, points.lock, points.turn_seconds) == (0, 0, 0), "untimed, and nothing is at stake"
    assert points.hands > 1


# the dealer


def test_the_first_dealer_is_the_opener_or_drawn() -> None:
    rules = ruleset("kaxinwu", {"opener": 2})
    hand, _ = rules.deal(setup())
    assert (hand.dealer, hand.dealer_from) == (2, "option")
    drawn = {FOUR.deal(Setup("t", number, bytes(32), (None,) * 4))[0].dealer for number in range(40)}
    assert drawn == {0, 1, 2, 3}
    assert FOUR.deal(setup())[0].dealer_from == "draw"


def test_the_wall_does_not_depend_on_where_the_dealer_is_from() -> None:
    walls = [
        rules.deal(setup(before=before))[0].wall for rules in (FOUR, ruleset("kaxinwu", {"opener": 1})) for before in (None, {"dealer": 3})
    ]
    assert walls == [walls[0]] * 4


def test_then_whoever_drew_the_last_tile_deals_the_opener_too_gives_way() -> None:
    for rules in (FOUR, ruleset("kaxinwu", {"opener": 2})):
        hand, events = rules.deal(setup(before={"dealer": 3}))
        assert (hand.dealer, hand.dealer_from) == (3, "before")
        assert isinstance(events[0], Dealt)
        assert (events[0].dealer, events[0].dealer_from) == (3, "before")


def test_a_new_player_takes_over_the_deal_of_their_seat() -> None:
    hand, _ = FOUR.deal(setup(before={"dealer": 3}, new_players=True))
    assert (hand.dealer, hand.dealer_from) == (3, "before")


@pytest.mark.parametrize("opener", [None, 1])
def test_the_dealers_of_a_tables_hands_are_in_the_records_and_verified(opener: int | None) -> None:
    records = list(simulate("kaxinwu", 6, "1", {"opener": opener}, 3))
    assert [record["dealer_from"] for record in records] == ["draw" if opener is None else "option"] + ["before"] * 5
    verifier = Verifier()
    assert [verifier.check(record) for record in records] == [{"ok": True}] * 6
    wrong = {**records[3], "dealer": (records[3]["dealer"] + 1) % 3}
    verifier = Verifier()
    answers = [verifier.check(record) for record in [*records[:3], wrong]]
    assert answers[3]["ok"] is False
    assert answers[3]["at"] is None


# leaving, points, the end


def test_leaving_has_no_meaning_within_a_hand() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s" + LONG)
    assert not FOUR.may_leave
    refused = hand.apply(Action(0, Do.LEAVE))
    assert isinstance(refused, Refusal)
    assert refused.why is Why.NOT_OFFERED
    play(hand, "0 win")
    assert not any(hand.seat_done(seat) for seat in range(4)), "a winner is still needed"


@pytest.mark.parametrize("rules", [TWO, THREE, FOUR])
def test_a_hand_without_anybody_there_is_played_to_its_end_by_the_server(rules: Any) -> None:
    recorder = Recorder(rules, setup(rules.players))
    while not recorder.hand.over:
        seat = asked(recorder.hand)[0]
        assert not isinstance(recorder.apply(recorder.hand.default(seat)), Refusal)
    assert recorder.hand.ended == "wall_empty"
    assert Verifier().check(recorder.record(1, [1000] * rules.players)) == {"ok": True}


# values on their own


def test_score_and_waits_answer_for_this_game() -> None:
    line = {"concealed": "46p11123478999s", "tile": "5p", "how": "self_draw", "kongs": 2}
    assert score_line("kaxinwu", {}, line) == {
        "win": True,
        "parts": [{"id": "middle_five", "name": "卡心五", "fan": 2}, {"id": "two_kong_draw", "name": "双杠上花", "fan": 2}],
        "fan": 4,
        "multiple": 16,
    }
    assert waits_line("kaxinwu", {}, line) == {"ready": True, "waits": [{"tile": "5p", "fan": 2, "multiple": 4}]}
    assert score_line("kaxinwu", {}, line | {"tile": "9p"}) == {"win": False, "why": "no_shape"}


def test_a_middle_five_of_m_needs_the_option() -> None:
    line = {"concealed": "46m11123478999s", "tile": "5m"}
    assert score_line("kaxinwu", {}, line)["fan"] == 1
    assert score_line("kaxinwu", {"three_suits": "true"}, line)["fan"] == 2
    assert waits_line("kaxinwu", {"three_suits": True}, line)["waits"] == [{"tile": "5m", "fan": 2, "multiple": 4}]


def test_a_cap_holds_only_where_the_line_gives_one() -> None:
    line = {"concealed": "1111335555779p", "tile": "9p"}
    assert score_line("kaxinwu", {"room": "points"}, line)["multiple"] == 2 ** (4 + 1)
    assert score_line("kaxinwu", {}, line | {"cap": 3})["multiple"] == 8
    assert waits_line("kaxinwu", {}, line | {"cap": 3})["waits"] == [{"tile": "9p", "fan": 5, "multiple": 8}]
