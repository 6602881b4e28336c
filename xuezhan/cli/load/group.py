"""The players of one game in a load run: their funds, and their rounds."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Final

from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as pb
from xuezhan.cli.load.brain import Brain, make_brain
from xuezhan.cli.load.checks import Wallet, wallet
from xuezhan.cli.load.plan import Plan
from xuezhan.cli.load.player import LoadPlayer
from xuezhan.cli.load.tally import Tally
from xuezhan.cli.load.traces import Traces
from xuezhan.cli.where import Installation
from xuezhan.client import Client, ClientError

LEAST_COINS: Final = 1_000_000
MOST_COINS: Final = 2**53 - 1
STAKES: Final = 100
"""Without --coins a player is given so many times what the room asks."""


class Group:
    """All tables of one room. `before` has what each player owned before the run."""

    def __init__(
        self, plan: Plan, room: pb.Room, tables: int, where: Installation, clients: Sequence[Client], traces: Traces | None
    ) -> None:
        self.plan = plan
        self.room = room
        self.tally = Tally(players=tables * room.players)
        self.before: dict[str, Wallet] = {}
        self._where = where
        self.players = [self._player(index, clients[index % len(clients)], traces) for index in range(self.tally.players)]

    def _player(self, index: int, client: Client, traces: Traces | None) -> LoadPlayer:
        plan = self.plan
        name = f"load-{plan.run}-{index}" if len(plan.games) == 1 else f"load-{plan.run}-{self.room.game}-{index}"
        random = Random(name)
        token = self._where.player_token(name)
        return LoadPlayer(
            name, token, client, self.tally, self._brains(random), random=random, traces=traces, think=plan.think, leave=plan.leave
        )

    def _brains(self, random: Random) -> Callable[[], Brain]:
        return partial(make_brain, self.room.game, self.plan.bots, random)

    async def fund(self, player: LoadPlayer) -> None:
        """Note what a player owns, and give them coins for the run."""
        room = self.room
        self.before[player.name] = await wallet(player.client, self._where.coins_token(), player.name)
        coins = self.plan.coins
        if coins is None:
            coins = min(max(LEAST_COINS, STAKES * max(room.min_coins, room.entry, room.lock)), MOST_COINS // 2)
        if coins:
            await player.client.coins.deposit(self._where.cashier_token(), player.name, coins, f"{player.name}-funds", "load")

    async def play(self) -> None:
        """Play round after round until everybody has played their hands."""
        begun = time.perf_counter()
        try:
            for number in range(1, self.plan.hands + 1):
                waiting = [player for player in self.players if player.hands < self.plan.hands]
                await asyncio.gather(*(self._sit_down(player, number) for player in waiting))
        finally:
            self.tally.seconds = time.perf_counter() - begun

    async def _sit_down(self, player: LoadPlayer, number: int) -> None:
        try:
            await player.play(self.room.room_id, f"{player.name}-{number}-{secrets.token_hex(4)}", self.plan.hands)
        except ClientError as error:
            self.tally.error(f"{player.name}: {error}")
