"""A load run from its first deposit to its last check.

Rounds: all players queue, play one table each, and queue again together, so that the number of tables is known beforehand. Servers may
be killed and started again meanwhile: everything is tried again for as long as the plan's patience lasts, and the run as a whole ends at
its time limit.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as pb
from xuezhan.cli.errors import CommandError
from xuezhan.cli.load.brain import GAMES, Brain, make_brain
from xuezhan.cli.load.checks import Wallet, at_once, check_coins, check_records, wallet
from xuezhan.cli.load.plan import Plan
from xuezhan.cli.load.player import LoadPlayer
from xuezhan.cli.load.progress import show
from xuezhan.cli.load.tally import Tally
from xuezhan.cli.load.traces import Traces
from xuezhan.cli.where import Installation
from xuezhan.client import ClientError

LEAST_COINS: Final = 1_000_000
MOST_COINS: Final = 2**53 - 1
FIRST_PATIENCE: Final = 10.0
"""Seconds for the first answer: an installation that was never there is not waited for as long as one that went away."""
STAKES: Final = 100
"""Without --coins a player is given so many times what the room asks."""


class LoadRun:
    """One run of a plan against an installation."""

    def __init__(self, plan: Plan, where: Installation) -> None:
        self.plan = plan
        self.tally = Tally()
        self._where = where
        self._traces = Traces(plan.traces) if plan.traces is not None else None
        self._clients = [where.client(plan.patience) for _ in range(plan.connections)]
        self._players: list[LoadPlayer] = []
        self._before: dict[str, Wallet] = {}

    async def run(self) -> Tally:
        """Play everything and check it. What goes wrong is in the tally."""
        try:
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
        return self.tally

    async def _run(self) -> None:
        room = await self._room()
        self._make_players(self.plan.tables * room.players)
        await at_once(self._fund(player, room) for player in self._players)
        shown = asyncio.create_task(show(self.tally, self.plan.tables * self.plan.hands))
        begun = time.perf_counter()
        try:
            for number in range(1, self.plan.hands + 1):
                await self._round(number, room.room_id)
        finally:
            self.tally.seconds = time.perf_counter() - begun
            self.tally.streams_broken = sum(client.streams.broken for client in self._clients)
            shown.cancel()
        await check_coins(self._clients[0], self._where.service_token, self._before, self._players, self.tally)
        if self.plan.check_records:
            await check_records(self._clients[0], self._where.service_token, self._players, self.tally)

    async def _room(self) -> pb.Room:
        if self.plan.game not in GAMES:
            raise CommandError(f"--game: nobody here can play {self.plan.game!r}; games: {', '.join(GAMES)}", 2)
        async with self._where.client(min(self.plan.patience, FIRST_PATIENCE)) as client:
            rooms = await client.tickets.rooms(self._where.service_token(), self.plan.game)
        for room in rooms:
            if self.plan.room in {"", room.room_id, room.room_id.partition("/")[2]}:
                return room
        known = ", ".join(room.room_id for room in rooms) or "none"
        raise CommandError(f"--room: {self.plan.game} has no room {self.plan.room!r} here; rooms: {known}", 2)

    def _make_players(self, number: int) -> None:
        for index in range(number):
            name = f"load-{self.plan.run}-{index}"
            client = self._clients[index % len(self._clients)]
            token, brains = self._where.player_token(name), self._brains(name)
            player = LoadPlayer(name, token, client, self.tally, brains, traces=self._traces, think=self.plan.think)
            self._players.append(player)
        self.tally.players = number

    def _brains(self, name: str) -> Callable[[], Brain]:
        return partial(make_brain, self.plan.game, self.plan.bots, Random(name))

    async def _fund(self, player: LoadPlayer, room: pb.Room) -> None:
        token = self._where.service_token()
        self._before[player.name] = await wallet(player.client, token, player.name)
        coins = self.plan.coins
        if coins is None:
            coins = min(max(LEAST_COINS, STAKES * max(room.min_coins, room.entry, room.lock)), MOST_COINS // 2)
        if coins:
            await player.client.coins.deposit(token, player.name, coins, f"{player.name}-funds", "load")

    async def _round(self, number: int, room_id: str) -> None:
        waiting = [player for player in self._players if player.hands < self.plan.hands]
        await asyncio.gather(*(self._play(player, number, room_id) for player in waiting))

    async def _play(self, player: LoadPlayer, number: int, room_id: str) -> None:
        try:
            await player.play(room_id, f"{player.name}-{number}-{secrets.token_hex(4)}", self.plan.hands)
        except ClientError as error:
            self.tally.error(f"{player.name}: {error}")
