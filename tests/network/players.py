"""Players with the client library at a real table server, and what must hold whatever becomes of their connections."""

from __future__ import annotations

import asyncio
import gc
import json
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from types import TracebackType
from typing import Any, Self

from grpc import aio

from services.kit import rpc
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub
from xuezhan.cli.load.checks import MAY_LOSE
from xuezhan.cli.load.player import ack_key, record_key
from xuezhan.client import SEAT_OVER, Channels, ClientError, Heard, Place, Seat, legal
from xuezhan.client.stream import PlayStream
from xuezhan.client.streams import Streams

NAMES = ("ann", "bob", "cem", "dee")
ANSWERED_SECONDS = 10.0


@dataclass
class Act:
    """An act of a player: when it was sent, when it was answered, and how."""

    act: pb.Act
    sent_at: float
    answered_at: float = 0.0
    answer: pb.Answer | None = None


class Player:
    """One seat. It answers at random until it is told to wait: then `offer` is what it would answer."""

    def __init__(self, random: Random, think: float = 0.0) -> None:
        """`think`: seconds between an offer and its answer."""
        self.think = think
        self.waits_at = 0
        """The number of the offer to wait at; 0: it never waits."""
        self.offers = 0
        self.offer: pb.Offer | None = None
        self.acts: list[Act] = []
        self.names: list[str] = []
        self.over = False
        self.changed = asyncio.Event()
        self.seat: Seat
        self.server_seat: Any = None
        """The server's side of the seat, for a test that looks at it."""
        self._random = random

    def hear(self, seat: Seat, heard: Heard) -> None:
        self.names.append(heard.name)
        if heard.name == "offer":
            self.offers += 1
            self.offer = heard.what
            if self.waits_at and self.offers >= self.waits_at:
                pass
            elif self.think:
                asyncio.get_running_loop().call_later(self.think, self._late, heard.what)
            else:
                self.answer()
        elif heard.name in {"hand_over", "over"}:
            self.over = True
        self.changed.set()

    def answer(self) -> Act:
        """Answer the offer that it waits with, and go on."""
        assert self.offer is not None
        act = self._random.choice(legal(self.offer.mahjong))
        mine = Act(act, asyncio.get_running_loop().time())
        self.acts.append(mine)
        self.seat.submit(act, self.offer.decision).add_done_callback(lambda told: self._told(mine, told))
        self.offer = None
        return mine

    def _late(self, offer: pb.Offer) -> None:
        if self.offer is offer and self.seat.over is None:
            self.answer()

    def _told(self, mine: Act, told: asyncio.Future[pb.Answer]) -> None:
        if not told.cancelled() and told.exception() is None:
            mine.answer, mine.answered_at = told.result(), asyncio.get_running_loop().time()
        self.changed.set()

    async def until(self, true: Any, seconds: float = 30) -> None:
        """Wait until something about this player is true."""
        async with asyncio.timeout(seconds):
            while not true():
                self.changed.clear()
                await self.changed.wait()

    def done(self) -> bool:
        """Whether the hand is over, and each of its acts was answered."""
        return self.over and all(one.answer is not None for one in self.acts)

    def go_on(self) -> None:
        """Answer everything from now on."""
        self.waits_at = 0
        if self.offer is not None:
            self.answer()


@dataclass
class Party:
    """A program with seats of a table; `address` is where it believes the server to be."""

    world: World
    address: str
    relocate: Any = None
    patience: float = 60.0
    players: list[Player] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.channels = Channels(self.patience)
        self.streams = Streams(self.channels, flush_seconds=0.001)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.streams.close()
        await self.channels.close()

    def sit(self, opened: pb.OpenTableResponse, *seats: int, seed: object = 1, waits_at: int = 0, think: float = 0.0) -> list[Player]:
        """Take seats of a table."""
        taken = []
        for token in opened.tokens:
            if token.seat in seats:
                player = Player(Random(f"{seed} {token.seat}"), think)
                player.waits_at = waits_at
                place = Place(self.address, token.token, opened.table_id, token.seat)
                player.seat = Seat(place, token.player_id, listener=player.hear, relocate=self.relocate)
                self.streams.add(player.seat)
                taken.append(player)
        self.players += taken
        return taken


async def record(world: World, table: str) -> dict[str, Any]:
    """The record of a table's first hand, as an auditor reads it."""
    async with aio.insecure_channel(f"127.0.0.1:{world.options['port']}") as channel:
        asked = pb.GetRecordRequest(table_id=table, hand=1)
        stub = TableServiceStub(channel)
        answer = await stub.GetRecord(asked, metadata=rpc.metadata(world.reader_token()), timeout=30)
    found: dict[str, Any] = json.loads(answer.records[0])
    return found


def assert_played_once(record: dict[str, Any], players: list[Player]) -> None:
    """Every acknowledged act is in the record exactly once, and no act is there that was not sent; nobody saw a fault of the server."""
    for player in players:
        seat = player.seat
        recorded = Counter(record_key(one) for one in record["actions"] if one["seat"] == seat.place.seat and not one.get("auto"))
        accepted = Counter(ack_key(one.act) for one in player.acts if one.answer is not None and not one.answer.refused)
        sent = Counter(ack_key(one.act) for one in player.acts)
        missing = [key for key in accepted - recorded if key[0] not in MAY_LOSE]
        assert missing == [], "acknowledged, and not in the record"
        assert recorded - sent == Counter(), "in the record more often than sent"
        assert [str(fault) for fault in seat.faults] == []
        assert seat.gaps == 0


def assert_answered(players: list[Player], open_at: float) -> None:
    """Every act was answered soon after the way to the server was open; that of a table that is over need not be."""
    for player in players:
        for one in player.acts:
            assert one.answer is not None, f"{player.seat} has no answer to {one.act}"
            if one.answer.refused != SEAT_OVER:
                assert one.answered_at - max(one.sent_at, open_at) < ANSWERED_SECONDS
                assert one.answer.refused in {"", "stale", "hand_over", "not_your_turn"}


def streams_alive() -> int:
    """How many streams of clients there still are in memory."""
    gc.collect()
    return sum(isinstance(one, PlayStream) for one in gc.get_objects())


def ended_well(player: Player) -> bool:
    """Whether a seat is over as it should be."""
    over: ClientError | None = player.seat.over
    return over is not None and over.reason in {"closed", "left"}
