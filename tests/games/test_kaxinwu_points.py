"""What kongs earn in 血战卡心五, kongs in a row, and wins around kongs (docs/rules/kaxinwu.md)."""

from __future__ import annotations

import pytest

from games.mahjong.machine import MahjongHand
from tests.games.board import claims, may, play, tiles
from tests.games.kaxinwu import JUNK, LONG, OTHER, READY, THREE, TWO, board, causes, go, won

PUNG_9S = "12457p12478s | pung 9s"


def kong_claims(hand: MahjongHand) -> list[list[tuple[int, int, int]]]:
    """The claims of every kong, in order."""
    return [claims(hand, place) for place, stage in enumerate(hand.stages) if stage.cause == "kong"]


# what a kong earns


def test_a_direct_kong_earns_2_from_its_discarder() -> None:
    hand = board(JUNK, "12479p12333578s", JUNK, JUNK, wall="3s" + LONG)
    go(hand, "0 discard 3s", "1 kong 3s direct")
    assert kong_claims(hand) == [[(0, 1, 2)]]
    assert hand.points() == [-2, 2, 0, 0], "paid at once"


def test_an_added_kong_earns_1_from_each_other() -> None:
    hand = board(PUNG_9S, JUNK, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 kong 9s added")
    assert kong_claims(hand) == [[(1, 0, 1), (2, 0, 1), (3, 0, 1)]]


def test_a_concealed_kong_earns_2_from_each_other() -> None:
    hand = board("1247p123333578s", JUNK, JUNK, JUNK, wall="6p" + LONG)
    go(hand, "0 kong 3s concealed")
    assert kong_claims(hand) == [[(1, 0, 2), (2, 0, 2), (3, 0, 2)]]


@pytest.mark.parametrize(("rules", "points"), [(TWO, [2, -2]), (THREE, [4, -2, -2])])
def test_with_fewer_players_each_other_pays_the_same(rules: object, points: list[int]) -> None:
    hand = board("1247p123333578s", *[JUNK] * (len(points) - 1), wall="6p" + LONG, rules=rules)
    go(hand, "0 kong 3s concealed")
    assert hand.points() == points


def test_players_who_have_won_pay_and_are_paid_for_kongs_too() -> None:
    hand = board(READY, "1247p123333578s", JUNK, JUNK, wall="9s6p" + LONG)
    go(hand, "0 win", "1 kong 3s concealed")
    assert kong_claims(hand) == [[(2, 1, 2), (3, 1, 2), (0, 1, 2)]]
    hand = board("3455588999s | pung 1p", JUNK, JUNK, JUNK, wall="5s9s" + LONG)
    go(hand, "0 win", "1 discard 9s")
    assert kong_claims(hand) == [[(1, 0, 2)]]


def test_a_robbed_kong_earns_nothing_and_the_pung_stays() -> None:
    hand = board(PUNG_9S, READY, JUNK, JUNK, wall="9s" + LONG)
    play(hand, "0 kong 9s added")
    assert kong_claims(hand) == [], "not before it is known whether it is robbed"
    go(hand, "1 win")
    assert causes(hand) == ["win"]
    assert hand.seats[0].melds[0].kind.value == "pung"


def test_an_added_kong_that_is_not_robbed_is_paid_when_that_is_known() -> None:
    hand = board(PUNG_9S, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 kong 9s added", "1 pass")
    assert kong_claims(hand) == [[(1, 0, 1), (2, 0, 1), (3, 0, 1)]]


def test_kong_points_stand_also_if_the_konger_is_not_ready_in_the_end() -> None:
    hand = board("1247p123333578s", READY, JUNK, JUNK, wall="6p6p")
    go(hand, "0 kong 3s concealed", "0 discard 6p")
    assert (hand.over, causes(hand)) == (True, ["kong", "not_ready"])
    assert hand.points() == [6 - 2, -2 + 6, -2 - 2, -2 - 2]


# 杠上杠


def test_in_a_row_of_three_the_second_and_third_count_double() -> None:
    hand = board("111122223333p9s", JUNK, JUNK, JUNK, wall="8s6p6p6p" + LONG)
    go(hand, "0 kong 1p concealed", "0 kong 2p concealed", "0 kong 3p concealed")
    assert [[claim[2] for claim in kong] for kong in kong_claims(hand)] == [[2] * 3, [4] * 3, [4] * 3]


def test_a_row_may_begin_with_a_direct_kong_and_hold_added_ones() -> None:
    hand = board(JUNK, "1255557p333s | pung 9s", JUNK, JUNK, wall="3s9s" + LONG)
    go(hand, "0 discard 3s", "1 kong 3s direct", "1 kong 9s added", "1 kong 5p concealed")
    assert kong_claims(hand) == [[(0, 1, 2)], [(2, 1, 2), (3, 1, 2), (0, 1, 2)], [(2, 1, 4), (3, 1, 4), (0, 1, 4)]]


def test_a_discard_between_ends_the_row() -> None:
    hand = board("111122223333p9s", JUNK, JUNK, JUNK, wall="8s6p6p6p6p6p" + LONG)
    go(hand, "0 kong 1p concealed", "0 discard 8s", "1 discard 6p", "2 discard 6p", "3 discard 6p", "0 kong 2p concealed")
    assert [[claim[2] for claim in kong] for kong in kong_claims(hand)] == [[2] * 3, [2] * 3]


def test_a_kong_right_after_a_pung_is_the_first_of_its_row() -> None:
    hand = board("1245p124666678s", "1266p123333578s", JUNK, JUNK, wall="9p6p" + LONG)
    go(hand, "0 kong 6s concealed", "0 discard 6p", "1 pung", "1 kong 3s concealed")
    assert [[claim[2] for claim in kong] for kong in kong_claims(hand)] == [[2] * 3, [2] * 3]


def test_after_a_robbed_kong_a_row_begins_anew() -> None:
    """Two have robbed it, so the konger draws: that draw is no replacement."""
    hand = board("125555p3334s | pung 9s", READY, READY, JUNK, wall="6p9s3s" + LONG)
    go(hand, "0 kong 5p concealed", "0 kong 9s added", "1 win", "2 win", "0 kong 3s concealed")
    assert [[claim[2] for claim in kong] for kong in kong_claims(hand)] == [[2] * 3, [2] * 3]


# wins around kongs


def test_a_win_on_the_replacement_after_one_kong() -> None:
    hand = board("1111345678p499s", JUNK, JUNK, JUNK, wall="5s6s" + LONG)
    go(hand, "0 kong 1p concealed", "0 win")
    assert won(hand, 0) == ["平胡 1", "杠上花 1"]
    assert claims(hand) == [(1, 0, 4), (2, 0, 4), (3, 0, 4)]


def test_a_win_on_the_replacement_after_two_kongs_in_a_row() -> None:
    hand = board("11112222345p99s", JUNK, JUNK, JUNK, wall="4s5s6s" + LONG)
    go(hand, "0 kong 1p concealed", "0 kong 2p concealed", "0 win")
    assert won(hand, 0) == ["平胡 1", "双杠上花 2"]


@pytest.mark.parametrize("kongs", [3, 4])
def test_a_win_on_the_replacement_after_three_kongs_or_more(kongs: int) -> None:
    if kongs == 3:
        hand = board("111122223333p9s", JUNK, JUNK, JUNK, wall="9s4p5p6p" + LONG)
        go(hand, "0 kong 1p concealed", "0 kong 2p concealed", "0 kong 3p concealed", "0 win")
        assert won(hand, 0) == ["平胡 1", "三杠上花 3"]
    else:
        hand = board("111122223333p9s", JUNK, JUNK, JUNK, wall="7p7p7p7p9s" + LONG)
        go(hand, "0 kong 1p concealed", "0 kong 2p concealed", "0 kong 3p concealed", "0 kong 7p concealed", "0 win")
        assert won(hand, 0) == ["大对子 2", "三杠上花 3"]


def test_a_kong_before_an_earlier_discard_does_not_count() -> None:
    hand = board("1111345678p499s", JUNK, JUNK, JUNK, wall="5s6p6p6p6p6s" + LONG)
    go(hand, "0 kong 1p concealed", "0 discard 6p", "1 discard 6p", "2 discard 6p", "3 discard 6p", "0 win")
    assert won(hand, 0) == ["平胡 1"]


def test_a_win_on_the_discard_after_a_replacement_counts_once_however_many_kongs() -> None:
    hand = board("111122223333p9s", READY, JUNK, JUNK, wall="8s6p6p6p" + LONG)
    go(hand, "0 kong 1p concealed", "0 kong 2p concealed", "0 discard 9s", "1 win")
    assert won(hand, 1) == ["平胡 1", "杠上炮 1"]


def test_two_winners_on_that_discard_are_both_paid_for_it() -> None:
    hand = board("111122223333p9s", READY, JUNK, READY, wall="8s6p" + LONG)
    go(hand, "0 kong 1p concealed", "0 discard 9s", "1 win", "3 win")
    assert won(hand, 1) == won(hand, 3) == ["平胡 1", "杠上炮 1"]
    assert claims(hand) == [(0, 1, 4), (0, 3, 4)]


def test_the_kong_itself_is_not_handed_over_to_who_wins_on_the_discard() -> None:
    hand = board("111122223333p9s", READY, JUNK, JUNK, wall="8s6p" + LONG)
    go(hand, "0 kong 1p concealed", "0 discard 9s", "1 win")
    assert hand.points() == [6 - 4, -2 + 4, -2, -2]


def test_robbing_counts_and_the_konger_s_row_does_not() -> None:
    hand = board("125555p3334s | pung 9s", READY, JUNK, JUNK, wall="6p9s" + LONG)
    go(hand, "0 kong 5p concealed", "0 kong 9s added", "1 win")
    assert won(hand, 1) == ["平胡 1", "抢杠胡 1"]


def test_a_concealed_or_direct_kong_cannot_be_robbed() -> None:
    hand = board("347p123578s9999s", READY, JUNK, JUNK, wall="6p" + LONG)
    play(hand, "0 kong 9s concealed")
    assert hand.question is None
    assert hand.turn == 0


def test_points_of_all_causes_add_up_to_zero() -> None:
    hand = board(READY, "1247p123333578s", OTHER, JUNK, wall="9s6p6p" + LONG)
    go(hand, "0 win", "1 kong 3s concealed", "1 discard 8s")
    assert may(hand, 2) == "win, pung, pass"
    go(hand, "2 win")
    assert sum(hand.points()) == 0
    assert hand.points() == [6 - 2, -2 + 6 - 4, -2 - 2 + 4, -2 - 2]


def test_a_tile_that_was_robbed_is_gone() -> None:
    hand = board(PUNG_9S, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 kong 9s added", "1 win")
    assert (tiles(hand, 0), hand.seats[0].river) == ("12457p12478s", [])
