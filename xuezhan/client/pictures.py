"""Which picture a room's tables need."""

from __future__ import annotations

from typing import Final

from xuezhan.client.card_model import CardTableModel
from xuezhan.client.model import TableModel

Picture = TableModel | CardTableModel
_OF_GAME: Final = {"crazy_duel": CardTableModel}


def table_model(room_id: str, players: int, me: int | None = None) -> Picture:
    """Return an empty picture of a table in a room ("game/room"), seen by seat `me` or, with None, by a watcher."""
    return _OF_GAME.get(room_id.partition("/")[0], TableModel)(players, me)
