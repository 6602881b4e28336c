"""A table whose seats change hands, through every part of `xuezhan up`: queue, stake, seat, play, record, statement."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from games.verify import Verifier
from services.kit.roles import Role
from tests.e2e.installation import Embedded
from xuezhan.cli.load.brain import make_brain
from xuezhan.client import Client, Heard, Seat

pytestmark = pytest.mark.timeout(180)

ROOM = "crazy_duel/beginner"
ROOMS = """
[[room]]
game = "crazy_duel"
id = "beginner"
name = "初级场"
players = 2
hands = 2
base = 100
lock = 10_000
break_seconds = 1
refill_seconds = 60
contribution_seconds = 1
bots = { wait_seconds = "never" }
"""


class Player:
    """Plays whatever they are offered; goes after `hands` hands."""

    def __init__(self, up: Embedded, client: Client, name: str, hands: int) -> None:
        self.name = name
        self.heard: list[Heard] = []
        self.seat: Seat
        self._keys = up.keyring
        self._client = client
        self._brain = make_brain("crazy_duel", "random", Random(name))
        self._hands = hands
        self._news = asyncio.Event()

    async def sit(self) -> None:
        await self._client.coins.deposit(self._keys.part(Role.CASHIER, Role.SETTLEMENT), self.name, 50_000, f"d-{self.name}", "test")
        self.seat = await self._client.play(self._keys.player(self.name), ROOM, player=self.name, listener=self._listen)

    def _listen(self, seat: Seat, heard: Heard) -> None:
        self.heard.append(heard)
        self._news.set()
        if heard.name == "over":
            return
        self._brain.hear(heard)
        if heard.name == "offer":
            seat.submit(self._brain.choose(heard.what), heard.what.decision)
        elif heard.name == "hand_over" and len(self.of("hand_over")) >= self._hands:
            seat.leave()

    def of(self, name: str) -> list[Heard]:
        return [heard for heard in self.heard if heard.name == name]

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while not true():
                self._news.clear()
                await self._news.wait()

    async def statement(self) -> int:
        """What the ledger says that they won, after everything is settled."""
        token = self._keys.player(self.name)
        while (await self._client.coins.balance(token, self.name)).at_stake:  # noqa: ASYNC110 - the ledger sends no word
            await asyncio.sleep(0.05)
        lines = [line async for page in self._client.coins.statement_pages(token, self.name) for line in page.lines]
        return sum(line.coins for line in lines if line.table_id)


@pytest.mark.parametrize("killed", [False, True], ids=["", "killed_meanwhile"])
async def test_a_waiting_player_gets_the_seat_of_who_went_and_plays_on_with_who_stayed(tmp_path: Path, killed: bool) -> None:
    (tmp_path / "rooms.toml").write_text(ROOMS)
    with Embedded(tmp_path, "--rooms", tmp_path / "rooms.toml") as up:
        places = up.addresses
        async with Client(places["matchmaking"], places["table"], places["settlement"]) as client:
            ann, bob, cem = (Player(up, client, name, hands) for name, hands in (("ann", 9), ("bob", 1), ("cem", 9)))
            await asyncio.gather(ann.sit(), bob.sit())
            await bob.until(lambda: bob.seat.over)
            assert bob.seat.over is not None
            assert bob.seat.over.reason == "left"
            if killed:
                await asyncio.to_thread(up.process.kill)
                await asyncio.to_thread(up.start)
            await cem.sit()
            assert (cem.seat.table_id, cem.seat.place.seat) == (ann.seat.table_id, bob.seat.place.seat)
            await asyncio.gather(*(player.until(lambda player=player: player.seat.over) for player in (ann, cem)))  # type: ignore[misc]
            (taken,) = ann.of("seat_taken")
            assert (taken.what.player_id, taken.what.seat) == ("cem", cem.seat.place.seat)
            assert {seat.player_id for seat in ann.seat.info.seats} == {seat.player_id for seat in cem.seat.info.seats} == {"ann", "cem"}
            assert [heard.what.hand for heard in cem.of("hand_over")] == [2]
            assert [player.seat.faults for player in (ann, bob, cem)] == [[], [], []]
            assert [str(player.seat.over) for player in (ann, cem)] == ["closed: finished"] * 2
            won = {player.name: await player.statement() for player in (ann, bob, cem)}
        (records,) = await asyncio.to_thread(up.records, [ann.seat.table_id])
        assert up.ledger_check().status == 0
    verifier = Verifier()
    assert [verifier.check(record) for record in records] == [{"ok": True}] * 2
    assert [set(record["seats"]) for record in records] == [{"ann", "bob"}, {"ann", "cem"}]
    told = dict.fromkeys(won, 0)
    for record in records:
        for payer, payee, coins in record["coins"][0]["moves"]:
            told[record["seats"][payer]] -= coins
            told[record["seats"][payee]] += coins
    assert won == told
    assert won["bob"] != 0 != won["cem"], "coins did move"
