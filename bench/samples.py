"""What the rules are measured on: random winning hands, hands of 13, and plays with jokers. The same seed gives the same samples."""

from __future__ import annotations

from random import Random
from typing import Final

from games.crazy_duel.cards import ACE, BIG_JOKER, COPIES, JOKERS, SMALL_JOKER, SUITS, Card
from games.mahjong.tiles import COPIES as TILE_COPIES
from games.mahjong.tiles import KINDS, RANKS

Counts = list[int]
"""Copies of each of the 27 kinds of tiles."""
_FOUR_JOKERS: Final = (SMALL_JOKER, SMALL_JOKER, BIG_JOKER, BIG_JOKER)


def wins(random: Random, number: int) -> list[Counts]:
    """Return winning hands of 14 tiles in two suits, so that they win in every game; one in five in one suit, one in ten seven pairs."""
    found: list[Counts] = []
    while len(found) < number:
        first = random.randrange(3)
        suits = [first] if random.random() < 0.2 else [first, (first + random.choice((1, 2))) % 3]
        counts = _pairs(random, suits) if random.random() < 0.1 else _sets(random, suits)
        if max(counts) <= TILE_COPIES:
            found.append(counts)
    return found


def _sets(random: Random, suits: list[int]) -> Counts:
    counts = [0] * KINDS
    counts[_kind(random, suits, RANKS)] += 2
    for _ in range(4):
        if random.random() < 0.5:
            counts[_kind(random, suits, RANKS)] += 3
        else:
            low = _kind(random, suits, RANKS - 2)
            for kind in range(low, low + 3):
                counts[kind] += 1
    return counts


def _pairs(random: Random, suits: list[int]) -> Counts:
    counts = [0] * KINDS
    for _ in range(7):
        counts[_kind(random, suits, RANKS)] += 2
    return counts


def _kind(random: Random, suits: list[int], ranks: int) -> int:
    return random.choice(suits) * RANKS + random.randrange(ranks)


def without_one(random: Random, hand: Counts) -> Counts:
    """Return a hand of 13 that is one tile short of a win: that one, or now and then another, is taken away."""
    left = hand.copy()
    left[random.choice([kind for kind in range(KINDS) if hand[kind]])] -= 1
    if random.random() < 0.5:
        left[random.choice([kind for kind in range(KINDS) if left[kind]])] -= 1
        left[random.choice([kind for kind in range(KINDS) if left[kind] < TILE_COPIES])] += 1
    return left


def plays_with_jokers(random: Random, number: int) -> list[tuple[Card, ...]]:
    """Return cards with all four jokers: a bomb, a row with gaps, a bomb row short of some cards, or any cards, in equal parts."""
    makers = (_bomb, _row, _bomb_row, _any_cards)
    found = []
    for place in range(number):
        cards = [*makers[place % len(makers)](random), *_FOUR_JOKERS]
        random.shuffle(cards)
        found.append(tuple(cards))
    return found


def _of_rank(random: Random, rank: int, number: int) -> list[Card]:
    return random.sample([rank * len(SUITS) + suit for suit in range(len(SUITS))] * COPIES, number)


def _bomb(random: Random) -> list[Card]:
    return _of_rank(random, random.randrange(JOKERS), random.randint(1, 8))


def _row(random: Random) -> list[Card]:
    width, length = random.choice(((2, 3), (2, 5), (2, 6), (3, 3), (3, 4), (3, 6)))
    low = random.randint(0, ACE + 1 - length)
    cards = [card for rank in range(low, low + length) for card in _of_rank(random, rank, width)]
    return random.sample(cards, len(cards) - len(_FOUR_JOKERS))


def _bomb_row(random: Random) -> list[Card]:
    length = random.choice((3, 4, 5))
    low = random.randint(0, ACE + 1 - length)
    cards = [card for rank in range(low, low + length) for card in _of_rank(random, rank, 4)]
    return random.sample(cards, len(cards) - len(_FOUR_JOKERS))


def _any_cards(random: Random) -> list[Card]:
    return random.sample(list(range(SMALL_JOKER)) * COPIES, random.randint(2, 14))
