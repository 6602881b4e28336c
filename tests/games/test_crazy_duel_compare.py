"""Which play beats which in 疯狂对杀."""

from __future__ import annotations

from itertools import pairwise

import pytest

from games.crazy_duel.compare import beats
from games.crazy_duel.kinds import Play, PlayKind
from games.crazy_duel.plays import read
from games.crazy_duel.targets import TARGETS
from tests.games.naive_cards import cards


def play(text: str, kind: str | None = None) -> Play:
    found = read(cards(text), None if kind is None else PlayKind(kind))
    assert isinstance(found, Play), found
    return found


FOUR = {rank: f"{rank}S {rank}H {rank}C {rank}D" for rank in "9 10 J Q K A 2".split()}  # noqa: SIM905
TWICE = {rank: f"{four} {four}" for rank, four in FOUR.items()}


def bomb(rank: str, size: int) -> str:
    return " ".join(TWICE[rank].split()[:size])


def bombs(*sizes: int, lowest: int = 0) -> str:
    ranks = "9 10 J Q K A".split()[lowest:]  # noqa: SIM905
    return " ".join(bomb(rank, size) for rank, size in zip(ranks, sizes, strict=False))


def test_singles_rank_from_nine_to_two_then_small_and_big_joker() -> None:
    ranked = [play(card) for card in "9S 10S JS QS KS AS 2S w W".split()]  # noqa: SIM905
    for lower, higher in pairwise(ranked):
        assert beats(higher, lower)
        assert not beats(lower, higher)


def test_pairs_rank_like_singles() -> None:
    ranked = [play(pair) for pair in ("9S 9H", "10S 10S", "JS JC", "QS QC", "KS KC", "AS AC", "2S 2C", "w w", "w W")]
    for lower, higher in pairwise(ranked):
        assert beats(higher, lower)
        assert not beats(lower, higher)
    assert not beats(play("W W"), play("w W"))


@pytest.mark.parametrize(
    "text", ["9S", "w", "KS KH", "2S 2H 2C", "9S 10S JS QS KS", "9S 9H 10S 10H JS JH", bomb("9", 4), bombs(4, 4, 4), "w w W"]
)
def test_an_equal_play_does_not_beat(text: str) -> None:
    assert not beats(play(text), play(text))


def test_suits_do_not_matter() -> None:
    assert not beats(play("KD KC"), play("KS KH"))
    assert not beats(play("KS KH"), play("KD KC"))


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("10S 10H 10C", "9S 9H 9C"),
        ("10S JS QS KS AS", "9S 10S JS QS KS"),
        ("10S 10H JS JH QS QH", "9S 9H 10S 10H JS JH"),
        ("10S 10H 10C JS JH JC QS QH QC", "9S 9H 9C 10S 10H 10C JS JH JC"),
        ("10S JS QS KS w", "9S 10S JS QS KS"),
        ("2S w", "AS AH"),
    ],
)
def test_the_same_kind_with_as_many_cards_is_beaten_by_a_higher_rank(higher: str, lower: str) -> None:
    assert beats(play(higher), play(lower))
    assert not beats(play(lower), play(higher))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2S", "9S 9H"),
        ("2S 2H", "9S"),
        ("2S 2H 2C", "9S 9H"),
        ("9S 10S JS QS KS AS", "9S 10S JS QS KS"),
        ("10S 10H JS JH QS QH KS KH", "9S 9H 10S 10H JS JH"),
        ("10S JS QS KS AS w", "9S 9H 10S 10H JS JH"),  # six cards each
        ("JS JH JC QS QH QC KS KH KC AS AH AC", "9S 9H 10S 10H JS JH QS QH KS KH AS AH"),  # twelve cards each
    ],
)
def test_another_kind_or_number_of_cards_is_not_beaten(one: str, other: str) -> None:
    assert not beats(play(one), play(other))
    assert not beats(play(other), play(one))


def test_any_bomb_beats_all_that_is_none() -> None:
    lowest = play(bomb("9", 4))
    for target in TARGETS:
        if not target.play.stars:
            assert beats(lowest, target.play)
            assert not beats(target.play, lowest)


def test_more_stars_beat_whatever_the_rank() -> None:
    assert beats(play(bomb("9", 5)), play(bomb("2", 4)))
    assert not beats(play(bomb("2", 4)), play(bomb("9", 5)))
    assert beats(play(bombs(4, 4, 4)), play(bomb("2", 6)))


def test_of_equal_stars_fewer_cards_beat_whatever_the_rank() -> None:
    seven_nines, row_to_ace = play(bomb("9", 7)), play(bombs(4, 4, 4, lowest=3))
    assert seven_nines.stars == row_to_ace.stars == 7
    assert beats(seven_nines, row_to_ace)
    assert not beats(row_to_ace, seven_nines)
    # 8 stars: five each of three ranks are 15 cards, four each of four are 16.
    assert beats(play(bombs(5, 5, 5)), play(bombs(4, 4, 4, 4, lowest=2)))
    # An uneven row has more cards than an even one of the same stars.
    assert beats(play(bombs(4, 4, 4)), play(bombs(4, 4, 5, lowest=3)))


def test_of_equal_stars_and_cards_the_higher_top_beats() -> None:
    assert beats(play(bomb("10", 4)), play(bomb("9", 4)))
    assert beats(play(bomb("2", 4)), play(bomb("A", 4)))
    assert beats(play(bombs(4, 4, 4, lowest=1)), play(bombs(4, 4, 4)))


def test_three_jokers_are_below_every_other_bomb_of_six_stars_and_above_those_of_five() -> None:
    three = play("w w W")
    assert three.stars == 6
    assert beats(play(bomb("9", 6)), three)
    assert not beats(three, play(bomb("9", 6)))
    assert beats(three, play(bomb("2", 5)))
    assert beats(three, play("W W"))


def test_four_jokers_are_above_every_other_bomb_of_seven_stars_and_below_those_of_eight() -> None:
    four = play("w w W W")
    assert four.stars == 7
    for other in (bomb("2", 7), bombs(4, 4, 4, lowest=3)):
        assert beats(four, play(other))
        assert not beats(play(other), four)
    assert not beats(four, play(bomb("9", 8)))
    assert beats(play(bomb("9", 8)), four)


def test_a_follower_who_names_no_kind_is_read_as_the_first_kind_that_beats() -> None:
    three_and_jokers = cards("JS QS KS w w W")
    assert read(three_and_jokers) == play("9S 10S JS QS KS AS")
    assert read(three_and_jokers, None, play("10S 10H JS JH QS QH")) == play("JS JH QS QH KS KH")
    bomb_or_straight = cards("10S w w W W")
    assert read(bomb_or_straight, None, play("9S 10S JS QS KS")) == play(bomb("10", 5))
    assert read(bomb_or_straight, PlayKind.STRAIGHT, play("9S 10S JS QS KS")) == play("10S JS QS KS AS")
    assert read(bomb_or_straight, None, play(bomb("2", 5))) == "does_not_beat"


def test_bombs_stand_in_one_order() -> None:
    ranked = [target.play for target in TARGETS if target.play.stars]
    for one in ranked:
        for other in ranked:
            assert beats(one, other) + beats(other, one) == (one != other)
