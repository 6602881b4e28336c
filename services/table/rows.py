"""Journal rows: everything that ever happens to a table, in the one order in which it happened.

Law: the state of a table, its seats' event counters and the items it owes follow from its rows alone (services.table.course).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple

from games.hand import Action, Do


class Kind(StrEnum):
    """What a row records."""

    OPEN = "open"
    """The table: room, rules version, players."""
    COMMIT = "commit"
    """A hand's commitment was published: deal key id, nonce, contribution hashes, the signed statement."""
    REVEAL = "reveal"
    """A player showed the bytes behind their hash."""
    DEAL = "deal"
    """A hand was dealt, with the contributions that were shown in time: rules version, the signed statement."""
    ACT = "act"
    """A seat acted, or the server for it."""
    SEAT = "seat"
    """A seat went on or off 托管, or its player asked to leave."""
    TAKE = "take"
    """Between two hands a player takes a free seat, under a hold of their own."""
    UNFILLED = "unfilled"
    """Nobody took the free seats in time: the table closes."""
    AUTO_DISCARD = "auto_discard"
    """A seat switched 自动摸打 on or off."""
    AUTO_PASS = "auto_pass"  # noqa: S105 - a pass of the game
    """A seat switched on or off that it passes every claim."""
    SETTLED = "settled"
    """An item of the table was applied or refused."""
    CALLED_OFF = "called_off"
    """The hand cannot be played to its end; why is in the row."""


SEAT_ACTED: Final = 0
"""The seat's own answer (a bot's too)."""
TIME_RAN_OUT: Final = 1
"""The seat did not answer in time."""
SERVER_PLAYED: Final = 2
"""There was nothing to choose, the server plays the seat 托管, or a switch of its player answered."""


class Row(NamedTuple):
    """One row. `action_id` is 0 where no client named the action;

    `body` is JSON; `digest` that of the hand after a row that owes something; `at`: when it happened, in milliseconds since 1970 by the
    server's clock (None: under a release that did not note it).
    """

    seq: int
    kind: Kind
    seat: int
    action_id: int
    auto: int
    body: str
    digest: str | None = None
    at: int | None = None


def action_body(action: Action) -> str:
    """Return an action as the body of its row."""
    _seat, do, tile, tiles, kind, _auto = action
    if tiles or kind:
        # Without blanks, as a database gives JSON back.
        return _in_order([do.value, tile, tiles, str(kind)])
    return _tile_body(do, tile)


@lru_cache(maxsize=1024)
def _tile_body(do: Do, tile: int) -> str:
    return f'["{do.value}",{tile}]'


def action_of(row: Row) -> Action:
    """Return the action that a row of kind ACT records."""
    return _action(row.seat, row.auto, row.body)


@lru_cache(maxsize=16_384)
def _action(seat: int, auto: int, text: str) -> Action:
    """Read an action's body. A replay meets the same few again and again."""
    do, tile, *rest = json.loads(text)
    tiles, kind = rest or ((), "")
    return Action(seat, Do(do), tile, tuple(tiles), kind, auto=auto != SEAT_ACTED)


body: Final[Callable[[Mapping[str, Any]], str]] = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
"""Returns the JSON text of any other body. `json.dumps` would make an encoder for each."""
_in_order: Final[Callable[[Sequence[Any]], str]] = json.JSONEncoder(separators=(",", ":")).encode
