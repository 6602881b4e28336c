"""Tables, a broker that loses, doubles and reorders, and a process that dies between any two steps; an auditor compares after each.

The seed is in the test's name: the same seed does the same again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from services.kit.items import Item, LeftBody, TableOutcome
from services.settlement import stakes, store, store_tables, wallets
from tests.settlement.auditor import Auditor
from tests.settlement.world import CLOSE, NOW, TERMS, TableLine, World, fast_sqlite, open_body, stage_body

PLAYERS = [f"p{number}" for number in range(9)]
STEPS = 220
CRASHES = ("sifted", "applied", "moved", "written", "committed", "published")


class Crash(BaseException):
    """The process died here."""


class Simulation:
    """One world with its faults, all drawn from one seed."""

    def __init__(self, path: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.url = f"sqlite:///{path}/simulated.db"
        self.auditor = Auditor()
        self.lines: dict[str, list[Item]] = {}
        self.acknowledged: dict[str, int] = {}
        self.wire: list[list[Item]] = []
        self.crashes = 0
        self._requests: list[wallets.Request] = []
        self.start()
        self.world.deposit(**dict.fromkeys(PLAYERS, 4000))
        self.auditor.wallets |= dict.fromkeys(PLAYERS, 4000)

    def start(self) -> None:
        """Begin with nothing but the database, as after a restart."""
        self.world = World(fast_sqlite(self.url))
        self.world.settler.publish = self._publish

    def step(self) -> None:
        rng = self.rng
        act = rng.choices([self.pay, self.seat, self.release, self.send, self.deliver], weights=[2, 3, 1, 6, 8])[0]
        try:
            act()
        except Crash:
            self.crashes += 1
            self.world.database.close()
            self.start()
        self.compare()

    def pay(self) -> None:
        """A deposit or withdrawal, or one of before with the same key."""
        if self._requests and self.rng.random() < 0.3:
            assert self.world.run(wallets.move, self.rng.choice(self._requests), NOW).repeated
            return
        way = self.rng.choice(list(wallets.Way))
        request = wallets.Request(way, self.rng.choice(PLAYERS), self.rng.randint(1, 2000), f"key {len(self._requests)}", "")
        owns = self.auditor.wallets.get(request.player, 0)
        after = owns + request.coins if way is wallets.Way.DEPOSIT else owns - request.coins
        assert self.world.run(wallets.move, request, NOW).refused == ("" if after >= 0 else "short")
        self.auditor.wallets[request.player] = max(after, 0) if after >= 0 else owns
        if after >= 0:
            self._requests.append(request)

    def seat(self) -> None:
        """Hold the stakes of a new match, sometimes twice, and make all the items of its table."""
        name = f"t{len(self.lines)}"
        seats: list[str | None] = list(self.rng.sample(PLAYERS, self.rng.randint(1, 4)))
        seats += [None] * (4 - len(seats))
        held = self.auditor.hold(name, seats, TERMS.base, TERMS.needed)
        for _ in range(self.rng.randint(1, 2)):
            assert self.world.hold(name, *seats).held == held
        if held:
            self.lines[name] = self._make_items(name, seats)
            self.acknowledged[name] = 0

    def _make_items(self, name: str, seats: list[str | None]) -> list[Item]:
        line = TableLine(self.world, name)
        script: list[tuple[str, object, Any]] = [("open", None, open_body(*seats))]
        playing = [0, 1, 2, 3]
        for number in range(self.rng.randint(1, 6)):
            claims = [
                (payer, payee, self.rng.choice([1, 10, 100, 1000]))
                for payer, payee in {tuple(self.rng.sample(range(4), 2)) for _ in range(self.rng.randint(1, 3))}
            ]
            claims.sort()
            if all(seat in playing for claim in claims for seat in claim[:2]):
                script.append(("stage", claims, stage_body(*claims, stage=number)))
            elif len(playing) > 1 and self.rng.random() < 0.5:
                gone = playing.pop(self.rng.randrange(len(playing)))
                script.append(("left", gone, LeftBody(seat=gone)))
            if len(playing) == 4 and self.rng.random() < 0.2:
                gone = playing.pop(self.rng.randrange(4))
                script.append(("left", gone, LeftBody(seat=gone)))
        script.append(("close", None, CLOSE))
        self.auditor.tables[name].items = [(kind, what) for kind, what, _ in script]
        return [line.item(body) for _, _, body in script]

    def release(self) -> None:
        """A release that comes whenever it does."""
        if self.lines:
            name = self.rng.choice(sorted(self.lines))
            bound = self.world.run(stakes.release, name, "late", NOW)
            assert bound == self.auditor.tables[name].bound
            if not bound:
                self.auditor.release(name)
                # Whatever comes now is refused; the auditor has nothing more to do there.
                self.auditor.tables[name].items = []

    def send(self) -> None:
        """The owners of some tables send what is not acknowledged yet, not always in order."""
        open_tables = [name for name, items in self.lines.items() if self.acknowledged[name] < len(items)]
        message = [
            item
            for name in self.rng.sample(open_tables, min(len(open_tables), self.rng.randint(1, 4)))
            for item in self.lines[name][self.acknowledged[name] :][: self.rng.randint(1, 5)]
        ]
        if self.rng.random() < 0.4:
            self.rng.shuffle(message)
        if message:
            self.wire.append(message)

    def deliver(self) -> None:
        """The broker hands out a message: any of them, perhaps again, perhaps not at all; perhaps the worker dies of it."""
        if not self.wire:
            return
        place = self.rng.randrange(len(self.wire))
        message = self.wire[place] if self.rng.random() < 0.25 else self.wire.pop(place)
        if self.rng.random() < 0.1:
            return
        fatal = self.rng.choice(CRASHES) if self.rng.random() < 0.3 else ""

        def step(name: str) -> None:
            if name == fatal:
                raise Crash

        self.world.settler.step = step
        self.world.send(*message, redelivered=self.rng.choice([0, 0, 0, 1, 2]))
        self.world.settler.step = lambda _: None

    def _publish(self, _server: str, tables: Sequence[TableOutcome]) -> None:
        for told in tables:
            assert not told.stuck
            if self.rng.random() < 0.7:
                self.acknowledged[told.table] = max(self.acknowledged[told.table], told.through)

    def compare(self) -> None:
        """Let the auditor do what the ledger says is settled; then both must have the same coins everywhere."""
        heads, balances = self.world.run(_look)
        for name, head in heads.items():
            if name in self.auditor.tables:
                self.auditor.catch_up(name, head)
        for player, balance in balances.items():
            assert balance.wallet == self.auditor.wallets.get(player, 0), player
            assert balance.wallet + balance.at_stake == self.auditor.owned(player), player
            assert balance.match == self.auditor.busy.get(player, ""), player

    def finish(self) -> None:
        """No more faults: everything that was ever sent is settled."""
        for name, items in self.lines.items():
            for start in range(0, len(items), 3):
                self.world.send(*items[start : start + 3])
            assert self.acknowledged[name] <= len(items)
        self.compare()


def _look(connection: sa.Connection) -> tuple[dict[str, int], dict[str, wallets.Balance]]:
    heads = dict(connection.execute(sa.select(store.tables.c.id, store.tables.c.head)).all())
    a = store.accounts.c
    coins = {row.name: (row.kind, row.player, row.balance) for row in connection.execute(sa.select(a.name, a.kind, a.player, a.balance))}
    owned = {player: [0, 0] for player in PLAYERS}
    for kind, player, balance in coins.values():
        if player is not None:
            owned[player][kind == "escrow"] += balance
    busy = store_tables.occupied(connection, PLAYERS)
    return heads, {
        player: wallets.Balance(wallet=owned[player][0], at_stake=owned[player][1], match=busy.get(player, "")) for player in PLAYERS
    }


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_lost_doubled_reordered_or_dies_no_coin_is_lost_or_made(tmp_path: Path, seed: int) -> None:
    simulation = Simulation(tmp_path, seed)
    for number in range(STEPS):
        simulation.step()
        if number % 20 == 0:
            assert simulation.world.findings() == [], f"seed {seed}, step {number}"
    simulation.finish()
    assert simulation.crashes > 3
    assert simulation.world.findings() == []
    heads, _ = simulation.world.run(_look)
    assert {name: heads[name] for name in simulation.lines} == {name: len(items) for name, items in simulation.lines.items()}
    assert all(simulation.auditor.wallets[player] == simulation.world.owned(player) for player in simulation.auditor.wallets)
    simulation.world.database.close()
