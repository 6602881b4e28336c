"""Players with the client library at a table server, and what they and an auditor make of a server that may cheat."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from services.kit import rpc
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.audit.auditor import Auditor
from xuezhan.cli.audit.book import Book
from xuezhan.client import Channels, Heard, Place, Receipts, Seat, legal
from xuezhan.client.record_keys import RecordKeys
from xuezhan.client.signed import keys_in
from xuezhan.client.streams import Streams

NAMES = ("ann", "bob", "cem", "dee")


class Honest:
    """Four players who answer at random. `over`: the hands whose end all four have heard; `receipts[seat]`: what the seat's player kept."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.channels = Channels(10)
        self.streams = Streams(self.channels, flush_seconds=0.001)
        self.keys = RecordKeys(self.channels)
        self.receipts = [Receipts() for _ in NAMES]
        self.seats: list[Seat] = []
        self.tables: list[str] = []
        self.over: list[tuple[str, int]] = []
        self._heard: Counter[tuple[str, int]] = Counter()
        self._random = Random(1)
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.streams.close()
        await self.keys.close()
        await self.channels.close()

    async def sit_down(self) -> list[Seat]:
        """Open another table, with all four at it."""
        opened = await self.world.open(*NAMES)
        self.tables.append(opened.table_id)
        seats = [
            Seat(
                Place(self.world.address, token.token, opened.table_id, token.seat),
                token.player_id,
                listener=self._hear,
                receipts=self.receipts[token.seat],
                keys=self.keys,
            )
            for token in opened.tokens
        ]
        self.seats += seats
        for seat in seats:
            self.streams.add(seat)
        return seats

    def _hear(self, seat: Seat, heard: Heard) -> None:
        if heard.name == "offer":
            seat.submit(self._random.choice(legal(heard.what.mahjong)))
        elif heard.name == "hand_over":
            hand = seat.table_id, heard.what.hand
            self._heard[hand] += 1
            if self._heard[hand] == len(NAMES):
                self.over.append(hand)
                self._news.set()
        elif heard.name == "table_closed":
            self._news.set()

    async def play(self, hands: int) -> None:
        """Play until so many hands have ended, at one table after the other."""
        async with asyncio.timeout(30 + 10 * hands):
            while len(self.over) < hands:
                if not self.seats or self.seats[-1].over is not None:
                    await self.sit_down()
                self._news.clear()
                await self._news.wait()
        await asyncio.gather(*self.keys._tasks)

    def faults(self, seat: int) -> list[tuple[str, int, str]]:
        """What one player found: table, hand, name."""
        return [(one.table_id, fault.hand, str(fault.name)) for one in self.seats if one.place.seat == seat for fault in one.faults]

    async def records(self) -> list[str]:
        """The records of all hands that are over, as an auditor reads them."""
        found: list[str] = []
        async with self.world.stub() as stub:
            for table in self.tables:
                asked = pb.GetRecordRequest(table_id=table)
                answer = await stub.GetRecord(asked, metadata=rpc.metadata(self.world.reader_token()), timeout=30)
                found += answer.records
        return found

    def audit(self, folder: Path, records: list[str], *seats: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """What verify-record answers to the records, and what it adds, with the receipts of some seats."""
        keys = {key.key_id: key for key in keys_in(self.world.hall.signer.key.public.pem())}
        book = Book(keys)
        for seat in seats:
            path = folder / f"receipts-{len(list(folder.glob('receipts-*')))}.jsonl"
            self.receipts[seat].save(path)
            book.load(path)
        auditor = Auditor(keys, book)
        return [auditor.check(json.loads(record)) for record in records], list(auditor.rest())
