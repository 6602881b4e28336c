"""Which cards are which play in 疯狂对杀: every line on plays and jokers in docs/rules/crazy_duel.md."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, permutations
from random import Random

import pytest

from games.crazy_duel.cards import CARD_NAMES, PACK, TOP_NAMES, card_of, format_cards, parse_cards
from games.crazy_duel.kinds import Play, PlayKind
from games.crazy_duel.plays import read, readings
from games.hand import Why
from tests.games import naive_cards
from tests.games.naive_cards import cards


def what(text: str, kind: str | None = None) -> str:
    """The play as it is shown: `straight A`, `bomb 9 5★`, or why it is none."""
    play = read(cards(text), None if kind is None else PlayKind(kind))
    return shown(play) if isinstance(play, Play) else play.value


def shown(play: Play) -> str:
    return f"{play.kind} {TOP_NAMES[play.top]}" + (f" {play.stars}★" if play.stars else "")


def test_the_pack_is_two_decks_of_nine_to_two_with_two_jokers_each() -> None:
    assert len(PACK) == 60
    assert Counter(PACK) == dict.fromkeys(range(30), 2)
    assert CARD_NAMES[:5] == ("9S", "9H", "9C", "9D", "10S")
    assert CARD_NAMES[-3:] == ("2D", "w", "W")


def test_cards_are_read_as_they_are_written() -> None:
    assert format_cards(parse_cards("10H w 2D W 9S")) == "10H w 2D W 9S"
    assert [card_of(name) for name in CARD_NAMES] == list(range(30))
    for name in ("", "8S", "10h", "1S", "WW", "S9", "0", "3H"):
        with pytest.raises(ValueError, match="is not a card"):
            card_of(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9S", "single 9"),
        ("2D", "single 2"),
        ("9S 9H", "pair 9"),
        ("2S 2S", "pair 2"),
        ("KS KH KD", "triple K"),
        ("2S 2H 2D", "triple 2"),
        ("9S 10H JS QS KD", "straight K"),
        ("10S JH QS KS AD", "straight A"),
        ("9S 10S JH QS KS AD", "straight A"),
        ("JS JH QS QD KS KC", "pair_row K"),
        ("JS JH QS QD KS KC AC AC", "pair_row A"),
        ("9S 9S 10S 10S JS JS QS QS KS KS", "pair_row K"),
        ("9S 9S 10S 10S JS JS QS QS KS KS AS AS", "pair_row A"),
        ("9S 9S 9H 10S 10S 10H JS JS JH", "triple_row J"),
        ("9S 9S 9H 10S 10S 10H JS JS JH QS QS QH", "triple_row Q"),
        ("9S 9S 9H 10S 10S 10H JS JS JH QS QS QH KS KS KH", "triple_row K"),
        ("9S 9S 9H 10S 10S 10H JS JS JH QS QS QH KS KS KH AS AS AH", "triple_row A"),
        ("9S 9S 9H 9H", "bomb 9 4★"),
        ("2S 2H 2D 2C 2C", "bomb 2 5★"),
        ("JS JS JH JH JC JC JD", "bomb J 7★"),
        ("9S 9H 9C 9D 10S 10H 10C 10D JS JH JC JD", "bomb_row J 7★"),
    ],
)
def test_each_play_needs_its_cards_and_is_compared_by_its_rank(text: str, expected: str) -> None:
    assert what(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "9S 10S",  # two ranks
        "9S 9H 10S",  # a triple carries nothing and lacks nothing
        "9S 9H 9C 10S 10H",  # 三连二: a triple carries nothing with it
        "9S 10S JS QS",  # four in a row
        "9S 10S JS QS AS",  # a gap
        "9S 9H 10S 10H",  # two pairs in a row
        "9S 9H 10S 10H QS QH",  # pairs with a gap
        "9S 9S 9H 10S 10S 10H",  # two triples in a row
        "9S 9H 9C 9D 10S 10H 10C 10D",  # two bombs in a row
        "9S 9H 9C 9D 10S",  # a bomb carries nothing
        "9S 9H 9C 9D 10S 10H 10C 10D JS JH JC",  # the third bomb has three
        "9S 9H 9C 9D 10S 10H 10C 10D QS QH QC QD",  # bombs with a gap
        "9S w 10S",  # one joker cannot be two cards
        "w 2S AS",
    ],
)
def test_other_cards_are_no_play(text: str) -> None:
    assert what(text) == "not_a_play"


@pytest.mark.parametrize(
    "text",
    [
        "JS QS KS AS 2S",
        "10S JS QS KS AS 2S",
        "KS KH AS AH 2S 2H",
        "QS QH QC KS KH KC AS AH AC 2S 2H 2C",
        "KS KH KC KD AS AH AC AD 2S 2H 2C 2D",
        "2S 9S 10S JS QS",
        "QS KS AS 2S w",
        "KS KH AS AH 2S w",
        "KS KH KC KD AS AH AC AD 2S 2H 2C w",
    ],
)
def test_a_two_never_stands_in_a_row(text: str) -> None:
    assert what(text) == "not_a_play"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10S JS QS KS w", "straight A"),  # not to K with the joker as 9
        ("QS KS AS w W", "straight A"),
        ("KS AS w w W", "straight A"),
        ("JS QS KS AS w w", "straight A"),
        ("QS QH KS AS w w", "pair_row A"),
        ("KS KH AS AH w w", "pair_row A"),
        ("AS AH AC KS KH KC w w W", "triple_row A"),
        ("KS KH KC KD AS AH AC AD w w W W", "bomb_row A 7★"),
    ],
)
def test_jokers_never_stretch_a_row_past_ace(text: str, expected: str) -> None:
    assert what(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2S w", "pair 2"),
        ("9S W", "pair 9"),
        ("2S w W", "triple 2"),
        ("2S 2H W", "triple 2"),
        ("9S 10S JS QS w", "straight K"),
        ("9S JS QS KS w", "straight K"),
        ("9S KS w w W", "straight K"),
        ("9S 10S JS 10H w w", "pair_row J"),
        ("9S 9H 9C 10S 10H JS JH w W", "triple_row J"),
        ("9S 9H 9C w", "bomb 9 4★"),
        ("2S 2H w W", "bomb 2 4★"),
        ("2S w w W", "bomb 2 4★"),
        ("9S 9H 9C 9D 10S 10H 10C 10D JS JH w W", "bomb_row J 7★"),
    ],
)
def test_a_joker_with_other_cards_stands_for_any_card_in_every_kind_of_play(text: str, expected: str) -> None:
    assert what(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("w", "single w"),
        ("W", "single W"),
        ("w w", "pair w"),
        ("w W", "pair W"),
        ("W w", "pair W"),
        ("W W", "pair W"),
        ("w w W", "three_jokers W 6★"),
        ("W w W", "three_jokers W 6★"),
        ("w W w W", "four_jokers W 7★"),
    ],
)
def test_jokers_alone_are_themselves(text: str, expected: str) -> None:
    assert what(text) == expected
    assert len(readings(cards(text))) == 1


def test_joker_bombs_do_not_depend_on_the_order_of_the_cards() -> None:
    assert {what(" ".join(order)) for order in permutations(["w", "w", "W", "W"])} == {"four_jokers W 7★"}
    for three in (("w", "w", "W"), ("w", "W", "W")):
        assert {what(" ".join(order)) for order in permutations(three)} == {"three_jokers W 6★"}


def test_no_play_depends_on_the_order_of_its_cards() -> None:
    random = Random(7)
    for _ in range(300):
        held = naive_cards.some_cards(random)
        assert readings(held) == readings(sorted(held)) == readings(sorted(held, reverse=True))


def test_ten_jack_queen_king_and_a_joker_is_a_straight_to_ace() -> None:
    assert what("10S JS QS KS w") == "straight A"


def test_nine_ten_jack_and_three_jokers_fit_a_straight_to_ace_and_a_pair_row_to_jack() -> None:
    found = readings(cards("9S 10S JS w w W"))
    assert [shown(play) for play in found] == ["straight A", "pair_row J"]


@pytest.mark.parametrize(
    ("text", "named", "expected"),
    [
        ("9S 10S JS w w W", None, "straight A"),
        ("9S 10S JS w w W", "straight", "straight A"),
        ("9S 10S JS w w W", "pair_row", "pair_row J"),
        ("9S w w W W", None, "bomb 9 5★"),
        ("9S w w W W", "straight", "straight K"),
        ("AS w w W W", "straight", "straight A"),
        ("9S 9H w w W W", None, "bomb 9 6★"),
        ("9S 9H w w W W", "pair_row", "pair_row J"),
        ("9S 9H 10S 10H JS JH QS QH w w W W", None, "pair_row A"),
        ("9S 9H 10S 10H JS JH QS QH w w W W", "triple_row", "triple_row Q"),
    ],
)
def test_a_play_may_name_its_kind_else_it_is_a_bomb_straight_pair_row_or_triple_row_in_this_order(
    text: str, named: str | None, expected: str
) -> None:
    assert what(text, named) == expected


def test_a_named_kind_is_meant_strictly() -> None:
    row = "9S 9H 9C 9D 10S 10H 10C 10D JS JH JC JD"
    assert what(row, "bomb_row") == "bomb_row J 7★"
    assert what(row, "bomb") == "not_that_kind"
    assert what("w w W", "bomb") == "not_that_kind"
    assert what("w w W", "triple") == "not_that_kind"
    assert what("w w W W", "three_jokers") == "not_that_kind"
    assert what("w w W W", "four_jokers") == "four_jokers W 7★"
    assert what("9S 9H 9C 9D", "pair") == "not_that_kind"
    assert what("2S w w W W", "straight") == "not_that_kind"


def test_cards_that_are_no_play_are_none_whatever_they_are_called() -> None:
    assert what("9S 10S", "pair") == "not_a_play"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9S 9S 9H 9H 9C 9C 9D 9D w w W W", "bomb 9 12★"),
        ("9S 9S 9H 9H 9C 9C 9D 9D", "bomb 9 8★"),
        # Sizes may differ; the smallest counts.
        ("9S 9H 9C 9D 10S 10H 10C 10D 10D JS JH JC JD JD JC", "bomb_row J 7★"),
        # Jokers raise the smallest bombs: 4 5 6 and one joker is 5 5 6.
        ("9S 9H 9C 9D 10S 10H 10C 10D 10D JS JH JC JD JD JC w", "bomb_row J 8★"),
        # Four jokers are a bomb of a fourth rank, or raise three bombs by one: 8 stars both, and the higher top counts.
        ("9S 9H 9C 9D 10S 10H 10C 10D JS JH JC JD w w W W", "bomb_row Q 8★"),
        ("JS JH JC JD QS QH QC QD KS KH KC KD w w W W", "bomb_row A 8★"),
        ("QS QH QC QD KS KH KC KD AS AH AC AD w w W W", "bomb_row A 8★"),
        # A joker more than a bomb of a fourth rank needs.
        ("9S 9H 9C 9D 10S 10H 10C 10D QS QH QC QD JS w w W", "bomb_row Q 8★"),
        # 5 5 5: a fourth rank would make 4 + 4, six of each make 6 + 3.
        ("9S 9H 9C 9D 9D 10S 10H 10C 10D 10D JS JH JC JD JD w w W W", "bomb_row J 9★"),
    ],
)
def test_the_strongest_reading_of_a_bomb_has_the_most_stars_then_the_highest_top(text: str, expected: str) -> None:
    assert what(text) == expected


@pytest.mark.parametrize(
    ("size", "ranks", "stars"),
    [(4, 3, 7), (4, 4, 8), (4, 5, 9), (4, 6, 10), (5, 3, 8), (5, 4, 9), (5, 5, 10), (6, 3, 9), (6, 4, 10), (7, 3, 10), (8, 3, 11)],
)
def test_a_bomb_row_has_x_plus_y_stars_as_in_the_table_of_the_source(size: int, ranks: int, stars: int) -> None:
    row = [card for rank in range(ranks) for card in [4 * rank + suit for suit in range(4) for _ in range(2)][:size]]
    assert read(row) == Play(PlayKind.BOMB_ROW, ranks - 1, stars, size * ranks)


@pytest.mark.parametrize("size", range(4, 13))
def test_a_bomb_of_x_cards_has_x_stars(size: int) -> None:
    eights = cards("QS QS QH QH QC QC QD QD w w W W")[:size]
    assert read(eights) == Play(PlayKind.BOMB, 3, size, size)


def counted(size: int) -> list[list[int]]:
    """Every hand of `size` cards, suits aside: one card for each choice of ranks and jokers."""
    found = []
    for ranks in combinations_with_replacement([0, 4, 8, 12, 16, 20, 24, 28, 29], size):
        most = Counter(ranks)
        if all(count <= (2 if card >= 28 else 8) for card, count in most.items()):
            found.append(list(ranks))
    return found


@pytest.mark.parametrize("size", range(1, 7))
def test_all_hands_of_up_to_six_cards_are_read_as_by_trying_every_rank_for_every_joker(size: int) -> None:
    for held in counted(size):
        assert [(play.kind, TOP_NAMES[play.top], play.stars) for play in readings(held)] == naive_cards.strongest(held), held


def test_random_cards_are_read_as_by_trying_every_rank_for_every_joker() -> None:
    random = Random(2)
    kinds: Counter[str] = Counter()
    for _ in range(2500):
        held = naive_cards.some_cards(random)
        expected = naive_cards.strongest(held)
        assert [(play.kind, TOP_NAMES[play.top], play.stars) for play in readings(held)] == expected, held
        kinds.update(kind for kind, _, _ in expected)
    assert set(kinds) >= set(PlayKind) - {PlayKind.THREE_JOKERS, PlayKind.FOUR_JOKERS}


def test_random_plays_follow_on_each_other_as_they_do_case_by_case() -> None:
    random = Random(3)
    legal = 0
    for _ in range(2500):
        table, answer = naive_cards.some_cards(random), naive_cards.some_cards(random)
        over = read(table)
        if isinstance(over, Why):
            continue
        on_table = (over.kind.value, TOP_NAMES[over.top], over.stars)
        found = naive_cards.strongest(answer)
        fits = [play for play in found if naive_cards.beats(play, len(answer), on_table, len(table))]
        expected = fits[0] if fits else "does_not_beat" if found else "not_a_play"
        play = read(answer, None, over)
        assert (play if isinstance(play, Why) else (play.kind.value, TOP_NAMES[play.top], play.stars)) == expected, (table, answer)
        legal += bool(fits)
    assert legal > 200
