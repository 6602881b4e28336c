"""The saga that seats a match: hold the stakes, open the table or take a free seat at one, or give the stakes back.

Law: every step may be repeated by anybody, since the match id is its key everywhere; so after a crash whoever finds the match goes on from
the state in the database, and everybody ends seated once or with their stake released.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from services.kit import logs
from services.kit.database import Database
from services.kit.errors import ServiceError, UnavailableError
from services.matchmaking import store_matches
from services.matchmaking.clock import DatabaseClock
from services.matchmaking.metrics import Metrics, tier
from services.matchmaking.seats import SeatBook
from services.matchmaking.settlement import Settlement
from services.matchmaking.store_matches import CLAIM_SECONDS, Claim
from services.matchmaking.table_servers import Opened, TableServers
from services.matchmaking.tickets import Limits, Match, MatchState, Ticket, Why
from services.matchmaking.watch import Board
from xuezhan.api.table.v1.table_pb2 import TABLE_STATE_CALLED_OFF, TABLE_STATE_CLOSED, TABLE_STATE_UNSPECIFIED

log = logs.get(__name__)

RETRY_SECONDS: Final = (0.1, 2.0, 5.0)
"""The first pause between two tries of a step, by how much it grows, the longest."""
CHECK_SECONDS: Final = (1.0, 4.0, 60.0)
"""The same between two looks at an open table: soon, for stakes that could not be bound; then seldom, since there may be thousands."""


@dataclass(frozen=True)
class Parts:
    """What the saga works with."""

    database: Database
    settlement: Settlement
    tables: TableServers
    board: Board
    metrics: Metrics
    limits: Limits
    clock: DatabaseClock
    replica: str
    """The name of this process among the replicas."""
    claim_seconds: float = CLAIM_SECONDS

    def claim(self) -> Claim:
        """Return a claim of this replica from now on."""
        return Claim(self.replica, self.clock(), self.claim_seconds)


class Seating:
    """Works on matches, each as far as it comes. `freed` is called when tickets wait again."""

    def __init__(self, parts: Parts, freed: Callable[[], None]) -> None:
        self._parts = parts
        self._run = parts.database.run
        self._freed = freed
        self.book = SeatBook(self._ask, time.time, parts.tables.directory)
        self._steps: dict[MatchState, Callable[[Match], Awaitable[Match | None]]] = {
            MatchState.HOLDING: self._hold,
            MatchState.OPENING: self._open,
            MatchState.SEATED: self._open,
            MatchState.RELEASING: self._release,
        }

    async def work(self, match: Match) -> None:
        """Take a claimed match through its steps until it is done or has to wait."""
        going: Match | None = match
        while going is not None:
            step = self._steps.get(going.state)
            going = await step(going) if step else None

    async def _hold(self, match: Match) -> Match | None:
        try:
            answer = await self._parts.settlement.hold(match)
        except UnavailableError as error:
            return await self._again(match, "hold", error.reason, Why.REFUSED)
        except ServiceError as error:
            log.warning("hold_refused", match=match.table, hold=match.id, reason=error.reason, message=error.message)
            return await self._give_up(match, "hold", error.reason, Why.REFUSED)
        claim = self._parts.claim()
        if answer.held:
            held = await self._run(store_matches.stakes_held, match.id, claim)
            return replace(match, state=MatchState.OPENING, since=claim.now, attempts=0) if held else None
        unfit = {Why.FROZEN: answer.frozen, Why.SHORT: answer.short, Why.TOO_RICH: answer.rich}
        faults = {reason: players for reason, players in {**unfit, Why.BUSY: answer.busy}.items() if players}
        if answer.released or not faults:
            return await self._give_up(match, "hold", Why.RELEASED, Why.RELEASED)
        for reason, players in faults.items():
            for _ in players:
                self._parts.metrics.failed("hold", reason)
        first = next(iter(faults))
        changed = await self._run(store_matches.stakes_not_held, match.id, first, unfit, answer.busy, claim, self._parts.limits)
        return self._releasing(match, changed, first)

    async def _open(self, match: Match) -> Match | None:
        step = "check" if match.state == MatchState.SEATED else "take" if match.joins else "open"
        try:
            opened = await (self._parts.tables.take(match) if match.joins else self._parts.tables.open(match))
        except ServiceError as error:
            if not isinstance(error, UnavailableError):
                log.warning("open_refused", match=match.table, hold=match.id, reason=error.reason, message=error.message)
            return await self._again(match, step, error.reason, Why.NO_TABLE)
        if opened is None:
            return await self._again(match, step, "joining", Why.NO_TABLE)
        return await self._seen(match, opened)

    async def _seen(self, match: Match, opened: Opened) -> Match | None:
        if opened.state == TABLE_STATE_CALLED_OFF:
            return await self._give_up(match, "open", Why.CALLED_OFF, Why.CALLED_OFF)
        if opened.state == TABLE_STATE_UNSPECIFIED and match.state != MatchState.SEATED:
            # The table is over, and its answer to this match may have been lost: a stake that was bound tells that its player had the seat.
            return await self._give_up(match, "take", Why.NOT_FREE, Why.NOT_FREE)
        if opened.state in {TABLE_STATE_CLOSED, TABLE_STATE_UNSPECIFIED}:
            self.book.drop(match.id)
            self._told(await self._run(store_matches.closed, match, self._parts.claim()))
            return None
        if self.book.put(match.id, opened, match.table):
            self._parts.board.poke(match.id)
        claim = self._parts.claim()
        if match.state == MatchState.SEATED:
            await self._run(store_matches.later, match, claim.now + _pause(CHECK_SECONDS, match.attempts), opened.server)
            return None
        next_at = claim.now + CHECK_SECONDS[0]
        seated = await self._run(store_matches.opened, match.id, opened.server, claim, next_at)
        for ticket in seated or ():
            log.info("seated", player=ticket.player, ticket=ticket.id, match=match.table, seat=ticket.seat, server=opened.address)
        if self._told(seated):
            self._parts.metrics.seating.labels(*tier(match.room)).observe(claim.now - match.created_at)
        return None

    async def _release(self, match: Match) -> Match | None:
        try:
            bound = await self._parts.settlement.release(match.id, match.reason)
        except ServiceError as error:
            return await self._again(match, "release", error.reason, Why.NONE)
        claim = self._parts.claim()
        if bound and match.reason == Why.NO_TABLE:
            # A table was opened though we never heard of it.
            found = await self._run(store_matches.bound, match.id, claim)
            return replace(match, state=MatchState.OPENING, since=claim.now, attempts=0) if found else None
        if bound and match.joins:
            self._told(await self._run(store_matches.closed, match, claim))
            return None
        if bound:
            log.error("bound_without_table", match=match.table, hold=match.id, reason=match.reason)
            self._parts.metrics.failed("release", "bound")
        self._told(await self._run(store_matches.released, match.id, claim))
        self._freed()
        return None

    async def _again(self, match: Match, step: str, reason: str, why: Why) -> Match | None:
        """Try a step again later, or give the match up when it has been tried for too long."""
        now = self._parts.clock()
        tired = match.state in {MatchState.HOLDING, MatchState.OPENING} and now - match.since > self._parts.limits.seating
        if tired:
            return await self._give_up(match, step, reason, why)
        self._parts.metrics.failed(step, reason)
        await self._run(store_matches.later, match, now + _pause(RETRY_SECONDS, match.attempts))
        return None

    async def _give_up(self, match: Match, step: str, reason: str, why: Why) -> Match | None:
        self._parts.metrics.failed(step, reason)
        log.warning("match_given_up", match=match.table, hold=match.id, step=step, reason=reason)
        self.book.drop(match.id)
        return self._releasing(match, await self._run(store_matches.give_up, match, why, self._parts.claim()), why)

    def _releasing(self, match: Match, changed: list[Ticket] | None, reason: Why) -> Match | None:
        if not self._told(changed):
            return None
        self._freed()
        return replace(match, state=MatchState.RELEASING, reason=reason, since=self._parts.clock(), attempts=0)

    def _told(self, changed: list[Ticket] | None) -> bool:
        if changed is None:
            return False
        self._parts.board.post(changed)
        return True

    async def _ask(self, match_id: str) -> None:
        """Open a seated match's table again, for its seat tokens, and act on what it says."""
        match = await self._run(store_matches.read_match, match_id)
        if match is None or match.state != MatchState.SEATED:
            return
        try:
            opened = await (self._parts.tables.take(match) if match.joins else self._parts.tables.open(match))
        except ServiceError as error:
            raise UnavailableError("unavailable", "the table does not answer") from error
        if opened is None:
            return
        going = await self._seen(match, opened)
        if going is not None:
            await self.work(going)


def _pause(bounds: tuple[float, float, float], attempts: int) -> float:
    shortest, growth, longest = bounds
    return min(shortest * math.pow(growth, min(attempts, 16)), longest) * random.uniform(0.75, 1.25)
