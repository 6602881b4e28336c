"""What a player has passed up 过手 and what they bound themselves to, by seat, in `hand.own` (docs/rules/kaxinwu.md).

Law: a passed win or pung is forgotten at its player's own next draw, pung or kong; a kong given up for a pung never is.
"""

from __future__ import annotations

from typing import Any

from games.mahjong.tiles import Tile


def memory(players: int) -> dict[str, Any]:
    """Return that nobody has passed anything.

    `wins`: pairs of a tile and the fan its win would have had; `pungs`, `no_added`: masks of kinds.
    """
    return {"wins": [[] for _ in range(players)], "pungs": [0] * players, "no_added": [0] * players}


def forget(own: Any, who: int) -> None:
    """Let a seat start anew, having drawn, punged or konged."""
    own["wins"][who].clear()
    own["pungs"][who] = 0


def pass_win(own: Any, who: int, tile: Tile, fan: int) -> None:
    """过手胡: the seat has passed a win of this worth on a discard. What it passed on the same kind before was worth less."""
    own["wins"][who] = [passed for passed in own["wins"][who] if passed[0] != tile] + [[tile, fan]]


def passed_fan(own: Any, who: int, tile: Tile) -> int:
    """Return the fan of the win that the seat has passed on this kind, 0 if none: no win is worth so little."""
    return next((fan for passed, fan in own["wins"][who] if passed == tile), 0)


def pass_pung(own: Any, who: int, tile: Tile) -> None:
    """过手碰: the seat has passed a pung of this kind."""
    own["pungs"][who] |= 1 << tile


def has_passed_pung(own: Any, who: int, tile: Tile) -> bool:
    """Whether the seat has passed a pung of this kind."""
    return bool(own["pungs"][who] >> tile & 1)


def give_up_kong(own: Any, who: int, tile: Tile) -> None:
    """The seat had three of a kind and punged instead of making a kong."""
    own["no_added"][who] |= 1 << tile


def kongs_given_up(own: Any, who: int) -> int:
    """Return the mask of the kinds whose pungs the seat may never add the fourth tile to."""
    mask: int = own["no_added"][who]
    return mask
