"""A load run from its first deposit to its last check.

Rounds: all players of a game queue, play one table each, and queue again together, so that the number of tables is known beforehand;
several games are played side by side. Servers may be killed and started again meanwhile: everything is tried again for as long as the
plan's patience lasts, and the run as a whole ends at its time limit.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from xuezhan.cli.load.checks import at_once, check_coins, check_records
from xuezhan.cli.load.figures import exported
from xuezhan.cli.load.group import Group
from xuezhan.cli.load.plan import Plan, check_rooms, room_of
from xuezhan.cli.load.progress import show
from xuezhan.cli.load.tally import Tally
from xuezhan.cli.load.traces import Traces
from xuezhan.cli.where import Installation
from xuezhan.client import ClientError

FIRST_PATIENCE: Final = 10.0
"""Seconds for the first answer: an installation that was never there is not waited for as long as one that went away."""


class LoadRun:
    """One run of a plan against an installation."""

    def __init__(self, plan: Plan, where: Installation, metrics_port: int | None = None) -> None:
        """`metrics_port`: where it exports what its players see of faults of fairness, if anywhere."""
        self.plan = plan
        self._metrics_port = metrics_port
        self.tally = Tally()
        """What belongs to no game, and in the end everything together."""
        self.groups: list[Group] = []
        self._where = where
        self._traces = Traces(plan.traces) if plan.traces is not None else None
        self._clients = [where.client(plan.patience) for _ in range(plan.connections)]

    async def run(self) -> dict[str, Any]:
        """Play everything, check it, and return the report. What goes wrong is in it."""
        try:
            with exported(self._metrics_port, lambda: [group.tally for group in self.groups]):
                async with asyncio.timeout(self.plan.timeout):
                    await self._run()
        except TimeoutError:
            self.tally.error(f"not finished after {self.plan.timeout:.0f} seconds")
        except ClientError as error:
            self.tally.error(str(error))
        finally:
            if self._traces is not None:
                self._traces.close()
            for client in self._clients:
                await client.close()
            self.tally.statements_unchecked = sum(client.record_keys.unchecked for client in self._clients)
        for group in self.groups:
            self.tally.add(group.tally)
        games = {group.room.game: {"room": group.room.room_id, **group.tally.report()} for group in self.groups}
        return {**self.tally.report(), "games": games}

    async def _run(self) -> None:
        self.groups = await self._make_groups()
        for group in self.groups:
            await at_once(group.fund(player) for player in group.players)
        shown = asyncio.create_task(show([group.tally for group in self.groups], self.plan.tables * self.plan.hands))
        begun = time.perf_counter()
        try:
            await asyncio.gather(*(group.play() for group in self.groups))
        finally:
            self.tally.seconds = time.perf_counter() - begun
            self._count_streams()
            shown.cancel()
        servers = list(dict.fromkeys(address for client in self._clients for address in (*client.streams.addresses, *self._where.tables)))
        for group in self.groups:
            await check_coins(self._clients[0], self._where.coins_token, group.before, group.players, group.tally)
            if self.plan.check_records:
                await check_records(self._clients[0], self._where.reader_token, group.players, group.tally, servers)

    def _count_streams(self) -> None:
        tally, streams = self.tally, [client.streams for client in self._clients]
        tally.streams_broken = sum(one.broken for one in streams)
        tally.reconnects = sum(one.reconnects for one in streams)
        tally.moves = sum(one.moves for one in streams)
        tally.waits = sum(one.waits for one in streams)

    async def _make_groups(self) -> list[Group]:
        plan, token = self.plan, self._where.player_token(f"load-{self.plan.run}-0")
        async with self._where.client(min(plan.patience, FIRST_PATIENCE)) as client:
            offered = [await client.tickets.rooms(token, game) for game in plan.games]
        check_rooms(plan.rooms, offered)
        rooms = [room_of(game, plan.rooms, of_game) for game, of_game in zip(plan.games, offered, strict=True)]
        return [
            Group(plan, room, plan.tables_of(place), self._where, self._clients, self._traces)
            for place, room in enumerate(rooms)
            if plan.tables_of(place)
        ]
