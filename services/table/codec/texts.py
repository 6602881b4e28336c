"""What a seat holds at the end, as text, in the notation of its game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from games.crazy_duel.cards import format_cards
from games.crazy_duel.hand import DuelHand
from games.mahjong.machine import MahjongHand
from games.mahjong.tiles import format_tiles

_WRITERS: Final[dict[type, Callable[[Iterable[int]], str]]] = {MahjongHand: format_tiles, DuelHand: format_cards}


def writer(hand: Any) -> Callable[[Iterable[int]], str]:
    """Return the function that writes the tiles or cards of a hand's game."""
    return _WRITERS[type(hand)]
