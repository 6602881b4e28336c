"""What one caller of WatchTicket is shown, one state after another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from services.kit.errors import UnauthenticatedError, UnavailableError
from services.matchmaking.seats import Seat, SeatBook
from services.matchmaking.tickets import UNSEATED, Ticket, TicketState
from services.matchmaking.watch import Watch

RETRY_SECONDS: Final = 1.0
REPEAT_SECONDS: Final = 3.0
"""How often the state of a ticket that has no seat yet is shown again: silence would not tell a caller that this process hangs."""


class Follower:
    """Gives the ticket's states to one caller; the seat comes with the state `seated` and again whenever its token or address is new.

    With `over` comes which seat it was, without address and token. `table_of` finds a ticket's table. `until`: when the caller's own
    token ends, in seconds since 1970.
    """

    def __init__(self, watch: Watch, book: SeatBook, table_of: Callable[[Ticket], Awaitable[str]], until: float) -> None:
        self._watch = watch
        self._book = book
        self._table_of = table_of
        self._until = until
        self._shown: tuple[Ticket, Seat | None] | None = None

    async def next(self) -> tuple[Ticket, Seat | None] | None:
        """Wait for something new, or until it is time to show the same again, and return it; None after the ticket's end was shown.

        Raises UnavailableError when this process stops, UnauthenticatedError when the caller's token has ended.
        """
        while self._shown is None or self._shown[0].active:
            if self._watch.closing:
                raise UnavailableError("draining", "this server is stopping; follow the ticket at another")
            left = self._until - time.time()
            if left <= 0:
                raise UnauthenticatedError("expired")
            self._watch.changed.clear()
            pause = await self._look()
            if pause is None:
                return self._shown
            try:
                async with asyncio.timeout(min(pause, left)):
                    await self._watch.changed.wait()
            except TimeoutError:
                if pause < left and self._shown is not None and self._shown[0].state in UNSEATED:
                    return self._shown
        return None

    async def _look(self) -> float | None:
        """Take what is new; else return for how many seconds nothing will be, unless the watch is told."""
        ticket = self._watch.ticket
        seat = None
        if ticket.state == TicketState.SEATED:
            try:
                seat = await self._book.seat(ticket.match, ticket.seat)
            except UnavailableError:
                return RETRY_SECONDS
            if seat is None:
                # Its table is over or called off; the ticket will change.
                return RETRY_SECONDS
        elif ticket.state == TicketState.OVER:
            seat = Seat(await self._table_of(ticket), "", 0, ticket.seat, "", 0.0, 0.0)
        if (ticket, seat) != self._shown:
            self._shown = (ticket, seat)
            return None
        return max(seat.renew_at - time.time(), RETRY_SECONDS) if seat else REPEAT_SECONDS
