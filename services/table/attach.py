"""Opening a seat on a stream, and bringing a client up to date."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from services.kit import seat_tokens
from services.kit.errors import UnauthenticatedError
from services.table import handshake, play, shuffle, trail
from services.table.codec import common, registry, wire
from services.table.notices import send_on, turn_away
from services.table.phases import Phase
from services.table.seats import MAX_WAITING, Attachment, Wanted, ask
from services.table.table import Table, table_of
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from services.kit.seat_tokens import SeatPass
    from services.table.course import Course
    from services.table.hall import Hall
    from services.table.mailbox import Departure
    from services.table.seats import Seat
    from services.table.standing import Standing
    from services.table.streams import Stream

_BAD_TOKEN_SECONDS: Final = 0.002
_VIEW_SECONDS: Final = 0.2
_VIEW_AGAIN_SECONDS: Final = 0.005
"""Views of a seat closer together than that are not needed: its stream is read so much later for each."""


def attach(hall: Hall, stream: Stream, ref: int, request: Any, received: float, *, confirmed: bool = False) -> None:
    """Open the seat of the request's token under the client's name `ref`. One that is refused leaves a seat of that name as it is.

    `confirmed`: the table's row has just said that it is played here.
    """
    try:
        held = seat_tokens.read(hall.seat_keys, request.token)
    except UnauthenticatedError as error:
        stream.slow(_BAD_TOKEN_SECONDS, wire.varint(ref))
        if error.reason != "expired":
            stream.offend(received)
        turn_away(stream, ref, error.reason, "UNAUTHENTICATED")
        return
    if ref not in stream.attachments and len(stream.attachments) >= hall.limits.seats:
        turn_away(stream, ref, "too_many_seats")
        return
    table = hall.find(held.table)
    if table is None or (request.epoch > table.epoch and not confirmed):
        # What the client has heard of a later owner may be true.
        hall.elsewhere(held, stream, ref, request, received)
        return
    if not 0 <= held.seat < len(table.seats) or table.seats[held.seat].player != held.player:
        gone = (held.seat, held.player) in table.course.former
        turn_away(stream, ref, *(("left",) if gone else ("foreign_seat", "PERMISSION_DENIED")))
        return
    seat = table.seats[held.seat]
    if table.shut and seat.waiting >= MAX_WAITING:
        turn_away(stream, ref, "unavailable")
        return
    attachment = ask(stream, ref, seat)
    seat.waiting += 1
    try:
        table.send(
            partial(_open, hall, attachment, held, request.last_number, request.contribution_hash),
            partial(_not_opened, hall, attachment),
        )
    except Exception as error:  # noqa: BLE001 - a fault of ours at one table must not end the stream of thousands
        hall.failed(table, error)


def _not_opened(hall: Hall, attachment: Attachment, departure: Departure) -> None:
    """Say that the table has gone before the seat could be opened."""
    attachment.seat.waiting -= 1
    if not attachment.is_named:
        return
    attachment.end()
    if departure.address:
        others = hall.directory.addresses(departure.address)
        send_on(attachment.stream, attachment.ref, departure.address, departure.epoch, others)
    else:
        turn_away(attachment.stream, attachment.ref, departure.reason)


def _open(hall: Hall, attachment: Attachment, held: SeatPass, last_number: int, hashed: bytes) -> None:
    """Do what `attach` asked for, in its turn."""
    seat = attachment.seat
    seat.waiting -= 1
    if not attachment.is_named:
        return
    table = table_of(seat)
    if seat.no in table.course.left or table.seats[seat.no] is not seat:
        if seat.attachment is not None and seat.attachment is not attachment:
            seat.detach("attached_elsewhere")
        attachment.end()
        turn_away(attachment.stream, attachment.ref, "left")
        return
    attachment.open(hall.on_loop_clock(held.expires_at))
    trail.attached(table, seat)
    table.deadlines.tokens = min(table.deadlines.tokens, attachment.expires)
    handshake.contribute(table, seat, hashed if shuffle.is_hash(hashed) else b"", declines=False)
    handshake.go_on(table)
    bring_up_to_date(attachment, last_number, welcome=True)
    table.rest()


def bring_up_to_date(attachment: Attachment, last_number: int, *, welcome: bool = False) -> None:
    """Show a seat what it asks for as soon as everything before it is shown. However often it asks until then, it is shown once."""
    seat = attachment.seat
    before = seat.wanted
    if before is not None and before.attachment is attachment:
        last_number, welcome = min(last_number, before.last_number), welcome or before.welcome
    seat.wanted = Wanted(attachment, last_number, welcome)
    if before is None:
        table_of(seat).when_shown(lambda: _show_wanted(seat))
    else:
        attachment.stream.slow(_VIEW_AGAIN_SECONDS, attachment.name)


def _show_wanted(seat: Seat) -> None:
    wanted, seat.wanted = seat.wanted, None
    assert wanted is not None, "it is wanted until it is shown"
    if wanted.attachment.is_open:
        if wanted.welcome:
            _welcome(wanted.attachment)
        _show(wanted.attachment, wanted.last_number)


def _welcome(attachment: Attachment) -> None:
    seat = attachment.seat
    table = table_of(seat)
    course = table.course
    message = pb.Attached(
        table_id=table.id,
        seat=seat.no,
        room_id=course.room.room_id,
        seats=assignments(course),
        on_auto=seat.no in course.on_auto,
        auto_discard=seat.no in course.auto_discard,
        auto_pass=seat.no in course.auto_pass,
        contribution_hash=seat.hash,
        epoch=table.epoch,
        addresses=table.host.addresses(),
        longest_window_ms=table.longest_window_ms,
    )
    attachment.stream.put(wire.event(attachment.name, b"", pb.Event(attached=message).SerializeToString()))


def assignments(course: Course | Standing) -> list[pb.SeatAssignment]:
    """Return who sits where; nobody in a free seat."""
    return [
        pb.SeatAssignment() if seat in course.free else pb.SeatAssignment(player_id=player or "", bot=player is None)
        for seat, player in enumerate(course.players)
    ]


def _show(attachment: Attachment, last_number: int) -> None:
    """Send the events after the last that the seat saw while they are kept, else a full view."""
    seat, stream, name = attachment.seat, attachment.stream, attachment.name
    table = table_of(seat)
    now = table.host.now()
    if now - seat.view_at < _VIEW_SECONDS:
        stream.slow(_VIEW_AGAIN_SECONDS, name)
    seat.view_at = now
    # First, so that a seat whose view does not fit is told to resync like any other.
    attachment.hear(live=True)
    missed = table.outlet.since(seat.no, last_number)
    if missed is None:
        view = pb.Event(view=view_of(table, seat.no)).SerializeToString()
        stream.put(wire.event(name, b"", view))
    elif missed:
        stream.put_all([wire.event(name, wire.varint(number), what) for number, what in missed])


def view_of(table: Table, no: int | None) -> pb.View:
    """Return all that a seat, or everybody (None), may know of a table."""
    course, outlet = table.course, table.outlet
    hand = course.hand
    # Who has not been dealt a hand here may know of the last one what everybody may, and not what that seat's former player knew.
    eyes = None if no is not None and no in course.newcomers else no
    # Until the next hand is dealt, the last one is on the table.
    number = course.hand_no - (course.phase is Phase.REVEALING)
    view = pb.View() if hand is None else registry.hand_view(hand.view(eyes), number)
    view.number = outlet.counts[no if no is not None else -1]
    view.state = common.STATES[course.phase]
    view.money.extend(course.money)
    view.on_auto.extend(seat in course.on_auto for seat in range(len(course.players)))
    if course.room.refill_seconds:
        view.seats.extend(assignments(course))
    if course.committed is not None:
        view.committed.CopyFrom(common.committed(course.committed))
    if course.dealt is not None:
        view.deal_signed.CopyFrom(common.deal_signed(course.dealt))
    if course.ended is not None:
        view.over.CopyFrom(common.ended(course.ended))
    if no is not None:
        view.auto_discard = no in course.auto_discard
        view.auto_pass = no in course.auto_pass
    if no is not None and hand is not None and (offer := hand.offers[no]) is not None and play.is_asked(table, no):
        left = outlet.time_left_ms(no, table.host.now())
        view.offer.CopyFrom(registry.offer_message(outlet.shown_decisions[no], offer, left))
    return view
