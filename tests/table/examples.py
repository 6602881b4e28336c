"""One hand from the deal to the statement: a staged hand at a real table server, its items through the real settlement."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from games.hand import Ruleset
from games.registry import ruleset
from games.verify import Verifier
from services.kit import rpc
from tests.cli.command import xuezhan
from tests.table.ledger import Ledger, Line, ledger
from tests.table.play import PLAYERS, until
from tests.table.staged import Script, follow, stack
from tests.table.world import Rules, World
from xuezhan.api.settlement.v1 import settlement_pb2 as st
from xuezhan.api.table.v1 import table_pb2 as pb

ANN, BOB, CEM, DEE = PLAYERS
"""Who sits on seats 0 to 3."""
ROOM = """
[[room]]
game = "{game}"
id = "{room}"
name = "room"
players = {players}
base = {base}
entry = {entry}
lock = {lock}
rated = {rated}
options = {{ {written} }}
claim_window_ms = 0
"""


@dataclass
class Room(Rules):
    """A room with an example's figures; `room` is one of its game's."""

    game: str = "crazy_xuezhan"
    room: str = "mayou"
    players: int = 4
    entry: int = 0
    lock: str = '"all"'
    rated: str = "false"
    options: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        written = ", ".join(f"{name} = {json.dumps(value)}" for name, value in self.options.items())
        return ROOM.format(**vars(self), written=written)

    @property
    def id(self) -> str:
        return f"{self.game}/{self.room}"

    def rules(self) -> Ruleset:
        return ruleset(self.game, {**self.options, "room": self.room}, self.players)


class Told(NamedTuple):
    """What is left of a hand: statements and visits by player, the record, what all own."""

    lines: dict[str, list[Line]]
    visits: dict[str, st.Visit]
    record: dict[str, Any]
    owned: dict[str, int]
    ratings: dict[str, list[tuple[int, str]]]
    printed: dict[str, list[dict[str, Any]]]


class Example:
    """Plays staged hands. `printed`: whose `xuezhan statement` is asked for as well; `goes`: a seat that leaves when it has won."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch

    async def play(self, room: Room, script: Script, money: Mapping[str, int], *, printed: str = "", goes: int = -1) -> Told:
        """Seat the players with their money, play the script, and read what they are told."""
        stack(self.monkeypatch, script)
        async with World(self.folder, rules=room, settles=False) as w, ledger(w) as coins:
            await coins.seat_with(room.id, money)
            async with w.client() as client:
                await client.attach_all(await w.open(*money, table_id="t", room=room.id))
                await follow(client, script, goes)
                await until(lambda: w.hall.find("t") is None)
            told = await _told(w, coins, list(money))
            assert w.hall.metrics.alarms.labels("coins_differ_from_rules")._value.get() == 0
            if printed:
                told.printed[printed] = await asyncio.to_thread(_printed, w, coins, printed)
        assert Verifier().check(told.record) == {"ok": True}
        assert sum(told.owned.values()) == sum(money.values())
        return told


async def _told(w: World, coins: Ledger, players: list[str]) -> Told:
    async with w.stub() as tables:
        request = pb.GetRecordRequest(table_id="t")
        (text,) = (await rpc.call(tables.GetRecord, request, w.reader_token())).records
    lines = {player: await coins.of_hand(player) for player in players}
    visits = {player: await coins.visit(player) for player in players}
    balances = {player: await coins.balance(player) for player in players}
    ratings = {player: [(rating.points, rating.title) for rating in found.ratings] for player, found in balances.items()}
    assert {found.at_stake for found in balances.values()} == {0}
    return Told(lines, visits, json.loads(text), {player: found.wallet for player, found in balances.items()}, ratings, {})


def _printed(w: World, coins: Ledger, player: str) -> list[dict[str, Any]]:
    """What the command prints, oldest first, without the time."""
    ran = xuezhan("statement", player, "--json", "--settlement", coins.address, "--secrets", w.keys.folder)
    assert ran.status == 0, ran.err
    fields = ("cause", "table", "hand", "counterpart", "multiple", "coins", "owed", "balance")
    return [{name: line[name] for name in fields} for line in reversed(ran.lines)]
