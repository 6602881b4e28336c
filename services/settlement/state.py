"""What settlement knows of a table: its terms, its seats and how far its items are settled."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from games.hand import Policy
from services.kit.items import Body


class TableState(StrEnum):
    """new -> held -> open -> closed; new or held -> void; held -> joined for the stake of one who joins another table."""

    NEW = "new"
    """An item came, or a release, before any stake was held."""
    HELD = "held"
    OPEN = "open"
    CLOSED = "closed"
    VOID = "void"
    JOINED = "joined"


class HoldState(StrEnum):
    """held -> bound or void, once; bound -> left or closed, once; left -> closed, with its table."""

    HELD = "held"
    BOUND = "bound"
    LEFT = "left"
    CLOSED = "closed"
    VOID = "void"


OCCUPYING = (HoldState.HELD, HoldState.BOUND)
"""A player with a hold in one of these sits, or is about to; they have at most one."""


class Item(NamedTuple):
    """One item of a table."""

    table: str
    seq: int
    body: Body


class Terms(NamedTuple):
    """A room's money as it was when the stakes were held: later changes of the room do not touch tables that are being played."""

    room_id: str
    game: str
    policy: Policy
    base: int
    entry: int
    needed: int
    """The least a wallet must hold."""
    lock: int | None
    """None: all the wallet holds."""
    rated: bool


@dataclass(slots=True)
class Hold:
    """One stake: of a player, or of a bot (`player` None). `account` is its escrow."""

    match: str
    seat: int
    table: str
    player: str | None
    account: str
    state: HoldState
    stake: int
    """Coins moved in, top-ups included."""
    returned: int = 0
    """Coins moved back so far."""
    pooled: int = 0
    """Coins that the seat paid into the pool when it left, until the hand ends."""
    since: int = 0
    """The item that seated it; 0: there from the start. The current holder of a seat is the latest."""
    kept: tuple[object, ...] | None = None
    """Its row as the database has it; None: not there yet."""


@dataclass(slots=True)
class Table:
    """One table's head. `head` is the last item settled; `terms` are None while nothing was ever held for it."""

    id: str
    state: TableState
    head: int = 0
    terms: Terms | None = None
    stuck: str = ""
    """Why an operator must look; empty: not stuck."""
    seats: dict[int, Hold] = field(default_factory=dict)
    """Who holds each seat now; a seat whose player left has its last holder."""
    gone: list[Hold] = field(default_factory=list)
    """Earlier holders of seats that others took over."""
