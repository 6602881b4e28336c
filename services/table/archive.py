"""The archive: builds the records of hands that are over, beside play, and stores them.

Law: that a record is due is stored with the rows that ended its hand, so it is built after a crash too; and it is built once.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from services.kit import logs
from services.kit.errors import UnavailableError
from services.table import records, store, store_records
from services.table.salvage import hands_over

if TYPE_CHECKING:
    from services.kit.database import Database
    from services.kit.secrets import KeyRing
    from services.table.hand_end import HandEnd
    from services.table.metrics import TableMetrics
    from services.table.signer import Signer
    from services.table.store_records import Made

log = logs.get(__name__)
T = TypeVar("T")

_PAUSE_SECONDS: Final = 0.1
"""Before each store: hands that end meanwhile go together. A transaction for each would cost as much as their play."""
_STORED_TOGETHER: Final = 256
_RETRY_SECONDS: Final = 0.5
_LEFT_SECONDS: Final = 30.0
"""How often it is looked for records that are due and nobody builds."""
_PAGE: Final = 100
_SHARE: Final = 3
"""While records of before are built, it rests so many times as long as it worked: play goes on beside it."""
_LOOKS: Final = 40
_LOOK_SECONDS: Final = 0.05


class Archive:
    """The records of this server's hands."""

    def __init__(
        self, database: Database, signer: Signer, deal_keys: KeyRing, metrics: TableMetrics, owner: str, shown: Callable[[str], float]
    ) -> None:
        """`owner`: the server's name; `shown`: how many hands a table has shown to be over (inf: it is not played here)."""
        self._shown = shown
        self._database = database
        self._signer = signer
        self._deal_keys = deal_keys
        self._metrics = metrics
        self._owner = owner
        self._ends: deque[HandEnd] = deque()
        self._news = asyncio.Event()
        self._making: set[str] = set()
        """Tables with records that are built, and not stored yet."""
        self._left = asyncio.Event()
        self._not_buildable: set[str] = set()
        """Tables that have been alarmed of: their records stay due, and are tried again by another process."""
        self._old = asyncio.Lock()

    def add(self, ends: Iterable[HandEnd]) -> None:
        """Build and store the records of hands whose last rows are stored."""
        self._ends.extend(ends)
        self._news.set()

    @property
    def waiting(self) -> int:
        """How many records are to be built here, or are built and not stored yet."""
        return len(self._ends) + len(self._making)

    async def run(self) -> None:
        """Build and store for ever. What is not stored when this ends is due, and found at the next start."""
        while True:
            await self._news.wait()
            await asyncio.sleep(_PAUSE_SECONDS)
            self._news.clear()
            made: list[Made] = []
            while self._ends:
                self._making.add(self._ends[0].table)
                made += self._build([self._ends.popleft()])
                # Each takes a fraction of a millisecond. A thread would hold the interpreter for as long, and be woken for it too.
                await asyncio.sleep(0)
                if not self._ends or len(made) >= _STORED_TOGETHER:
                    await self._steadily(store_records.store, made)
                    made = []
                    self._making.clear()

    def _build(self, ends: Iterable[HandEnd]) -> list[Made]:
        made: list[Made] = []
        for end in ends:
            try:
                made.append((end.table, end.number, records.text(end, self._signer)))
            except Exception as error:  # noqa: BLE001 - a fault of ours: the record stays due, the others must not wait for it
                self._not_built(end.table, error)
        return made

    def _not_built(self, table_id: str, error: Exception) -> None:
        self._not_buildable.add(table_id)
        log.error("record_not_built", match=table_id, exc_info=error)
        self._metrics.alarms.labels("record_not_built").inc()

    # What is due from before.

    def look_again(self) -> None:
        """Look soon for records that are due: tables were taken up, whose former owner may have left some."""
        self._left.set()

    async def catch_up(self) -> None:
        """Store what is due and nobody builds: what a crash interrupted here or at a former owner; then hands of a release without records.

        For ever, since tables change hands, and a server may go for good after the last hand of a table.
        """
        await self._build_what_is_left()
        await self._build_old()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LEFT_SECONDS):
                    await self._left.wait()
            self._left.clear()
            await self._build_what_is_left()

    async def _build_what_is_left(self) -> None:
        after = ""
        while ids := await self._steadily(store_records.due, after, _PAGE, self._owner):
            for table_id in ids:
                if table_id not in self._making | self._not_buildable and all(end.table != table_id for end in self._ends):
                    await self._in_turn(table_id, old=False)
            after = ids[-1]

    async def _build_old(self) -> None:
        last = 0
        while found := await self._steadily(store_records.not_recorded, last, _PAGE, self._owner):
            for _, table_id in found:
                await self._in_turn(table_id, old=True)
            last, _ = found[-1]

    async def _steadily(self, work: Callable[..., T], *args: Any) -> T:
        """Ask the database until it answers."""
        while True:
            try:
                return await self._database.run(work, *args)
            except UnavailableError:
                await asyncio.sleep(_RETRY_SECONDS)

    async def _in_turn(self, table_id: str, *, old: bool) -> None:
        began = time.monotonic()
        try:
            await self._of_table(table_id, old=old)
        except Exception as error:  # noqa: BLE001 - the records of one table must not keep the others from theirs
            self._not_built(table_id, error)
        await asyncio.sleep((time.monotonic() - began) * _SHARE)

    async def _of_table(self, table_id: str, *, old: bool) -> None:
        """Build a table's records from its journal."""
        rows = (await self._steadily(store.read_journal, [table_id]))[table_id]
        there = dict(await self._steadily(store_records.read, table_id, 0))
        ends = await asyncio.to_thread(hands_over, table_id, rows, self._deal_keys)
        if old:
            made = await asyncio.to_thread(self._build, [end for end in ends if end.number not in there])
            await self._steadily(store_records.store_old, table_id, made)
        else:
            # Of a table that is played here only what it has shown: the rest is built when that is.
            shown = self._shown(table_id)
            due = [end for end in ends if end.number in there and there[end.number] is None and end.number <= shown]
            made = await asyncio.to_thread(self._build, due)
            await self._steadily(store_records.store, made)

    # Reading.

    async def read(self, table: store.TableRow, hand: int, shown: float) -> list[tuple[int, str | None]]:
        """Return the hands of a table that are over, or one (`hand`): number and record. One that has just ended is waited for a moment,
        if it is among the first `shown`.

        UnavailableError: the records of an earlier release's hands cannot be built.
        """
        if not table.recorded:
            async with self._old:
                try:
                    await self._of_table(table.id, old=True)
                except Exception as error:
                    raise UnavailableError("unreadable_record", "the journal is of rules that this server does not have") from error
        found: list[tuple[int, str | None]] = []
        for _ in range(_LOOKS):
            found = await self._database.run(store_records.read, table.id, hand)
            if all(text is not None or number > shown for number, text in found):
                break
            await asyncio.sleep(_LOOK_SECONDS)
        return found
