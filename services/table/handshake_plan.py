"""What the shuffle's handshake does next: decided from plain values, carried out by services.table.handshake.

A commitment waits for the hashes of players who take part, a deal for the bytes of those whose hashes are in the commitment; both at most
the room's `contribution_seconds`, and longer where clients must first find this server. A further hand at a table begins after the room's
`break_seconds`; before it, free seats are waited for up to `refill_seconds` in all, and coins that are not settled for a bounded time.
"""

from __future__ import annotations

from enum import Enum, auto
from math import inf
from typing import Final, NamedTuple

from services.table.deadlines import BYTES, LATE_BYTES, SHOWN_BYTES
from services.table.phases import Phase

HASHES: Final = "hashes"
COINS: Final = "coins"
FREE_SEATS: Final = "free seats"

LEAST_SECONDS: Final = 2.0
"""Bytes are waited for so long in any room: a player's program takes those for dropped that it sent within a second and does not see."""
_LATE_SECONDS: Final = 0.25
"""A timer later than this tells that the process stood still. What came meanwhile has not been read yet."""
_MORE_SECONDS: Final = 1.0


class Pauses(NamedTuple):
    """How long a room waits at most, in seconds: for `contribution`s, in the `break` between two hands, for free seats, for coins."""

    contribution: float
    between: float
    refill: float
    settle: float


class Stand(NamedTuple):
    """Where a table stands. `free`: it has free seats. `further`: it has played a hand. `missing`: a hash or bytes that are expected."""

    phase: Phase
    free: bool
    further: bool
    missing: bool


class Waited(NamedTuple):
    """What is waited for since when and until when; until when free seats are; until when clients may need to find this server."""

    what: str = ""
    since: float = inf
    until: float = inf
    refill: float = inf
    reconnect: float = -inf


class Wait(NamedTuple):
    """Wait for `what` until then. Never: until the players can know what they are asked for; then until `bytes_until`."""

    what: str
    until: float


class Step(Enum):
    """What is done at once."""

    COMMIT = auto()
    DEAL = auto()
    CLOSE_UNFILLED = auto()
    """Nobody took the free seats."""
    CALL_OFF = auto()
    """The coins were not settled."""
    NOTHING = auto()


Next = Wait | Step


def next_step(stand: Stand, pauses: Pauses, waited: Waited, now: float) -> Next:
    """Return what the handshake does now."""
    if stand.phase is Phase.GATHERING:
        return _gather(stand, pauses, waited, now)
    if stand.phase is Phase.REVEALING:
        if not stand.missing:
            return Step.DEAL
        return Wait(waited.what, waited.until) if waited.what in BYTES else Wait(SHOWN_BYTES, inf)
    if stand.phase is Phase.BREAK:
        return Wait(COINS, _since(COINS, waited, now) + pauses.settle)
    return Step.NOTHING


def _gather(stand: Stand, pauses: Pauses, waited: Waited, now: float) -> Next:
    if stand.free:
        return Wait(FREE_SEATS, waited.refill if waited.refill != inf else now + pauses.refill)
    since = _since(HASHES, waited, now)
    until = since + (pauses.between if stand.further else 0)
    if stand.missing:
        until = max(until, since + pauses.contribution, waited.reconnect)
    return Step.COMMIT if now >= until else Wait(HASHES, until)


def _since(what: str, waited: Waited, now: float) -> float:
    return waited.since if waited.what == what else now


def bytes_until(pauses: Pauses, waited: Waited, now: float) -> float:
    """Return until when bytes are waited for that can be shown from now on."""
    return max(now + max(pauses.contribution, LEAST_SECONDS), waited.reconnect)


def time_is_up(stand: Stand, pauses: Pauses, waited: Waited, now: float, late: float) -> Next:
    """Return what is done without those who did not come. `late`: by so many seconds it is told of."""
    if stand.phase is Phase.BREAK:
        return Step.CALL_OFF
    if stand.phase is Phase.GATHERING:
        return Step.CLOSE_UNFILLED if stand.free else _gather(stand, pauses, waited, now)
    if stand.phase is Phase.REVEALING:
        return Wait(LATE_BYTES, now + _MORE_SECONDS) if late > _LATE_SECONDS and waited.what == SHOWN_BYTES else Step.DEAL
    return Step.NOTHING
