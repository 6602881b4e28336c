"""What the machine offers to games that differ from 疯狂血战, shown with the toy game: winners stay in, wins go before pungs."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from games import simulate
from games.hand import Action, Claim, Do, Refusal, Setup, Stage, Why
from games.mahjong.events import Won
from games.mahjong.greedy_bot import GreedyBot
from games.mahjong.random_bot import RandomBot
from games.option_table import OptionTable, Room
from games.record import Recorder, build_record
from games.registry import GAMES, Game
from games.verify import Verifier
from tests.games.board import act, asked, board, claims, may, names, play
from tests.games.toy import TOY

JUNK = "124578p124578s9p"
WAITS_5P = "123456789s4611p"
PAIR_5P = "124p124578s5588p"


def laid(*hands: str, wall: str) -> Any:
    return board(*hands, wall=wall, voids="", rules=TOY)


def test_a_win_goes_before_a_pung_which_is_dropped_without_a_word() -> None:
    hand = laid(JUNK, PAIR_5P, WAITS_5P, wall="5p9s9s")
    assert play(hand, "0 discard 5p", "1 pung") == []
    events = play(hand, "2 win")
    assert names(events) == ["won", "stage_claimed", "drew", "drew"]
    assert hand.seats[1].melds == []


def test_who_could_only_meld_is_not_awaited_once_somebody_wins() -> None:
    hand = laid(JUNK, PAIR_5P, WAITS_5P, wall="5p9s9s")
    events = play(hand, "0 discard 5p", "2 win")
    assert names(events) == ["won", "stage_claimed", "drew", "drew"]
    assert asked(hand) == [0], "the offer is gone, and its seat was told nothing"
    assert hand.apply(act("1 pung")) == Refusal(Why.NOT_YOUR_TURN)


def test_who_could_only_meld_is_awaited_when_nobody_wins() -> None:
    hand = laid(JUNK, PAIR_5P, WAITS_5P, wall="5p9s9s")
    assert play(hand, "0 discard 5p", "2 pass") == []
    assert asked(hand) == [1]
    assert [hand.question.offers[seat].lapses for seat in (1, 2)] == [True, False]


def test_a_winner_may_stay_in_and_win_again() -> None:
    hand = laid(JUNK, PAIR_5P, WAITS_5P, wall="5p9s8s7s5p9s")
    play(hand, "0 discard 5p", "2 win", "0 discard 9s", "1 discard 8s", "2 discard 7s", "0 discard 5p")
    assert may(hand, 2) == "win, pass"
    play(hand, "2 win")
    assert len(hand.seats[2].wins) == 2
    assert not hand.seat_done(2)


def test_a_kong_is_paid_by_what_the_game_says_and_by_its_place_in_a_row() -> None:
    hand = laid("1111222234567p", JUNK, JUNK, wall="9s8s7s6s")
    play(hand, "0 kong 1p concealed", "0 kong 2p concealed")
    assert [claims(hand, place) for place in (0, 1)] == [[(1, 0, 1), (2, 0, 1)], [(1, 0, 2), (2, 0, 2)]]
    assert hand.points() == [12, -6, -6], "two points a multiple"


def test_a_robbed_kong_is_not_paid() -> None:
    hand = laid("124p1247899s | pung 5p", WAITS_5P, JUNK, wall="5p9s9s")
    play(hand, "0 kong 5p added", "1 win")
    assert [stage.cause for stage in hand.stages] == ["win"]


def test_kongs_in_a_row_are_counted_for_the_win_that_follows() -> None:
    hand = laid("1111222255p46s9s", JUNK, JUNK, wall="9s9s5s6s")
    play(hand, "0 kong 1p concealed", "0 kong 2p concealed", "0 win")
    assert claims(hand) == [(1, 0, 3), (2, 0, 3)], "1 and 2 kongs in a row"


def parts(hand: Any, *moves: str) -> list[str]:
    event = next(event for event in play(hand, *moves) if isinstance(event, Won))
    return [part.id for part in event.win.value.parts if part.fan]


def test_a_win_on_the_first_draw_is_known_and_so_is_the_dealer() -> None:
    assert parts(laid(WAITS_5P, JUNK, JUNK, wall="5p9s"), "0 win") == ["first_draw", "dealer"]
    assert parts(laid(JUNK, WAITS_5P, JUNK, wall="9s5p9s"), "0 discard 9s", "1 win") == ["first_draw"]
    assert parts(laid(JUNK, WAITS_5P, JUNK, wall="5p9s9s"), "0 discard 5p", "1 win") == [], "a discard is no draw"


def test_a_second_draw_is_no_first_draw() -> None:
    hand = laid(WAITS_5P, JUNK, JUNK, wall="9s9s8s5p9s")
    assert parts(hand, "0 discard 9s", "1 discard 9s", "2 discard 8s", "0 win") == ["dealer"]


def test_after_any_meld_no_draw_is_a_first_draw() -> None:
    hand = laid("11112457p24578s", WAITS_5P, JUNK, wall="9p9s5p9s")
    assert parts(hand, "0 kong 1p concealed", "0 discard 9s", "1 win") == []
    hand = laid(JUNK, WAITS_5P, PAIR_5P, wall="5p5p9s9s9s")
    play(hand, "0 discard 5p", "1 pass", "2 pung")
    assert hand.melded


def test_the_game_is_asked_what_answers_to_a_claim_mean() -> None:
    hand = laid(JUNK, PAIR_5P, WAITS_5P, wall="5p9s9s")
    play(hand, "0 discard 5p", "2 pass", "1 pass")
    assert hand.own["passed"] == [2]
    assert TOY.load(hand.dump()).own == {"passed": [2], "winner": 0}


def test_the_walls_end_costs_nothing_unless_the_game_says_so() -> None:
    hand = laid(JUNK, WAITS_5P, JUNK, wall="9s")
    play(hand, "0 discard 9s")
    assert (hand.ended, hand.stages) == ("wall_empty", [])


def recorder_of(hand: Any) -> Recorder:
    """A recorder that goes on with a hand laid out."""
    recorder = Recorder(TOY, Setup("t", 1, bytes(32), (None,) * 3))
    recorder.hand = hand
    return recorder


def played(*moves: str) -> Recorder:
    recorder = recorder_of(laid(JUNK, PAIR_5P, WAITS_5P, wall="5p9s9s9s"))
    for move in moves:
        answer = recorder.apply(act(move))
        assert not isinstance(answer, Refusal), (move, answer)
    return recorder


def written(recorder: Recorder) -> list[str]:
    return [f"{action.seat} {action.do}" for action in recorder.actions]


@pytest.mark.parametrize("moves", [("1 pung", "2 pass"), ("2 pass", "1 pung")])
def test_answers_stand_in_seat_order_whoever_answered_first(moves: tuple[str, ...]) -> None:
    assert written(played("0 discard 5p", *moves)) == ["0 discard", "1 pung", "2 pass"]


def test_a_pung_that_lost_stands_in_the_record_if_it_was_given() -> None:
    assert written(played("0 discard 5p", "1 pung", "2 win")) == ["0 discard", "1 pung", "2 win"]
    assert written(played("0 discard 5p", "2 win")) == ["0 discard", "2 win"]


def test_answers_to_what_is_not_decided_are_not_in_the_record() -> None:
    assert written(played("0 discard 5p", "1 pung")) == ["0 discard"]


def test_when_a_player_leaves_answers_not_yet_carried_out_fall_away() -> None:
    recorder = played("0 discard 5p", "1 pung", "0 leave")
    assert written(recorder) == ["0 discard", "0 leave"]
    assert recorder.hand.over
    assert asked(recorder.hand) == []
    assert recorder.hand.stages == [Stage("escape", (Claim(0, 1, 16), Claim(0, 2, 16)))]


def test_a_refused_action_is_not_in_the_record() -> None:
    recorder = played("0 discard 5p")
    assert isinstance(recorder.apply(act("0 discard 5p")), Refusal)
    assert written(recorder) == ["0 discard"]


def whole_record(number: int, before: Any = None, leave: float = 0.0) -> dict[str, Any]:
    """A hand of random bots with answers in random order, as it is read back."""
    setup = Setup("toys", number, bytes([number]) * 32, (None,) * 3, before)
    recorder = Recorder(TOY, setup)
    random = Random(number)
    minds = [mind(random) for mind in (RandomBot, GreedyBot, GreedyBot)]
    if leave:
        simulate.play(recorder, minds, random, leave)
    journal = []
    while not recorder.hand.over:
        seat = random.choice([seat for seat, offer in enumerate(recorder.hand.offers) if offer is not None])
        journal.append(minds[seat].choose(recorder.hand, seat))
        assert not isinstance(recorder.apply(journal[-1]), Refusal)
    record = recorder.record(1, [10**6] * 3)
    assert leave or build_record(TOY, setup, journal, 1, [10**6] * 3) == record
    read: dict[str, Any] = json.loads(json.dumps(record))
    return read


@pytest.fixture
def verifier(monkeypatch: pytest.MonkeyPatch) -> Verifier:
    options = OptionTable(game="toy", options=(), rooms=(Room("toy", "toy", {}),), default_room="toy")
    monkeypatch.setitem(GAMES, "toy", Game(options, lambda *_: TOY, (TOY.players,)))
    return Verifier()


def test_records_verify_with_claims_that_lost_and_answers_that_were_not_awaited(verifier: Verifier) -> None:
    records = [whole_record(number) for number in range(12)]
    assert [verifier.check(record) for record in records] == [{"ok": True}] * 12
    lost = sum(count_lost(record) for record in records)
    assert lost > 0, "some pungs that lost to a win should be among them"


def count_lost(record: dict[str, Any]) -> int:
    """Count melds claimed right beside a win on the same tile."""
    does = [action["do"] for action in record["actions"]]
    return sum({one, other} == {"pung", "win"} for one, other in pairwise(does))


def test_records_with_leaves_verify(verifier: Verifier) -> None:
    records = [whole_record(number, leave=0.05) for number in range(12)]
    assert {record["result"]["ended"] for record in records} >= {"escape"}
    assert [verifier.check(record) for record in records] == [{"ok": True}] * 12


def test_the_dealer_from_the_hand_before_is_checked_against_the_line_before(verifier: Verifier) -> None:
    first = whole_record(1)
    hand = Recorder(TOY, Setup("toys", 1, bytes([1]) * 32, (None,) * 3)).hand
    assert hand.dealer == first["dealer"]
    winner = next(seat for seat in range(3) if seat != first["dealer"])
    second = whole_record(2, {"winner": winner})
    assert second["dealer_from"] == "before"
    assert verifier.check(second)["at"] is None, "without the line before it cannot be so"
    last = last_winner(first)
    second = whole_record(2, {"winner": last})
    verifier = Verifier()
    assert verifier.check(first) == {"ok": True}
    assert verifier.check(second) == {"ok": True}
    verifier = Verifier()
    assert verifier.check(first) == {"ok": True}
    wrong = whole_record(2, {"winner": (last + 1) % 3})
    assert verifier.check(wrong) == {"ok": False, "at": None, "why": "dealer: the record has another"}


def last_winner(record: dict[str, Any]) -> int:
    wins = [stage for stage in record["stages"] if stage["cause"] == "win"]
    payees: list[int] = [payee for _, payee, _ in wins[-1]["claims"]]
    return payees[-1]


def test_a_bot_is_not_asked_where_the_server_carries_out_the_only_answer() -> None:
    hand = laid(WAITS_5P, JUNK, JUNK, wall="5p9s")
    hand.offers[0].at_once = True
    assert simulate.answer(hand, 0, RandomBot(Random(0))) == Action(0, Do.WIN, auto=True)


def test_kongs_before_a_robbed_one_do_not_count_for_who_robs_it() -> None:
    hand = laid("1111p24578s9p | pung 5p", WAITS_5P, JUNK, wall="9s5p9s9s")
    assert parts(hand, "0 kong 1p concealed", "0 kong 5p added", "1 win") == []
