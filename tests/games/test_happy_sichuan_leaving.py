"""Escape 逃跑 and winners who leave 欢乐麻将 (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from games.bots import bot
from games.hand import Action, Do, Refusal, Setup, Why
from games.mahjong.machine import MahjongHand
from games.record import Recorder
from games.verify import Verifier
from tests.games.board import act, asked, names, out, play, tiles
from tests.games.happy import FAR, HAPPY, JUNK, LONG, OTHER, PAIR, READY, SINGLE, THREE_FAN, board, causes, stage

DRAGON = "22334455p11199m"
"""Ready for 龙七对, 16."""
PURE_32 = "1111335577229m"
"""Ready for 清龙七对, 32."""
PURE_64 = "1111333355779m"
"""Ready for 清龙七对 and 根, 64."""


def refused(hand: MahjongHand, move: str | Action, why: Why) -> None:
    """The move is refused and nothing changes."""
    before = hand.dump()
    answer = hand.apply(act(move) if isinstance(move, str) else move)
    assert isinstance(answer, Refusal), move
    assert answer.why is why
    assert hand.dump() == before


# a player who has not won


def test_the_hand_ends_at_once_and_he_pays_16_to_each_other_player() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="2s" + LONG)
    events = play(hand, "1 leave")
    assert names(events) == ["stage_claimed", "hand_over"]
    assert (hand.over, hand.ended, causes(hand)) == (True, "escape", ["escape"])
    assert stage(hand, "escape") == [(1, 2, 16), (1, 3, 16), (1, 0, 16)]
    assert hand.points() == [96, -288, 96, 96]


def test_he_may_leave_whether_he_is_asked_or_not() -> None:
    for who in range(4):
        hand = board(FAR, READY, JUNK, JUNK, wall="2s" + LONG)
        play(hand, f"{who} leave")
        assert hand.over


def test_only_who_has_not_won_is_paid() -> None:
    hand = out(board(FAR, READY, JUNK, JUNK, wall="2s" + LONG), 2)
    play(hand, "1 leave")
    assert stage(hand, "escape") == [(1, 3, 16), (1, 0, 16)]
    hand = out(board(FAR, READY, JUNK, JUNK, wall="2s" + LONG), 2, 3)
    play(hand, "1 leave")
    assert stage(hand, "escape") == [(1, 0, 16)]


def test_what_was_won_and_konged_stands_and_no_other_check_follows() -> None:
    hand = board("111357m1346789p", JUNK, READY, JUNK, wall="1m9p3s" + LONG)
    play(hand, "0 kong 1m concealed", "0 discard 9p", "2 win", "3 leave")
    assert causes(hand) == ["kong", "win", "kong_transfer", "escape"], "no pig, no 大叫, no refund"


def test_single_has_the_same_escape() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="2s" + LONG, rules=SINGLE)
    play(hand, "0 leave")
    assert (hand.ended, stage(hand, "escape")) == ("escape", [(0, 1, 16), (0, 2, 16), (0, 3, 16)])


def test_no_cap_limits_the_16() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="2s" + LONG, rules=THREE_FAN)
    play(hand, "0 leave")
    assert stage(hand, "escape") == [(0, 1, 16), (0, 2, 16), (0, 3, 16)]


# in the last four


LAST_FOUR = "2s2s2s2s"
"""The first of the last four has been drawn."""


def escaped(*hands: str, wall: str = LAST_FOUR, who: int = 0, rules: Any = HAPPY, won: tuple[int, ...] = ()) -> list[tuple[int, int, int]]:
    """What the seat pays who leaves."""
    hand = out(board(*hands, wall=wall, rules=rules), *won)
    play(hand, f"{who} leave")
    return sorted(stage(hand, "escape"))


ALL_16 = [(0, 1, 16), (0, 2, 16), (0, 3, 16)]


def test_in_the_last_four_he_pays_what_he_would_pay_for_not_being_ready_if_that_is_more() -> None:
    assert escaped(FAR, PURE_64, JUNK, JUNK) == [(0, 1, 64)]
    assert escaped(FAR, PURE_32, PURE_32, OTHER) == [(0, 1, 32), (0, 2, 32), (0, 3, 1)], "each ready player, and nobody else"


def test_before_the_last_four_the_other_amount_is_not_computed() -> None:
    assert escaped(FAR, PURE_64, JUNK, JUNK, wall="2s" + LAST_FOUR) == ALL_16


@pytest.mark.parametrize(
    "others",
    [(DRAGON, PURE_32, JUNK), (OTHER, READY, OTHER), (JUNK, FAR, FAR), (DRAGON, DRAGON, DRAGON)],
    ids=["48 is 3 times 16", "less", "nobody is ready", "the same for each"],
)
def test_if_it_is_equal_or_less_he_pays_16_to_each(others: tuple[str, ...]) -> None:
    assert escaped(FAR, *others) == ALL_16


def test_totals_are_compared_among_those_who_have_not_won() -> None:
    assert escaped(FAR, PURE_32, JUNK, JUNK, won=(3,)) == [(0, 1, 16), (0, 2, 16)], "32 is not more than 32"
    assert escaped(FAR, PURE_32, JUNK, JUNK, won=(2, 3)) == [(0, 1, 32)], "more than 16"
    assert escaped(FAR, PURE_64, PURE_32, JUNK, won=(1,)) == [(0, 2, 16), (0, 3, 16)], "a winner is not paid"


def test_he_counts_as_not_ready_whatever_he_holds() -> None:
    assert escaped(READY, PURE_64, JUNK, JUNK) == [(0, 1, 64)], "ready himself"
    assert escaped(JUNK, PURE_64, JUNK, JUNK) == [(0, 1, 64)], "a pig himself"


def test_the_other_amount_is_limited_by_the_cap() -> None:
    assert escaped(FAR, PURE_64, PURE_64, PURE_64, rules=THREE_FAN) == ALL_16, "3 times 4"


def test_a_seat_that_holds_14_is_ready_if_some_13_of_them_are() -> None:
    hands = (PURE_64, FAR, JUNK, JUNK)
    assert escaped(*hands, who=1) == [(1, 0, 64)], "2s was drawn, and is thrown"
    assert escaped(*hands, who=1, wall="7m2s2s2s") == [(1, 0, 128)], "9m is thrown, and 7m makes four again"
    assert escaped(*hands, who=1, wall="9m2s2s2s") == [(1, 0, 64)], "a complete hand can be broken up"
    assert escaped("123456m789p1199s", FAR, JUNK, JUNK, who=1) == [(1, 0, 16), (1, 2, 16), (1, 3, 16)], "no 13 of two suits are ready"


def test_a_seat_that_holds_14_after_a_pung_is_ready_likewise() -> None:
    hand = out(board(FAR, "1113499m | concealed 5m, concealed 6m", JUNK, JUNK, wall="9m2s2s2s"), 2, 3)
    play(hand, "0 discard 9m", "1 pung", "0 leave")
    assert stage(hand, "escape") == [(0, 1, 32)], "3m or 4m is thrown: 清对 and two 杠"


# a tile that is being claimed


def test_a_tile_on_which_a_win_is_awaited_stays_undecided() -> None:
    hand = board(FAR, READY, JUNK, READY, wall="9p" + LONG)
    play(hand, "0 discard 9p", "1 win", "2 leave")
    assert (hand.ended, causes(hand)) == ("escape", ["escape"])
    assert not hand.seats[1].wins, "the win that was answered falls away with the one awaited"
    assert stage(hand, "escape") == [(2, 3, 16), (2, 0, 16), (2, 1, 16)]


def test_it_stays_undecided_too_if_the_one_who_leaves_was_awaited() -> None:
    hand = board(FAR, READY, JUNK, READY, wall="9p" + LONG)
    play(hand, "0 discard 9p", "1 win", "3 leave")
    assert causes(hand) == ["escape"]
    assert not hand.seats[1].wins


def test_an_added_kong_that_could_be_robbed_is_not_made() -> None:
    hand = board("1357m2468p23s | pung 9p", READY, JUNK, JUNK, wall="9p" + LONG)
    play(hand, "0 kong 9p added", "2 leave")
    assert causes(hand) == ["escape"], "nothing is paid for it"
    assert tiles(hand, 0) == "1357m24689p23s", "the tile is still his"
    assert [meld.kind for meld in hand.seats[0].melds] == ["pung"]


def test_answers_that_fell_away_are_not_in_the_record_and_it_verifies() -> None:
    recorder = next(found for found in map(until_undecided, range(1000)) if not found.hand.over)
    count = len(recorder.actions)
    recorder.apply(Action(0, Do.LEAVE))
    assert recorder.actions[count:] == [Action(0, Do.LEAVE)]
    record = recorder.record(1, [1000] * 4)
    assert Verifier().check(json.loads(json.dumps(record))) == {"ok": True}


def until_undecided(number: int) -> Recorder:
    """A hand played until one of two seats that are asked about the same tile has answered, or to its end."""
    recorder = Recorder(HAPPY, Setup("t", number, bytes([number % 256, number // 256]) * 16, (None,) * 4))
    hand, mind = recorder.hand, bot("happy_sichuan", "greedy", Random(number))
    while not hand.over:
        question = hand.question
        if question is not None and question.answers:
            break
        recorder.apply(mind.choose(hand, next(who for who, offer in enumerate(hand.offers) if offer is not None)))
    return recorder


# a player who has won


def test_a_winner_who_leaves_does_not_end_the_hand() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9p2s" + LONG)
    play(hand, "0 win")
    points, turn = hand.points(), asked(hand)
    assert play(hand, "0 leave") == []
    assert (hand.over, hand.points(), asked(hand)) == (False, points, turn)
    assert causes(hand) == ["win"], "he pays nothing for it"


def test_a_winner_leaves_once() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9p2s" + LONG)
    play(hand, "0 win", "0 leave")
    refused(hand, "0 leave", Why.NOT_OFFERED)


def test_a_winner_who_leaves_while_others_are_asked_disturbs_nothing() -> None:
    hand = board(READY, FAR, READY, PAIR, wall="1p9p2s" + LONG)
    play(hand, "0 win", "1 discard 9p")
    question = hand.question
    assert asked(hand) == [2, 3]
    play(hand, "3 pass", "0 leave")
    assert hand.question is question
    play(hand, "2 win")
    assert causes(hand) == ["win", "win"]


def test_a_winners_sum_stays_as_it_was_when_he_left() -> None:
    hand = board("111357m1346789p", OTHER, FAR, FAR, wall="1m9s5p4s4s2s")
    play(hand, "0 kong 1m concealed", "0 discard 9s", "1 win")
    frozen = hand.points()[1]
    play(hand, "1 leave", "2 discard 4s", "3 discard 4s", "0 discard 2s")
    assert "refund" in causes(hand)
    assert hand.points()[1] == frozen


def test_who_left_after_winning_is_paid_nothing_when_another_escapes() -> None:
    hand = board(READY, FAR, JUNK, JUNK, wall="9p2s" + LONG)
    play(hand, "0 win", "0 leave", "2 leave")
    assert stage(hand, "escape") == [(2, 3, 16), (2, 1, 16)]


# what cannot be


def test_nobody_leaves_a_hand_that_is_over() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="2s" + LONG)
    play(hand, "0 leave")
    for who in range(4):
        refused(hand, f"{who} leave", Why.HAND_OVER)


def test_leaving_takes_no_tile() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="2s" + LONG)
    for action in (Action(0, Do.LEAVE, 3), Action(0, Do.LEAVE, tiles=(3,)), Action(0, Do.LEAVE, kind="added_kong"), Action(4, Do.LEAVE)):
        refused(hand, action, Why.MALFORMED)


def test_leaving_has_a_meaning_within_the_hand() -> None:
    assert HAPPY.may_leave
