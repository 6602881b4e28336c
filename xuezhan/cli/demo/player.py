"""A demo player: sits down in their room again and again, with a wallet that outlives the process."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from random import Random
from typing import Final

from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.load.brain import make_brain
from xuezhan.cli.where import Installation
from xuezhan.client import Client, ClientError, Heard, Picture, Seat, TableModel, table_model

PAUSE_SECONDS: Final = 0.4
"""How long a demo player seems to think; their table mates, the room's bots, take about as long."""
BETWEEN_SECONDS: Final = 1.0
STAKES: Final = 20
"""What a demo player is given: so many times what their room asks."""


@dataclass
class DemoSeat:
    """What one demo player sees and owns; the screen reads it. `wallet`: stakes included; `result`: their coins of the last hand."""

    name: str
    room: mm.Room
    table: Picture = field(default_factory=TableModel)
    table_id: str = ""
    names: list[str] = field(default_factory=list)
    wallet: int = 0
    hands: int = 0
    change: int = 0
    result: int = 0
    trouble: str = ""


class DemoPlayer:
    """Plays for ever. `told` has a line for every hand that was settled."""

    def __init__(self, where: Installation, client: Client, room: mm.Room, number: int, told: asyncio.Queue[str]) -> None:
        self.seen = DemoSeat(f"demo-{number}", room)
        self._where = where
        self._client = client
        self._told = told
        self._over = 0
        """The hand that is over and not told of yet; 0: none."""

    async def play(self) -> None:
        """Play at table after table until cancelled, first at the one where they sit already. What goes wrong is shown and tried again."""
        while True:
            try:
                await self._play_once()
            except ClientError as error:
                self.seen.trouble = str(error)
            await asyncio.sleep(BETWEEN_SECONDS)

    async def _play_once(self) -> None:
        seen = self.seen
        await self._fund()
        seat = await self._client.play(self._where.player_token(seen.name), seen.room.room_id, player=seen.name)
        seen.table_id, seen.trouble = seat.table_id, ""
        brain = make_brain(seen.room.game, "greedy", Random())
        async for heard in seat:
            self._see(heard)
            if heard.name == "hand_committed":
                # Nothing is dealt before the hand before is settled.
                await self._tell()
            brain.hear(heard)
            if heard.name == "offer":
                await asyncio.sleep(PAUSE_SECONDS)
                self._answer(seat, brain.choose(heard.what), heard.what)
        await self._tell()

    async def _tell(self) -> None:
        """Tell of the hand that is settled now, if there is one that was not told of."""
        seen, hand = self.seen, self._over
        if not hand:
            return
        self._over = 0
        balance = await self._client.coins.balance(self._where.coins_token(), seen.name)
        before, seen.wallet = seen.wallet, balance.wallet + balance.at_stake
        seen.result = seen.wallet - before
        seen.change += seen.result
        self._told.put_nowait(
            f"{seen.room.room_id}: hand {hand} settled at table {seen.table_id}; {seen.name} {seen.result:+d}, wallet {seen.wallet}"
        )

    def _see(self, heard: Heard) -> None:
        seen = self.seen
        if heard.name == "attached":
            seen.names = ["bot" if seat.bot else seat.player_id for seat in heard.what.seats]
            if seen.table.me is None or not seen.table.phase or seen.table.phase == "over":
                seen.table = table_model(seen.room.room_id, len(seen.names), heard.what.seat)
        else:
            seen.table.hear(heard.name, heard.what)
            if heard.name == "hand_over":
                seen.hands += 1
                self._over = heard.what.hand

    @staticmethod
    def _answer(seat: Seat, act: pb.Act, offer: pb.Offer) -> None:
        if seat.offer is not None and seat.offer.decision == offer.decision and seat.over is None:
            seat.submit(act, offer.decision)

    async def _fund(self) -> None:
        """Give the player coins if they have too few for their room, and see what they own."""
        seen = self.seen
        balance = await self._client.coins.balance(self._where.coins_token(), seen.name)
        coins = balance.wallet + balance.at_stake
        needed = max(seen.room.min_coins, seen.room.entry, seen.room.lock, 1)
        if coins < needed:
            await self._client.coins.deposit(
                self._where.cashier_token(), seen.name, STAKES * needed, f"{seen.name}-{secrets.token_hex(8)}", "demo"
            )
            coins += STAKES * needed
        seen.wallet = coins
