"""A table server in this process with everything a test needs around it: rooms, keys, a settlement that answers, clients."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from grpc import aio
from kombu import Consumer
from kombu.transport.memory import Channel

from games import payout
from services.kit import bus, rpc
from services.kit.bootstrap import Running
from services.kit.database import Database
from services.kit.items import TableOutcome
from services.kit.letterbox import body_of
from services.kit.messages import Reader
from services.kit.publisher import Publisher
from services.kit.roles import Role
from services.table import store
from services.table.config import TableSettings
from services.table.server import SCHEMA, TableService, build
from tests.support.post import Post
from tests.table.client import Client
from tests.table.deals import keys_in
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1 import table_pb2_grpc

ROOMS = """
[[room]]
game = "crazy_xuezhan"
id = "mayou"
name = "麻友"
base = {base}
hands = {hands}
turn_seconds = {turn}
claim_window_ms = {window}
contribution_seconds = {contribution}
break_seconds = {rest}
spectator_delay_seconds = {delay}
idle_seconds = {idle}
bots = {{ pause_ms = {pause}, level = "random" }}
"""
ROOM = "crazy_xuezhan/mayou"
_names = itertools.count(1)


@dataclass
class Rules:
    """Figures of the test room."""

    turn: float = 30
    window: int = 0
    contribution: float = 5
    delay: float = 0
    idle: float = 600
    pause: int = 0
    base: int = 1
    hands: int = 1
    rest: float = 0
    refill: float = 0

    def text(self) -> str:
        return ROOMS.format(**vars(self))

    @property
    def room_id(self) -> str:
        return ROOM


class Settlement:
    """Answers every item on the memory transport, in order, as a ledger with `stake` coins a seat would."""

    def __init__(self, url: str, post: Post, stake: int = 100_000) -> None:
        self.stake = stake
        self._reader = Reader(post.trust)
        self._author = post.author(Role.WORKER, "stand-in")
        self.items: list[tuple[str, int, dict[str, Any]]] = []
        self.messages = 0
        self.refuse_open = False
        self.silent = False
        self.poor = False
        self.refuse_join: set[str] = set()
        self.lose: Callable[[str, int], bool] = lambda _table, _seq: False
        self._money: dict[str, list[int]] = {}
        self._outcomes: dict[tuple[str, int], dict[str, Any]] = {}
        self._waiting: dict[str, dict[int, str]] = {}
        self._next: dict[str, int] = {}
        self._url = url
        self._publisher = Publisher(url)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(5)
        self._publisher.close()

    def _run(self) -> None:
        with (
            bus.connect(self._url) as connection,
            Consumer(connection, [bus.settlement_queue(self._url)], on_message=self._receive),
        ):
            while not self._stop.is_set():
                with contextlib.suppress(TimeoutError):
                    connection.drain_events(timeout=0.1)

    def _receive(self, message: Any) -> None:
        self.messages += 1
        message.ack()
        if self.silent:
            return
        answers: dict[str, list[dict[str, Any]]] = {}
        text = self._reader.items(body_of(message))
        for item in text.items:
            if not self.lose(item.table, item.seq):
                answers.setdefault(item.table, []).extend(self._in_turn(item.table, item.seq, item.body))
        told = [{"table": table, "through": outcomes[-1]["seq"], "items": outcomes} for table, outcomes in answers.items() if outcomes]
        for answer in self._author.outcomes(text.reply_to, [TableOutcome.model_validate(one) for one in told]):
            self._publisher.outcomes(text.reply_to, answer)

    def _in_turn(self, table: str, seq: int, body: str) -> list[dict[str, Any]]:
        """Return the outcomes that an item brings: its own, and those of items that came before their turn. None before its turn."""
        if (table, seq) in self._outcomes:
            return [self._outcomes[table, seq]]
        due = self._next.setdefault(table, seq)
        waiting = self._waiting.setdefault(table, {})
        waiting[seq] = body
        if seq < due:
            # Of a table that was there before this settlement was: it begins where it can.
            due = seq
        told = []
        while (ready := waiting.pop(due, None)) is not None:
            self._outcomes[table, due] = self._apply(table, due, json.loads(ready))
            told.append(self._outcomes[table, due])
            due += 1
        self._next[table] = max(due, self._next[table])
        return told

    def _apply(self, table: str, seq: int, body: dict[str, Any]) -> dict[str, Any]:
        self.items.append((table, seq, body))
        outcome: dict[str, Any] = {"seq": seq, "kind": body["kind"], "result": "applied"}
        if body["kind"] == "open":
            if self.refuse_open:
                return outcome | {"result": "refused", "reason": "hold_void"}
            self._money[table] = [self.stake] * len(body["seats"])
        elif body["kind"] == "stage":
            claims = [[claim["payer"], claim["payee"], claim["multiple"]] for claim in body["claims"]]
            paid = payout.stage(body["base"], self._money[table], claims)
            self._money[table] = list(paid.money)
            outcome["moves"] = [{"payer": move[0], "payee": move[1], "coins": move[2]} for move in paid.moves]
            outcome["short"] = [{"seat": short.seat, "owed": short.owed, "paid": short.paid} for short in paid.short]
        elif body["kind"] == "hand_end" and body["points"]:
            pool = payout.pooled(body["rate"], self._money[table], body["points"])
            self._money[table] = list(pool.money)
            outcome["change"] = list(pool.change)
        elif body["kind"] == "top_up" and self.poor:
            return outcome | {"result": "refused", "reason": "short", "money": list(self._money[table])}
        elif body["kind"] == "top_up":
            self._money[table][body["seat"]] = self.stake
        elif body["kind"] == "join" and body["player"] in self.refuse_join:
            return outcome | {"result": "refused", "reason": "void", "money": list(self._money[table])}
        elif body["kind"] in {"left", "join"}:
            self._money[table][body["seat"]] = self.stake if body["kind"] == "join" else 0
        elif body["kind"] == "close":
            self._money[table] = [0] * len(self._money[table])
        return outcome | {"money": list(self._money[table])}


@dataclass
class World:
    """One table server and what is around it."""

    folder: Path
    rules: Rules = field(default_factory=Rules)
    database_url: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    settles: bool = True
    broker_url: str = "memory://"

    def __post_init__(self) -> None:
        number = next(_names)
        self.server_name = f"table-{number}"
        self.keys = keys_in(self.folder)
        self.rooms_file = self.folder / "rooms.toml"
        self.database_url = self.database_url or f"sqlite:///{self.folder}/table.db"
        self.settlement = Settlement(self.broker_url, Post.of(self.keys))
        self.running: Running | None = None
        self.service: TableService
        self._ids = itertools.count(1)

    async def __aenter__(self) -> Self:
        await self.start()
        # Not before: of a server that did not start nobody would stop it.
        if self.settles:
            self.settlement.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        if self.settles:
            await asyncio.to_thread(self.settlement.stop)
        # The queues are the process's: what nobody read is nothing to the next test.
        Channel.queues.clear()

    def settings(self, **more: Any) -> TableSettings:
        values = {
            "database_url": self.database_url,
            "broker_url": self.broker_url,
            "secrets": self.keys.folder,
            "development": True,
            "rooms_file": self.rooms_file,
            "server_name": self.server_name,
            "port": 0,
            "metrics_port": 0,
            "auto_pause_ms": 0,
            "flush_ms": 0,
            "resend_seconds": 0.2,
            "lease_seconds": 10,
            "reflection": False,
        }
        return TableSettings.model_validate(values | self.options | more)

    async def start(self, **more: Any) -> None:
        self.rooms_file.write_text(self.rules.text())

        async def made(settings: TableSettings, registry: Any, supervisor: Any) -> TableService:
            self.service = await build(settings, registry, supervisor)
            return self.service

        self.running = Running("table", self.settings(**more))
        await self.running.start(made)

    async def stop(self) -> None:
        if self.running is not None:
            await self.running.stop()
            self.running = None

    async def crash(self) -> None:
        """End as a killed process would: nothing is given back, nothing more is written."""
        service = self.service
        service.hall.open = False
        service.hall.journal.mark = lambda table: None  # type: ignore[method-assign]
        service.hall.lease.release = _nothing  # type: ignore[method-assign]
        await self.stop()
        await asyncio.to_thread(self._let_the_lease_expire)

    def _let_the_lease_expire(self) -> None:
        """As it would by itself in some seconds."""
        database = Database(self.database_url, SCHEMA)
        mine = store.servers.c.name == self.server_name
        database.run_sync(lambda connection: connection.execute(store.servers.update().where(mine).values(lease_until=0.0)))
        database.close()

    @property
    def address(self) -> str:
        assert self.running is not None
        return self.running.address

    @property
    def hall(self) -> Any:
        return self.service.hall

    def service_token(self) -> str:
        """Matchmaking's token for the table server."""
        return self.keys.part(Role.MATCHMAKING, Role.TABLE)

    def viewer_token(self) -> str:
        """An operator's, who lists and watches."""
        return self.keys.part(Role.VIEWER, Role.TABLE)

    def reader_token(self) -> str:
        """An auditor's, who reads records."""
        return self.keys.part(Role.AUDITOR, Role.TABLE)

    @contextlib.asynccontextmanager
    async def stub(self) -> AsyncIterator[table_pb2_grpc.TableServiceStub]:
        async with aio.insecure_channel(self.address) as channel:
            yield table_pb2_grpc.TableServiceStub(channel)

    async def open(self, *players: str | None, table_id: str = "", room: str = "") -> pb.OpenTableResponse:
        """Open a table; None is a bot."""
        request = pb.OpenTableRequest(
            table_id=table_id or f"t{next(self._ids)}",
            room_id=room or self.rules.room_id,
            seats=[pb.SeatAssignment(player_id=player or "", bot=player is None) for player in players],
        )
        async with self.stub() as stub:
            return await stub.OpenTable(request, metadata=rpc.metadata(self.service_token()), timeout=10)

    async def take(self, seat: int, player: str, hold: str, *, table_id: str = "t", room: str = ROOM) -> pb.TakeSeatResponse:
        """Take a free seat as matchmaking does; asked again while it is not known whether the stake can be bound."""
        request = pb.TakeSeatRequest(table_id=table_id, room_id=room, seat=seat, player_id=player, hold_id=hold)
        async with self.stub() as stub:
            while True:
                answer = await stub.TakeSeat(request, metadata=rpc.metadata(self.service_token()), timeout=10)
                if answer.state != pb.SEAT_STATE_JOINING:
                    return answer

    async def free_seats(self, *rooms: str) -> list[tuple[str, int]]:
        """Ask which seats are free: (table, seat)."""
        async with self.stub() as stub:
            request = pb.ListFreeSeatsRequest(room_ids=rooms)
            answer = await stub.ListFreeSeats(request, metadata=rpc.metadata(self.service_token()), timeout=10)
        return [(free.table_id, free.seat) for free in answer.seats]

    @contextlib.asynccontextmanager
    async def client(self, peer: str = "", address: str = "", *, gateway: bool = False) -> AsyncIterator[Client]:
        """A client with one stream; `peer`: where it says that it comes from, as a proxy would. `gateway`: it is one of ours."""
        metadata = [("x-forwarded-for", peer)] if peer else []
        if gateway:
            metadata += rpc.metadata(self.keys.part(Role.GATEWAY, Role.TABLE))
        async with aio.insecure_channel(address or self.address) as channel:
            call = table_pb2_grpc.TableServiceStub(channel).Play(metadata=metadata or None)
            client = Client(call)
            try:
                yield client
            finally:
                await client.close()


async def _nothing() -> None:
    """Stand in for what a killed process does not do."""
