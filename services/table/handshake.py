"""The shuffle's handshake: gather hashes, publish the commitment, wait for the players' bytes, deal (docs/rules/deal.md).

A commitment waits for the hashes of players who take part, a deal for the bytes of those whose hashes are in the commitment; both at most
the room's `contribution_seconds`, and longer where clients must first find this server. Whoever does not answer, or withholds the bytes, is
not waited for again until they contribute. A further hand at a table begins after the room's `break_seconds`; before it, free seats are
waited for up to `refill_seconds` in all.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from services.table import play, shuffle, statements
from services.table.deadlines import BYTES
from services.table.phases import Phase
from services.table.rows import Kind, body

if TYPE_CHECKING:
    from services.table.core import TableCore
    from services.table.seats import Seat

LEAST_SECONDS: Final = 2.0
"""Bytes are waited for so long in any room: a player's program takes those for dropped that it sent within a second and does not see."""
_LATE_SECONDS: Final = 0.25
"""A timer later than this tells that the process stood still. What came meanwhile has not been read yet."""
_MORE_SECONDS: Final = 1.0


def go_on(table: TableCore) -> None:
    """Do the next step of the handshake if nothing is waited for any more."""
    phase = table.course.phase
    if phase is Phase.GATHERING:
        _gather(table)
    elif phase is Phase.REVEALING:
        if table.course.awaited():
            _await_bytes(table)
        else:
            _deal(table)
    elif phase is Phase.BREAK:
        _wait(table, "coins", table.host.settle_seconds)


def _gather(table: TableCore) -> None:
    course, room, deadlines, now = table.course, table.course.room, table.deadlines, table.host.now()
    if course.free:
        if deadlines.refill == inf:
            deadlines.refill = now + room.refill_seconds
        _wait(table, "free seats", deadlines.refill - now)
        return
    deadlines.wait_for("hashes", table.host.now())
    soonest = deadlines.waits_since + (room.break_seconds if course.finished else 0)
    answered = not any(seat.expected and not seat.hash for seat in table.seats)
    until = soonest if answered else max(soonest, deadlines.waits_since + room.contribution_seconds, deadlines.reconnect)
    if now >= until:
        _commit(table)
    else:
        deadlines.phase = until


def time_is_up(table: TableCore, late: float) -> None:
    """Go on without the hashes or bytes of those who did not come. `late`: by so many seconds it is told of."""
    phase = table.course.phase
    if phase is Phase.GATHERING:
        _gather(table)
    elif phase is Phase.REVEALING:
        if late > _LATE_SECONDS and table.deadlines.waits_for == "bytes":
            _wait(table, "late bytes", _MORE_SECONDS)
        else:
            _deal(table)


def contribute(table: TableCore, seat: Seat, given: bytes, *, declines: bool) -> bytes:
    """Take a player's hash for the next shuffle and return what the seat has then. An empty one takes it back if it `declines`.

    A hash that stood in the seat's last commitment is used up: its bytes may be known to all.
    """
    committed = table.course.committed
    if not given and (declines or not seat.hash):
        seat.hash, seat.expected = b"", False
    elif given and (committed is None or given != committed.hashes[seat.no]):
        seat.hash, seat.expected = given, True
    return seat.hash


def reveal(table: TableCore, seat: Seat, contribution: bytes) -> bool:
    """Take a player's bytes; False if they are not wanted or not those that the player committed to."""
    course = table.course
    if course.phase is not Phase.REVEALING or course.committed is None or seat.no not in course.awaited():
        return False
    if not shuffle.fits(contribution, course.committed.hashes[seat.no]):
        return False
    table.log(Kind.REVEAL, seat.no, body({"bytes": contribution.hex()}), course.reveal(seat.no, contribution))
    go_on(table)
    return True


def _wait(table: TableCore, what: str, seconds: float) -> None:
    """Wait for something for so long since it was first waited for."""
    table.deadlines.wait_for(what, table.host.now())
    table.deadlines.at_most(seconds, table.host.now())


def _await_bytes(table: TableCore) -> None:
    """Wait for the players' bytes, from when they can know of the commitment."""
    if table.deadlines.waits_for not in BYTES:
        table.deadlines.wait_for("bytes", table.host.now())
        table.when_shown(lambda: _count_down(table))


def _count_down(table: TableCore) -> None:
    if table.deadlines.waits_for == "bytes":
        seconds = max(table.course.room.contribution_seconds, LEAST_SECONDS)
        table.deadlines.phase = max(table.host.now() + seconds, table.deadlines.reconnect)
        table.rest()


def _commit(table: TableCore) -> None:
    course, host = table.course, table.host
    hashes = tuple(seat.hash for seat in table.seats)
    key_id, _ = host.deal_keys.signing()
    nonce, at = shuffle.new_nonce(), host.unix_ms()
    seed = shuffle.seed(host.deal_keys, key_id, table.id, course.hand_no + 1, nonce)
    assert seed is not None, "the key that signs is in its ring"
    signed = statements.commit(host.signer, course, seed, hashes, at)
    told = course.commit(seed, hashes, signed)
    for seat in table.seats:
        seat.expected, seat.hash = bool(seat.hash), b""
    table.deadlines.refill = inf
    row = {"hand": course.hand_no, "key": key_id, "nonce": nonce, "hashes": [given.hex() for given in hashes], **signed.in_row()}
    table.log(Kind.COMMIT, -1, body(row), told, at=at)
    table.deadlines.phase = inf
    go_on(table)


def _deal(table: TableCore) -> None:
    course, at = table.course, table.host.unix_ms()
    signed = statements.deal(table.host.signer, course)
    told = course.deal(signed, at)
    for seat in course.withheld:
        table.seats[seat].expected = False
    table.deadlines.waits_for, table.deadlines.phase = "", inf
    table.log(Kind.DEAL, -1, body({"rules": course.rules.version, **(signed.in_row() if signed is not None else {})}), told, at=at)
    play.at_once(table)
