"""What operators do about tables and servers: each act is recorded, with who and why, before it is done.

Law: a table that is called off is called off by its own step, in its turn, with a row of its journal; an operator moves no coin by hand.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import Final

from services.kit import logs, rpc
from services.kit.errors import InvalidArgumentError, UnavailableError
from services.table import play, store_acts
from services.table.ending import CalledOff
from services.table.hall import Hall
from services.table.mailbox import Departure, State
from services.table.phases import OVER, Phase
from services.table.store_acts import Act
from services.table.table import Table

log = logs.get(__name__)

_MOST_WORDS: Final = 500
_MOST_WHO: Final = 100
_SETTLES: Final = frozenset({Phase.OPENING, Phase.BREAK, Phase.SETTLING})
_SHUFFLES: Final = frozenset({Phase.GATHERING, Phase.REVEALING})
_SECONDS: Final = 5.0
"""Within so long a table that can be played at all has stored that it was called off."""


class Operating:
    """Does what operators ask for at this server."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    async def record(self, action: str, about: str, who: str, why: str) -> str:
        """Record an act; returns who acts: the name that was given, and the role whose token was shown. Raises InvalidArgumentError."""
        for name, words, most in (("who", who, _MOST_WHO), ("why", why, _MOST_WORDS)):
            if not words.strip() or len(words) > most or not words.isprintable():
                raise InvalidArgumentError("words", f"{name}: 1 to {most} printable characters are needed")
        by = f"{who} ({rpc.caller().subject})"
        await self._hall.database.run(store_acts.add, Act(int(self._hall.wall_clock()), action, about, by, why))
        log.warning("operator_acts", action=action, about=about, by=by, why=why)
        return by

    async def call_off(self, table: Table, by: str) -> None:
        """Call a table off and wait until that is stored and shown. Raises UnavailableError when the table goes, or stores nothing."""
        done: asyncio.Future[Departure | None] = asyncio.get_running_loop().create_future()

        def end(departure: Departure | None = None) -> None:
            if not done.done():
                done.set_result(departure)

        def act() -> None:
            if table.course.phase not in OVER:
                table.call_off(CalledOff.OPERATOR, by)
            # It is over here, or closes: whichever comes first.
            table.when_shown(end, end)

        table.send(act, end)
        try:
            async with asyncio.timeout(_SECONDS):
                gone = await done
        except TimeoutError:
            raise UnavailableError("not_stored", "the table has not stored it yet: ask again in a moment") from None
        if gone is not None and gone.reason != "closed":
            raise UnavailableError("not_live", "the table went to another server meanwhile: ask again")

    def waits_for(self, table: Table) -> str:
        """Return what a live table waits for (GetTableResponse.waits_for)."""
        course, deadlines = table.course, table.deadlines
        if not self._hall.lease.valid():
            return "lease"
        if table.state is State.FROZEN:
            return "hand_over"
        if table.in_flight or table.rows:
            return "database"
        if course.phase in _SETTLES and self._hall.relay.of(table.id)[0]:
            return "settlement"
        if course.phase is Phase.GATHERING and course.free:
            return "seats"
        if course.phase in _SHUFFLES:
            return "handshake"
        if deadlines.window < inf:
            return "window"
        return "players" if self.asked(table) else ""

    def asked(self, table: Table) -> list[tuple[int, float]]:
        """Return the seats that must answer, with the seconds that each has left; 0.0 without a timer."""
        now = self._hall.now()
        answers = table.deadlines.answers
        return [
            (seat.no, round(answers[seat.no] - now, 1) if answers[seat.no] < inf else 0.0)
            for seat in table.seats
            if table.course.phase is Phase.PLAYING and play.is_asked(table, seat.no)
        ]
