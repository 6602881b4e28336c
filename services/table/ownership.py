"""How this server comes to own tables, and notices that it does not.

Law: a table is played here if and only if its row says so. Once a second, and whenever another server's lease may have run out, the rows
are looked at: servers without a lease are ended, orphans are claimed and taken up, and what is played here is compared with the rows.
A server owns what it opened, adopted or was handed, and its rows say which; so nothing has to be remembered of what was cut short.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from services.kit import logs
from services.kit.errors import ServiceError
from services.table import recovery, store_ownership, store_tries
from services.table.appends import Fate
from services.table.lookups import Lookups
from services.table.mailbox import State
from services.table.store_ownership import CLAIM_TABLES, MOST_TRIES, SERVING, Owner

if TYPE_CHECKING:
    from services.table.hall import Hall
    from services.table.recovery import TakenUp, Told
    from services.table.store import TableRow
    from services.table.store_ownership import Mine, ServerRow
    from services.table.table import Table

log = logs.get(__name__)

_LOOK_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 0.5
_LATE_SECONDS: Final = 0.25
"""How often it is looked which seats have waited here for too long."""
_AFTER_SECONDS: Final = 0.02
"""How long after another server's lease has run out it is looked whether it has."""


class Ownership:
    """The sweeper of one server."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._lookups = lookups = Lookups(hall)
        hall.elsewhere, hall.gone_live, hall.waiting_attaches = lookups.ask, lookups.gone_live, lookups.waiting
        self._rules = None if hall.database.is_sqlite else hall.lease.rules
        self._alone = hall.database.is_sqlite
        """Whether there are no other servers: then there are no tables but one's own."""
        self._wake = asyncio.Event()
        self._aside = 0
        self._without_rules = 0
        self._mine_aside: set[str] = set()
        self._missed: set[tuple[int, int]] = set()
        """Tables (num, epoch) of this server that were not played here when it was last looked."""
        self._not_tried: set[int] = set()
        """Tables (num) of which an attempt was counted, and none was made."""

    def look(self) -> None:
        """Look at the rows now."""
        self._wake.set()

    async def take_own(self) -> None:
        """Take up the tables of this server's earlier generations, as far as they can be had now; asks until the database answers."""
        while True:
            try:
                await self._take_back()
                found = await self._hall.database.run(store_ownership.sweep, self._hall.lease.name)
                for orphaned in found.orphaned:
                    if orphaned.name == self._hall.lease.name:
                        await self._adopt(orphaned)
            except ServiceError:
                log.warning("tables_not_taken_up", generation=self._hall.lease.generation)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return

    async def run(self) -> None:
        """Look for ever."""
        while True:
            wait = _LOOK_SECONDS
            try:
                if self._hall.open:
                    wait = await self._look()
            except ServiceError as error:
                log.warning("ownership_not_looked_at", why=error.message)
            try:
                async with asyncio.timeout(wait):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()

    async def answer_late(self) -> None:
        """Let seats whose table does not go live in time come again; for ever, and beside `run`: an adoption may take long."""
        while True:
            await asyncio.sleep(_LATE_SECONDS)
            self._lookups.tick()

    async def _look(self) -> float:
        """Do everything once; returns how long to sleep."""
        begun = time.monotonic()
        hall = self._hall
        await self._take_back()
        found = await hall.database.run(store_ownership.sweep, hall.lease.name)
        self._alarm(found.aside)
        servers = await hall.directory.servers()
        if hall.draining:
            if not any(one.state == SERVING and one.name != hall.lease.name for one in servers):
                # Of a lease that it lost: nobody else plays them.
                for own in (owner for owner in found.orphaned if owner.name == hall.lease.name):
                    await self._adopt(own, draining=True)
        else:
            orphaned = list(found.orphaned)
            if not self._alone and hall.lease.proven():
                orphaned += [dead for dead in found.expired if await self._kill(dead)]
            for owner in orphaned:
                if owner.name == hall.lease.name or (not self._alone and hall.lease.proven()):
                    await self._adopt(owner)
        await self._reconcile()
        hall.metrics.set_aside.set(found.aside + len(self._mine_aside))
        self._alarm_of_rules(found.waiting, servers)
        if found.next_seconds is None:
            return _LOOK_SECONDS
        passed = time.monotonic() - begun
        return min(_LOOK_SECONDS, max(_AFTER_SECONDS, found.next_seconds - passed + _AFTER_SECONDS))

    def _alarm(self, aside: int) -> None:
        """Tell an operator of orphans that nobody takes up any more."""
        if aside > self._aside:
            log.error("tables_set_aside", tables=aside)
            self._hall.metrics.alarms.labels("tables_set_aside").inc(aside - self._aside)
        self._aside = aside

    def _alarm_of_rules(self, waiting: Mapping[str, int], servers: Sequence[ServerRow]) -> None:
        """Tell an operator of tables whose rules no serving server has: orphans, and those of this server while it drains."""
        hall = self._hall
        serving = [one.rules for one in servers if one.state == SERVING and one.name != hall.lease.name]
        if not hall.draining:
            serving.append(hall.lease.rules)
        if self._alone or not serving:
            return
        known = frozenset().union(*serving)
        missing = Counter({version: count for version, count in waiting.items() if version and version not in known})
        if hall.draining:
            missing.update(version for table in hall.tables.values() if (version := table.course.rules.version) not in known)
        total = missing.total()
        hall.metrics.rules_missing.set(total)
        if total > self._without_rules:
            log.error("rules_missing", tables=total, rules=sorted(missing))
            hall.metrics.alarms.labels("rules_missing").inc(total - self._without_rules)
        self._without_rules = total

    async def _kill(self, dead: Owner) -> bool:
        done = await self._hall.database.run(store_ownership.kill, dead)
        if done:
            log.warning("server_lost", server=dead.name, generation=dead.generation)
        return done

    async def _adopt(self, orphaned: Owner, *, draining: bool = False) -> None:
        """Claim tables of an owner that is no more, and go on with them, a batch at a time, until there are no more to be had."""
        hall, owner, count = self._hall, self._hall.lease.owner, 0
        while hall.owns(owner.generation) and (draining or not hall.draining):
            rows = await hall.database.run(store_ownership.claim, owner, orphaned, self._rules, self._lookups.wanted(), CLAIM_TABLES)
            if not rows:
                break
            count += len(await self._take_up_counted(owner, rows))
        if count:
            log.info("tables_adopted", server=orphaned.name, generation=orphaned.generation, tables=count)

    async def take_tables(self, epochs: Mapping[str, int], told: Mapping[str, Told]) -> list[str]:
        """Go on with tables that another server has made this one's (epochs by id). Returns which are played here."""
        owner = self._hall.lease.owner
        rows = await self._hall.database.run(store_ownership.handed, owner, epochs)
        live = (await self._take_up(owner, rows, told)).live if rows else []
        self._hall.metrics.taken_over.inc(len(live))
        return live

    async def _take_up_counted(self, owner: Owner, rows: list[TableRow]) -> list[str]:
        """Go on with tables of which another attempt was counted: what is not even replayed was none. Returns which are played here."""
        nums = {row.id: row.num for row in rows}
        try:
            taken = await self._take_up(owner, rows)
        except ServiceError:
            self._not_tried.update(nums.values())
            raise
        if taken.unread:
            self._not_tried.update(nums[table_id] for table_id in taken.unread)
            await self._take_back()
        self._hall.metrics.adopted.inc(len(taken.live))
        return taken.live

    async def _take_up(self, owner: Owner, rows: list[TableRow], told: Mapping[str, Told] = MappingProxyType({})) -> TakenUp:
        """Go on with tables that are this server's. They were no poison if that goes well."""
        hall = self._hall
        taken = await recovery.take_up(hall, owner, rows, told)
        live = set(taken.live)
        try:
            await hall.database.run(store_tries.went_live, owner, [row.num for row in rows if row.id in live])
        except ServiceError:
            # It is noted with the next look.
            log.warning("live_tables_not_noted", tables=len(live))
        return taken

    async def _take_back(self) -> None:
        """Take back the attempts that were counted before the database, or the lease, went away."""
        if self._not_tried:
            nums, self._not_tried = self._not_tried, set()
            try:
                await self._hall.database.run(store_tries.not_tried, nums)
            except ServiceError:
                self._not_tried |= nums
                raise

    # What the rows say, and what is played.

    async def _reconcile(self) -> None:
        hall, owner = self._hall, self._hall.lease.owner
        played = list(hall.tables.values())
        mine = await hall.database.run(store_ownership.owned, owner)
        if not hall.owns(owner.generation):
            return
        await self._drop(owner, played, {(one.num, one.epoch) for one in mine})
        await self._take_up_missing(owner, mine)
        tried = [one.num for one in mine if one.tries and one.id in hall.tables]
        if tried:
            await hall.database.run(store_tries.went_live, owner, tried)

    async def _drop(self, owner: Owner, played: list[Table], mine: set[tuple[int, int]]) -> None:
        """Let go of tables that are another server's now. One that is over has a row, too."""
        hall = self._hall
        # A frozen table is on its way to another server: whoever sends it knows more.
        doubtful = [table for table in played if table.state is State.LIVE and (table.num, table.epoch) not in mine]
        if not doubtful:
            return
        kept = await hall.database.run(store_ownership.still, owner, [(table.num, table.epoch) for table in doubtful])
        for table in doubtful:
            if table.num not in kept and table.state is State.LIVE and hall.tables.get(table.id) is table:
                table.lost(Fate.FENCED)

    async def _take_up_missing(self, owner: Owner, mine: list[Mine]) -> None:
        """Go on with tables that are this server's and not played here: of a hand-over or take-up that was cut short."""
        hall = self._hall
        missing = [one for one in mine if one.id not in hall.tables and one.id not in hall.openings]
        aside = {one.id for one in missing if one.tries >= MOST_TRIES}
        if aside - self._mine_aside:
            log.error("tables_set_aside", tables=len(aside))
            hall.metrics.alarms.labels("tables_set_aside").inc(len(aside - self._mine_aside))
        self._mine_aside = aside
        # An opening or a hand-over may be just about to bring it.
        missing, self._missed = [one for one in missing if (one.num, one.epoch) in self._missed], {(one.num, one.epoch) for one in missing}
        wanted = [one for one in missing if one.id not in aside][:CLAIM_TABLES]
        # One that was tried before may be what ended a server: it is read alone, after the others.
        for batch in [[one for one in wanted if not one.tries], *([one] for one in wanted if one.tries)]:
            epochs = {one.id: one.epoch for one in batch}
            rows = await hall.database.run(store_tries.try_again, owner, epochs) if epochs else []
            if rows:
                await self._take_up_counted(owner, rows)
