"""Cards of 疯狂对杀: kinds as small whole numbers, and their notation (docs/rules/README.md).

A card is its kind, 0..29: `9S 9H 9C 9D 10S` … `2D`, then the jokers `w` small 小王 and `W` big 大王. The two copies of a kind are not told
apart.
`card >> 2` is the rank: 0..6 for 9 10 J Q K A 2, 7 for both jokers. Sorted by kind, cards stand in rank order, then suit order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from games.fields import shown

Card: TypeAlias = int
Rank: TypeAlias = int

RANKS: Final = ("9", "10", "J", "Q", "K", "A", "2")
SUITS: Final = "SHCD"
COPIES: Final = 2
SMALL_JOKER: Final = 28
BIG_JOKER: Final = 29
JOKERS: Final = 7
"""The rank of both jokers by `card >> 2`."""
ACE: Final = 5
"""The highest rank that can stand in a row."""
CARD_NAMES: Final = (*(rank + suit for rank in RANKS for suit in SUITS), "w", "W")
KINDS: Final = len(CARD_NAMES)
TOP_NAMES: Final = (*RANKS, "w", "W")
"""What a play is compared by, lowest first: a rank 0..6, then each joker on its own."""
PACK: Final = tuple(range(KINDS)) * COPIES
"""The 60 cards in order, before the shuffle."""
_BY_NAME: Final = {name: card for card, name in enumerate(CARD_NAMES)}


def card_of(name: str) -> Card:
    """Return the card written so. ValueError if there is none."""
    card = _BY_NAME.get(name)
    if card is None:
        raise ValueError(f"{shown(name)} is not a card")
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text with blanks between them, in its order. ValueError if one is none."""
    return tuple(map(card_of, text.split()))


def names_of(cards: Iterable[Card]) -> list[str]:
    """Return the names of cards, in their order."""
    return [CARD_NAMES[card] for card in cards]


def format_cards(cards: Iterable[Card]) -> str:
    """Return cards as a text with blanks between them, in their order."""
    return " ".join(names_of(cards))
