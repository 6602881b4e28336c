"""Escape 逃跑 and winners who leave 欢乐麻将 (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.hand import Action, Do, Refusal, Why
from games.leaving import next_step
from games.mahjong.machine import MahjongHand
from games.simulate import simulate
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
    assert escaped(READY, PURE_64, JUNK, JUNK) == [(0, 1, 64)], "the leaver is ready"
    assert escaped(JUNK, PURE_64, JUNK, JUNK) == [(0, 1, 64)], "the leaver is a pig"


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


# claims that are being answered


class Table:
    """A hand with players who ask to leave: the server does what follows for them (games.leaving)."""

    def __init__(self, hand: MahjongHand) -> None:
        self.hand = hand
        self.going: list[int] = []
        self.steps: list[str] = []

    def play(self, *moves: str) -> Table:
        for move in moves:
            play(self.hand, move)
            self.follow()
        return self

    def leave(self, *seats: int) -> Table:
        for seat in seats:
            self.going.append(seat)
            self.follow()
        return self

    def follow(self) -> None:
        while (step := next_step(self.hand, self.going)) is not None:
            assert not isinstance(self.hand.apply(step), Refusal), step
            self.steps.append(f"{step.seat} {step.do}{' auto' if step.auto else ''}")
            if step.do is Do.LEAVE:
                self.going.remove(step.seat)


def test_a_leave_while_others_are_asked_takes_effect_when_they_have_answered() -> None:
    hand = board(FAR, READY, JUNK, READY, wall="9p" + LONG)
    at = Table(hand).play("0 discard 9p", "1 win").leave(2)
    assert (at.steps, hand.over) == ([], False), "seat 3 is still asked"
    at.play("3 pass")
    assert (at.steps, causes(hand), hand.ended) == (["2 leave"], ["win", "escape"], "escape")
    assert stage(hand, "escape") == [(2, 3, 16), (2, 0, 16)], "who won meanwhile is not paid for it"


def test_a_discarder_does_not_escape_the_win_on_the_discard() -> None:
    """What was seen: a loss of 384 points escaped for 288."""
    hand = board(FAR, PURE_64, JUNK, JUNK, wall="9m" + LONG)
    at = Table(hand).play("0 discard 9m").leave(0)
    assert (at.steps, hand.over) == ([], False)
    at.play("1 win")
    assert (causes(hand), stage(hand, "win"), at.steps) == (["win", "escape"], [(0, 1, 64)], ["0 leave"])
    assert hand.points() == [-384 - 192, 384, 96, 96], "the discarder pays the win, and then for leaving"


def test_it_takes_effect_after_the_draw_that_follows() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p" + LONG)
    left = hand.left
    at = Table(hand).play("0 discard 9p").leave(3).play("1 pass")
    assert (at.steps, hand.ended, hand.left) == (["3 leave"], "escape", left - 1)
    assert tiles(hand, 1) == "1123456789m1199p", "seat 1 has drawn 1m"


def test_asked_oneself_one_passes_and_answers_already_given_stand() -> None:
    hand = board(FAR, READY, JUNK, READY, wall="9p" + LONG)
    at = Table(hand).play("0 discard 9p").leave(3)
    assert at.steps == ["3 pass auto"]
    at.play("1 win")
    assert (causes(hand), at.steps) == (["win", "escape"], ["3 pass auto", "3 leave"])
    hand = board(FAR, READY, JUNK, READY, wall="9p" + LONG)
    at = Table(hand).play("0 discard 9p", "3 win").leave(3).play("1 pass")
    assert (causes(hand), at.steps, hand.over) == (["win"], ["3 leave"], False), "having won, it is no escape"


def test_a_pass_for_who_leaves_may_be_the_last_answer() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p" + LONG)
    at = Table(hand).play("0 discard 9p").leave(1)
    assert (at.steps, causes(hand), hand.ended) == (["1 pass auto", "1 leave"], ["escape"], "escape")


def test_a_pung_that_was_answered_stands_and_then_the_seat_leaves() -> None:
    hand = board(FAR, READY, PAIR, JUNK, wall="9p" + LONG)
    at = Table(hand).play("0 discard 9p", "2 pung").leave(2).play("1 pass")
    assert (at.steps, [meld.kind for meld in hand.seats[2].melds]) == (["2 leave"], ["pung"])


def test_nobody_escapes_before_it_is_known_whether_an_added_kong_is_robbed() -> None:
    hand = board("1357m2468p23s | pung 9p", READY, JUNK, JUNK, wall="9p" + LONG)
    at = Table(hand).play("0 kong 9p added").leave(0, 2)
    assert at.steps == []
    at.play("1 win")
    assert (causes(hand), at.steps) == (["win", "escape"], ["0 leave"]), "of several who ask to leave, the first escapes"
    hand = board("1357m2468p23s | pung 9p", READY, JUNK, JUNK, wall="9p" + LONG)
    at = Table(hand).play("0 kong 9p added").leave(2).play("1 pass")
    assert causes(hand) == ["kong", "escape"], "nobody robbed it: it is paid"
    assert stage(hand, "kong") == [(1, 0, 1), (2, 0, 1), (3, 0, 1)]


def test_if_the_answers_end_the_hand_nobody_escapes() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p" + LONG, rules=SINGLE)
    at = Table(hand).play("0 discard 9p").leave(0).play("1 win")
    assert (at.steps, hand.ended, causes(hand)) == ([], "first_win", ["win"])
    hand = out(board(FAR, READY, JUNK, JUNK, wall="9p"), 3)
    at = Table(hand).play("0 discard 9p").leave(2).play("1 win")
    assert (at.steps, hand.ended) == ([], "wall_empty"), "no tile was left to draw"


def test_of_several_who_ask_to_leave_the_first_escapes() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p" + LONG)
    at = Table(hand).play("0 discard 9p").leave(3, 2).play("1 pass")
    assert (at.steps, at.going) == (["3 leave"], [2])
    assert stage(hand, "escape") == [(3, 0, 16), (3, 1, 16), (3, 2, 16)]


def test_where_a_win_is_all_that_is_offered_who_leaves_wins_first() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p2s2s2s")
    at = Table(hand).play("0 discard 9p").leave(1)
    assert (at.steps, causes(hand), hand.over) == (["1 win auto", "1 leave"], ["win"], False), "the seat leaves as a winner"
    hand = board(FAR, READY, JUNK, JUNK, wall="2s1p2s2s")
    at = Table(hand).play("0 discard 2s").leave(1)
    assert (at.steps, causes(hand)) == (["1 win auto", "1 leave"], ["win"]), "on its own draw likewise"


def test_after_a_draw_by_the_leaver_a_forced_win_comes_first() -> None:
    at = Table(board(FAR, READY, JUNK, "147m14699m23568s", wall="9m1p2s2s2s")).play("0 discard 9m")
    assert asked(at.hand) == [3]
    at.leave(1, 2).play("3 pass")
    assert at.steps == ["1 win auto", "1 leave", "2 leave"], "seat 1 draws 1p and has won when it leaves; then the next escapes"
    assert causes(at.hand) == ["win", "escape"]
    assert stage(at.hand, "escape") == [(2, 3, 16), (2, 0, 16)]


def test_a_leave_that_would_escape_an_answer_is_refused_by_the_hand() -> None:
    """So is one in a record: `verify-record` says so."""
    hand = board(FAR, READY, JUNK, JUNK, wall="9p" + LONG)
    play(hand, "0 discard 9p")
    for who in range(4):
        refused(hand, f"{who} leave", Why.NOT_OFFERED)
    hand = board(READY, FAR, JUNK, JUNK, wall="9p2s2s2s")
    refused(hand, "0 leave", Why.NOT_OFFERED)


def test_a_record_has_the_leave_where_it_took_effect_and_verifies() -> None:
    found = 0
    for record in simulate("happy_sichuan", 60, "leave", leave=0.05):
        actions = record["actions"]
        for at, action in enumerate(actions):
            if action["do"] != "leave" or record["result"]["ended"] != "escape" or at + 1 < len(actions):
                continue
            assert not action.get("auto"), "the player's own"
            found += actions[at - 1].get("auto", False) and actions[at - 1]["seat"] == action["seat"]
        assert Verifier().check(json.loads(json.dumps(record))) == {"ok": True}
    assert found > 3, "seats that were asked when they asked to leave"


# a player who has won


def test_a_winner_who_leaves_does_not_end_the_hand() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9p2s" + LONG)
    play(hand, "0 win")
    points, turn = hand.points(), asked(hand)
    assert play(hand, "0 leave") == []
    assert (hand.over, hand.points(), asked(hand)) == (False, points, turn)
    assert causes(hand) == ["win"], "they pay nothing for it"


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


def test_a_winners_sum_stays_as_it_was_when_they_left() -> None:
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
