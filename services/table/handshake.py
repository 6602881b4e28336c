"""The shuffle's handshake: gather the seats, publish the commitment, wait for the players' bytes, deal (docs/rules/README.md).

Both waits are bounded by the room's `contribution_seconds`; without a hash there is nothing to be shown and no second wait. A further hand
at a table begins after the room's `break_seconds`, whoever is there; before it, free seats are waited for up to `refill_seconds` in all,
and who has just taken one has `contribution_seconds` to come.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from services.table import play, shuffle
from services.table.phases import Phase
from services.table.rows import Kind, body

if TYPE_CHECKING:
    from services.table.seats import Seat
    from services.table.table import Table


def go_on(table: Table) -> None:
    """Do the next step of the handshake if nothing is waited for any more."""
    phase = table.course.phase
    if phase is Phase.GATHERING and table.course.finished:
        _gather_again(table)
    elif phase is Phase.GATHERING:
        if all(seat.player is None or seat.attached_once for seat in table.seats):
            _commit(table)
        else:
            _wait(table, "players", table.course.room.contribution_seconds)
    elif phase is Phase.REVEALING:
        if table.course.awaited():
            _wait(table, "bytes", table.course.room.contribution_seconds)
        else:
            _deal(table)
    elif phase is Phase.BREAK:
        _wait(table, "coins", table.hall.break_seconds)


def _gather_again(table: Table) -> None:
    course, room = table.course, table.course.room
    if course.free:
        now = table.hall.now()
        if table.refill_until == inf:
            table.refill_until = now + room.refill_seconds
        _wait(table, "free seats", table.refill_until - now)
    elif any(course.newcomers >> seat.no & 1 and not seat.attached_once for seat in table.seats):
        _wait(table, "newcomers", max(room.break_seconds, room.contribution_seconds))
    else:
        _wait(table, "break", room.break_seconds)


def time_is_up(table: Table) -> None:
    """Go on without those who did not come, or close a table whose coins do not settle."""
    phase = table.course.phase
    if phase is Phase.GATHERING and table.course.free:
        table.log(Kind.UNFILLED, -1, body({}), table.course.unfilled())
        table.catch_up()
    elif phase is Phase.GATHERING:
        _commit(table)
    elif phase is Phase.REVEALING:
        _deal(table)
    elif phase is Phase.BREAK:
        table.call_off("unsettled")


def reveal(table: Table, seat: Seat, contribution: bytes) -> bool:
    """Take a player's bytes; False if they are not wanted or not those that he committed to."""
    course = table.course
    if course.phase is not Phase.REVEALING or course.committed is None or seat.no not in course.awaited():
        return False
    if not shuffle.fits(contribution, course.committed.hashes[seat.no]):
        return False
    table.log(Kind.REVEAL, seat.no, body({"bytes": contribution.hex()}), course.reveal(seat.no, contribution))
    go_on(table)
    return True


def _wait(table: Table, what: str, seconds: float) -> None:
    """Wait for something for so long since it was first waited for."""
    if table.waits_for != what:
        table.waits_for, table.phase_until = what, inf
    table.phase_until = min(table.phase_until, table.hall.now() + seconds)


def _commit(table: Table) -> None:
    course = table.course
    hashes = tuple(seat.hash for seat in table.seats)
    key_id, _ = table.hall.deal_keys.signing()
    nonce = shuffle.new_nonce()
    seed = shuffle.seed(table.hall.deal_keys, key_id, table.id, course.hand_no + 1, nonce)
    assert seed is not None, "the key that signs is in its ring"
    told = course.commit(seed, hashes)
    for seat in table.seats:
        seat.hash = b""
    table.refill_until = inf
    text = body({"hand": course.hand_no, "key": key_id, "nonce": nonce, "hashes": [given.hex() for given in hashes]})
    table.log(Kind.COMMIT, -1, text, told)
    table.phase_until = inf
    go_on(table)


def _deal(table: Table) -> None:
    course = table.course
    told = course.deal()
    table.phase_until = inf
    table.log(Kind.DEAL, -1, body({"rules": course.rules.version}), told)
    play.at_once(table)
