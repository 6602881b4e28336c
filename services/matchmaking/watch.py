"""Who follows which ticket, and what they are told when it changes.

A watch holds only the latest state of its ticket, never a queue of them, so a slow reader costs nothing. What this process changes is told
at once; what other replicas change is seen by reading the watched tickets now and then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

from services.kit import logs
from services.kit.database import Database
from services.kit.errors import ExhaustedError
from services.matchmaking import store
from services.matchmaking.metrics import Metrics
from services.matchmaking.tickets import Ticket, TicketState

log = logs.get(__name__)

_READ_AT_ONCE: Final = 500
_WATCHES_A_TICKET: Final = 16
"""Followers of one ticket at a time: its player must not take everybody's place."""


class Watch:
    """One follower of a ticket."""

    __slots__ = ("changed", "closing", "posted", "ticket")

    def __init__(self, ticket: Ticket) -> None:
        self.ticket = ticket
        self.changed = asyncio.Event()
        self.changed.set()
        self.posted = 0
        self.closing = False

    def put(self, ticket: Ticket) -> None:
        """Show another state."""
        if ticket != self.ticket and self.ticket.active:
            self.ticket = ticket
            self.changed.set()


class Board:
    """All watches of this process, at most `limit`."""

    def __init__(self, metrics: Metrics, limit: int) -> None:
        self._metrics = metrics
        self._limit = limit
        self._watches: dict[str, set[Watch]] = {}
        self._of_match: dict[str, set[Watch]] = {}
        """Those whose ticket has a match."""
        self._count = 0
        self._posts = 0
        self._closing = False

    def follow(self, ticket: Ticket) -> Watch:
        """Begin to follow a ticket. Raises ExhaustedError at the limit of all, or of one ticket."""
        if self._count >= self._limit:
            raise ExhaustedError("too_many_watchers", f"no more than {self._limit} tickets are followed here at a time")
        if len(self._watches.get(ticket.id, ())) >= _WATCHES_A_TICKET:
            raise ExhaustedError("too_many_watches", f"ticket_id: it is followed {_WATCHES_A_TICKET} times already")
        watch = Watch(ticket)
        watch.closing = self._closing
        self._watches.setdefault(ticket.id, set()).add(watch)
        self._enter(watch)
        self._count += 1
        self._metrics.watchers.set(self._count)
        return watch

    def leave(self, watch: Watch) -> None:
        """Follow no longer."""
        _take_out(self._watches, watch.ticket.id, watch)
        self._take_out_of_match(watch)
        self._count -= 1
        self._metrics.watchers.set(self._count)

    def post(self, tickets: Iterable[Ticket]) -> None:
        """Tell what this process has changed."""
        self._posts += 1
        for ticket in tickets:
            if not ticket.active:
                self._metrics.ticket_ended(ticket)
                log.info("ticket_ended", player=ticket.player, ticket=ticket.id, state=ticket.state, reason=ticket.reason)
            for watch in self._watches.get(ticket.id, ()):
                watch.posted = self._posts
                self._show(watch, ticket)

    def poke(self, match_id: str) -> None:
        """Tell the followers of a match's tickets to look at their seat again."""
        for watch in self._of_match.get(match_id, ()):
            watch.changed.set()

    def follows(self, match_id: str) -> bool:
        """Return whether anybody follows a ticket of this match."""
        return match_id in self._of_match

    async def refresh(self, database: Database, states: Collection[TicketState]) -> None:
        """Read the watched tickets that are in one of these states, for what other replicas changed."""
        begun = self._posts
        followed = iter([key for key, watches in self._watches.items() if any(watch.ticket.state in states for watch in watches)])
        while ids := list(islice(followed, _READ_AT_ONCE)):
            for ticket in await database.run(store.read, ids):
                for watch in self._watches.get(ticket.id, ()):
                    # What was posted while we read may be newer than what we read.
                    if watch.posted <= begun:
                        self._show(watch, ticket)

    def close(self) -> None:
        """End all watches: their followers come back to another replica."""
        self._closing = True
        for watches in self._watches.values():
            for watch in watches:
                watch.closing = True
                watch.changed.set()

    def _show(self, watch: Watch, ticket: Ticket) -> None:
        if ticket.match == watch.ticket.match:
            watch.put(ticket)
            return
        self._take_out_of_match(watch)
        watch.put(ticket)
        self._enter(watch)

    def _enter(self, watch: Watch) -> None:
        if watch.ticket.match:
            self._of_match.setdefault(watch.ticket.match, set()).add(watch)

    def _take_out_of_match(self, watch: Watch) -> None:
        if watch.ticket.match:
            _take_out(self._of_match, watch.ticket.match, watch)


def _take_out(watches: dict[str, set[Watch]], key: str, watch: Watch) -> None:
    watches[key].discard(watch)
    if not watches[key]:
        del watches[key]
