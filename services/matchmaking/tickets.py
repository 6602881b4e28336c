"""Tickets and matches as values: what they are, the states they pass through and how long things may take."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class TicketState(StrEnum):
    """Where a ticket stands. The first three are active; a player has one active ticket."""

    WAITING = "waiting"
    SEATING = "seating"
    """In a match; stakes and table are being arranged."""
    SEATED = "seated"
    OVER = "over"
    """The table is closed, or its player has left it."""
    CANCELLED = "cancelled"
    FAILED = "failed"


UNSEATED: Final = (TicketState.WAITING, TicketState.SEATING)
ACTIVE: Final = (*UNSEATED, TicketState.SEATED)


class Why(StrEnum):
    """Why a ticket failed or a match came to nothing. Stable names."""

    NONE = ""
    SHORT = "short"
    """The wallet holds less than the room asks."""
    TOO_RICH = "too_rich"
    """The wallet, with what the others bring, could come to more than an account may hold."""
    FROZEN = "frozen"
    """An operator froze the player."""
    BUSY = "busy"
    """The player stayed at another table for too long."""
    EXPIRED = "expired"
    """Nobody to play with for too long."""
    ROOM_GONE = "room_gone"
    """The room is no longer offered."""
    ROOM_CLOSED = "room_closed"
    """An operator closed the room."""
    RELEASED = "released"
    """The stakes had been given back already."""
    REFUSED = "refused"
    """Settlement did not accept the match."""
    NO_TABLE = "no_table"
    """No table server opened the table in time."""
    CALLED_OFF = "called_off"
    """The table could not bind the stakes."""
    NOT_FREE = "not_free"
    """The free seat was taken by another, or its table has closed."""


class MatchState(StrEnum):
    """Where a match stands in the saga of seating it."""

    HOLDING = "holding"
    """Its stakes are to be held."""
    OPENING = "opening"
    """Its stakes are held; its table is to be opened."""
    SEATED = "seated"
    """Its table was opened; looked at now and then until it is closed."""
    RELEASING = "releasing"
    """It comes to nothing; its stakes are to be given back."""
    BROKEN = "broken"
    OVER = "over"


UNFINISHED: Final = (MatchState.HOLDING, MatchState.OPENING, MatchState.RELEASING)
LIVE: Final = (*UNFINISHED, MatchState.SEATED)


@dataclass(slots=True, frozen=True)
class Ticket:
    """One player's wish to play in a room. Times are seconds since 1970."""

    id: str
    player: str
    room: str
    state: TicketState
    reason: str
    created_at: float
    match: str
    """Empty while it has none."""
    seat: int

    @property
    def active(self) -> bool:
        """Whether it may still change."""
        return self.state in ACTIVE


@dataclass(slots=True, frozen=True)
class Match:
    """A table to be: `id` is also the table's id and the key of every step. Or a player who takes a free seat of a table that is played."""

    id: str
    room: str
    state: MatchState
    reason: str
    created_at: float
    since: float
    """When it took this state."""
    attempts: int
    """How often this state has been worked on."""
    server: str
    """The table server that opened it; empty: none yet."""
    seats: tuple[str | None, ...]
    """The player of each seat; None: a bot, or where a seat is taken at another's table not of this match."""
    joins: str = ""
    """The table at which it takes a seat; empty: one of its own."""

    @property
    def table(self) -> str:
        """Return the id of the table where it is played."""
        return self.joins or self.id


@dataclass(slots=True, frozen=True)
class Limits:
    """How long things may take, in seconds."""

    busy: float = 60.0
    """How long a ticket waits for its player to come free."""
    seating: float = 30.0
    """How long one step of a match is tried before the match is given up."""
    waiting: float = 3600.0
    """How long a ticket waits at all."""


def new_ticket_id() -> str:
    """Return an id nobody can guess."""
    return "t" + secrets.token_hex(16)


def new_match_id(now: float) -> str:
    """Return an id that sorts by time."""
    return f"{int(now * 1000):011x}{secrets.token_hex(6)}"
