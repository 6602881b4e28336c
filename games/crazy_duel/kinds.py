"""The kinds of plays of 疯狂对杀, and a play as it was read."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from games.crazy_duel.cards import Card, Rank


class PlayKind(StrEnum):
    """What a play is. A triple carries nothing with it."""

    SINGLE = "single"
    PAIR = "pair"
    TRIPLE = "triple"
    """三同张"""
    STRAIGHT = "straight"
    """顺子"""
    PAIR_ROW = "pair_row"
    """连对"""
    TRIPLE_ROW = "triple_row"
    """连三同张"""
    BOMB = "bomb"
    """炸弹"""
    BOMB_ROW = "bomb_row"
    """连炸"""
    THREE_JOKERS = "three_jokers"
    """三王炸弹"""
    FOUR_JOKERS = "four_jokers"
    """天王炸弹"""


class Play(NamedTuple):
    """One reading of some cards. `top`: what it is compared by (`TOP_NAMES`); `stars` 星 of a bomb, else 0; `size`: how many cards."""

    kind: PlayKind
    top: Rank
    stars: int
    size: int


class Laid(NamedTuple):
    """A play on the table: who laid which cards, and as what."""

    seat: int
    cards: tuple[Card, ...]
    play: Play
