"""A small world around the ledger: wallets, a room's terms, tables that send items, and what they were told."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sa
from prometheus_client import CollectorRegistry
from pydantic import BaseModel

from games.hand import Policy
from services.kit import items
from services.kit.database import Database, migrate
from services.kit.items import Item, ItemOutcome, TableOutcome
from services.settlement import check, findings, stakes, store, wallets
from services.settlement.config import SCHEMA
from services.settlement.metrics import WorkerMetrics
from services.settlement.state import Terms
from services.settlement.tasks import Settler
from services.settlement.worker import MIGRATIONS
from tests.support.post import an_item

T = TypeVar("T")

NOW = 1_700_000_000
ROOM = "crazy_xuezhan/mayou"
TERMS = Terms(ROOM, "crazy_xuezhan", Policy.STAGE, base=10, entry=100, needed=1000, lock=None, rated=False)
POOLED = Terms("happy_sichuan/open", "happy_sichuan", Policy.POOLED, base=5, entry=0, needed=100, lock=None, rated=False)
LOCKED = TERMS._replace(lock=1000, needed=1000)


def fast_sqlite(url: str) -> Database:
    """A migrated database on SQLite that does not wait for the disk: a process that dies takes no disk with it."""
    database = Database(url, SCHEMA)
    sa.event.listen(database.engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
    migrate(database, MIGRATIONS)
    return database


class World:
    """One settlement database and one worker, driven by hand."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.registry = CollectorRegistry()
        self.messages: list[tuple[str, list[TableOutcome]]] = []
        self.settler = Settler(
            database=database,
            publish=lambda server, tables: self.messages.append((server, list(tables))),
            metrics=WorkerMetrics(self.registry),
            clock=lambda: NOW,
        )
        self._keys = itertools.count(1)

    def run(self, work: Callable[..., T], *args: Any) -> T:
        return self.database.run_sync(work, *args)

    def deposit(self, **coins: int) -> None:
        for player, amount in coins.items():
            asked = wallets.Request(wallets.Way.DEPOSIT, player, amount, f"gift {next(self._keys)}", "gift")
            assert self.run(wallets.move, asked, NOW).refused == ""

    def wallet(self, player: str) -> int:
        return self.run(wallets.balance, player).wallet

    def wallets(self, *players: str) -> list[int]:
        return [self.wallet(player) for player in players]

    def owned(self, player: str) -> int:
        balance = self.run(wallets.balance, player)
        return balance.wallet + balance.at_stake

    def hold(self, match: str, *players: str | None, terms: Terms = TERMS) -> stakes.Held:
        seats = [stakes.Seat(number, player) for number, player in enumerate(players)]
        return self.run(stakes.hold, match, terms, seats, NOW)

    def hold_seat(self, match: str, seat: int, player: str, terms: Terms = TERMS) -> None:
        """Hold the stake of one who is to join a table at a seat."""
        assert self.run(stakes.hold, match, terms, [stakes.Seat(seat, player)], NOW).held

    def ratings(self) -> dict[str, int]:
        return self.run(lambda connection: dict(connection.execute(sa.select(store.ratings.c.player, store.ratings.c.points)).all()))

    def table(self, name: str, *players: str | None, terms: Terms = TERMS) -> TableLine:
        """A table whose stakes are held and whose `open` is settled."""
        assert self.hold(name, *players, terms=terms).held
        line = TableLine(self, name, terms)
        assert line.open(*players).result == "applied"
        return line

    def send(self, *sent: Item, redelivered: int = 0, server: str = "server-1") -> dict[str, TableOutcome]:
        """Deliver one message of a table server, and return what was told, by table."""
        told = len(self.messages)
        self.settler.apply_items(sent, server, redelivered)
        return {outcome.table: outcome for _, message in self.messages[told:] for outcome in message}

    def findings(self) -> list[findings.Finding]:
        return self.run(check.findings, NOW)

    def count(self, name: str, **labels: str) -> float:
        return self.registry.get_sample_value(name, labels) or 0.0


class TableLine:
    """The ordered items of one table, as its owner makes them."""

    def __init__(self, world: World, name: str, terms: Terms = TERMS) -> None:
        self.world = world
        self.name = name
        self.terms = terms
        self.seq = 0

    def item(self, body: BaseModel, seq: int | None = None) -> Item:
        """The next item of the list, or the one with the given number."""
        if seq is None:
            self.seq += 1
            seq = self.seq
        return an_item(self.name, seq, body)

    def settle(self, body: BaseModel) -> ItemOutcome:
        """Send the next item alone; its outcome."""
        sent = self.item(body)
        [outcome] = [one for one in self.world.send(sent)[self.name].items if one.seq == sent.seq]
        return outcome

    def open(self, *players: str | None) -> ItemOutcome:
        return self.settle(open_body(*players, room=self.terms.room_id))

    def stage(self, *claims: tuple[int, int, int], cause: str = "win") -> ItemOutcome:
        return self.settle(stage_body(*claims, base=self.terms.base, cause=cause))

    def left(self, seat: int, points: int = 0) -> ItemOutcome:
        rate = self.terms.base if self.terms.policy is Policy.POOLED else 0
        return self.settle(items.LeftBody(seat=seat, rate=rate, points=points))

    def hand_end(self, *points: int) -> ItemOutcome:
        return self.settle(items.HandEndBody(hand=1, rate=self.terms.base, points=list(points)))

    def close(self) -> ItemOutcome:
        return self.settle(CLOSE)


CLOSE = items.CloseBody(reason="over")


def open_body(*players: str | None, room: str = ROOM) -> items.OpenBody:
    return items.OpenBody(room=room, seats=[items.SeatHolder(seat=seat, player=player) for seat, player in enumerate(players)])


def stage_body(*claims: tuple[int, int, int], base: int = TERMS.base, cause: str = "win", stage: int = 0) -> items.StageBody:
    rows = [items.ClaimRow(payer=payer, payee=payee, multiple=multiple) for payer, payee, multiple in claims]
    return items.StageBody(hand=1, stage=stage, cause=cause, base=base, claims=rows)
