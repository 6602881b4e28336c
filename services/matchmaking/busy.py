"""Tickets whose players were busy when they were to be matched: settlement is asked now and then whether a player is free.

Law: a ticket ends as `busy` only when settlement says that its player is busy. Where settlement does not answer, nobody knows.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Final

from services.kit import logs
from services.kit.errors import ServiceError, UnavailableError
from services.matchmaking import store
from services.matchmaking.seating import Parts
from services.matchmaking.tickets import Ticket

log = logs.get(__name__)

_ASKED_AT_ONCE: Final = 8


class BusyPlayers:
    """Looks at the tickets of busy players. `freed` is called when some of them can be matched."""

    def __init__(self, parts: Parts, freed: Callable[[], None]) -> None:
        self._parts = parts
        self._freed = freed

    async def look(self, late: float = 0.0) -> None:
        """Look at tickets that were due `late` seconds ago. Raises UnavailableError from the database only."""
        parts = self._parts
        tickets = await parts.database.run(store.claim_busy, parts.clock(), late)
        is_busy = await self._ask(tickets)
        if not is_busy:
            return
        free, busy = ([ticket_id for ticket_id, answer in is_busy.items() if answer is wanted] for wanted in (False, True))
        parts.board.post(await parts.database.run(store.settle_busy, free, busy, parts.clock(), parts.limits))
        if free:
            self._freed()

    async def _ask(self, tickets: list[Ticket]) -> dict[str, bool]:
        """Return of which tickets the players are busy and of which they are free: those that settlement answers for.

        The others are due again soon.
        """
        known: dict[str, bool] = {}
        # Not always the same first: one that settlement does not answer for must not keep the others waiting.
        random.shuffle(tickets)
        for start in range(0, len(tickets), _ASKED_AT_ONCE):
            asked = tickets[start : start + _ASKED_AT_ONCE]
            answers = await asyncio.gather(*(self._parts.settlement.balance(ticket.player) for ticket in asked), return_exceptions=True)
            for ticket, answer in zip(asked, answers, strict=True):
                if not isinstance(answer, BaseException):
                    known[ticket.id] = bool(answer.match)
                elif not isinstance(answer, ServiceError):
                    raise answer
                elif not isinstance(answer, UnavailableError):
                    log.warning("balance_refused", ticket=ticket.id, reason=answer.reason, message=answer.message)
            if any(isinstance(answer, UnavailableError) for answer in answers):
                break
        return known
