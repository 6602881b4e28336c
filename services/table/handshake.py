"""The shuffle's handshake: gather hashes, publish the commitment, wait for the players' bytes, deal (docs/rules/deal.md).

What is done when is decided in services.table.handshake_plan. Whoever does not answer, or withholds the bytes, is not waited for again
until they contribute.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from services.table import handshake_plan, play, shuffle, statements
from services.table.deadlines import SHOWN_BYTES
from services.table.handshake_plan import FREE_SEATS, Next, Pauses, Stand, Step, Wait, Waited
from services.table.phases import Phase
from services.table.rows import Kind, body

if TYPE_CHECKING:
    from services.table.core import TableCore
    from services.table.seats import Seat


def go_on(table: TableCore) -> None:
    """Do the next step of the handshake if nothing is waited for any more."""
    if table.course.phase is not Phase.PLAYING:
        carry_out(table, handshake_plan.next_step(_stand(table), _pauses(table), _waited(table), table.host.now()))


def time_is_up(table: TableCore, late: float) -> Next:
    """Return what is done without those who did not come. `late`: by so many seconds it is told of."""
    return handshake_plan.time_is_up(_stand(table), _pauses(table), _waited(table), table.host.now(), late)


def carry_out(table: TableCore, step: Next) -> None:
    """Carry out what a table does while it goes on."""
    if isinstance(step, Wait):
        _wait(table, step)
    elif step is Step.COMMIT:
        _commit(table)
    elif step is Step.DEAL:
        _deal(table)


def _stand(table: TableCore) -> Stand:
    course = table.course
    gathering = course.phase is Phase.GATHERING
    missing = any(seat.expected and not seat.hash for seat in table.seats) if gathering else bool(course.awaited())
    return Stand(course.phase, bool(course.free), bool(course.finished), missing)


def _pauses(table: TableCore) -> Pauses:
    room = table.course.room
    return Pauses(room.contribution_seconds, room.break_seconds, room.refill_seconds, table.host.settle_seconds)


def _waited(table: TableCore) -> Waited:
    at = table.deadlines
    return Waited(at.waits_for, at.waits_since, at.phase, at.refill, at.reconnect)


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


def _wait(table: TableCore, step: Wait) -> None:
    deadlines = table.deadlines
    begins = deadlines.wait_for(step.what, table.host.now(), step.until)
    if step.what == FREE_SEATS:
        deadlines.refill = step.until
    elif step.what == SHOWN_BYTES and begins:
        # The players can show them from when they can know of the commitment.
        table.when_shown(lambda: _count_down(table))


def _count_down(table: TableCore) -> None:
    if table.deadlines.waits_for == SHOWN_BYTES:
        table.deadlines.phase = handshake_plan.bytes_until(_pauses(table), _waited(table), table.host.now())
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
    table.deadlines.go_without()
    table.log(Kind.DEAL, -1, body({"rules": course.rules.version, **(signed.in_row() if signed is not None else {})}), told, at=at)
    play.at_once(table)
