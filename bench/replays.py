"""What it costs to replay a table's journal, beside the rules alone that carry out the same actions. Bots play hands of every game."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from grpc import aio

from bench import rig
from bench.options import Options
from bench.processes import Child
from bench.report import Row, number
from bench.rounds import median_ratio, rates
from bench.server import BOT_ROOMS
from games.hand import Action, Refusal, Setup
from services.kit import keys, rpc
from services.kit.database import Database
from services.kit.part_tokens import OwnToken
from services.kit.roles import Role
from services.kit.secrets import KeyRing
from services.table import rows, store
from services.table.replay import reopen, replay, step
from services.table.rows import Kind
from services.table.server import SCHEMA
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub

_TARGET: Final = 1.3
_HANDS: Final = 20
_PLAYED_SECONDS: Final = 120.0
_CALL_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.1


class Played(NamedTuple):
    """A hand that was played: its table's journal, and what the rules alone need of it."""

    table: str
    journal: list[rows.Row]
    rules: Any
    setup: Setup
    actions: list[Action]


def measure(group: str, options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Return a row for every game, and the figures of every round."""
    hands = 2 if options.quick else _HANDS
    with rig.folder() as data:
        url = f"sqlite:///{data / 'table.db'}"
        with rig.table_server(url) as server:
            tables = asyncio.run(_play(server, hands))
            ring = keys.load_table(Path(server.ready["secrets"])).deal
            played = asyncio.run(_read(url, tables, ring))
    found: list[Row] = []
    details: dict[str, Any] = {}
    for game, some in played.items():
        contenders: dict[str, Callable[[], int]] = {"replay": partial(_replays, some, ring), "rules": partial(_bare, some)}
        for work in contenders.values():
            work()
        details[game] = rounds = rates(max(options.repeat, 1), contenders, options.seconds(1.0))
        found.append(_row(group, game, some, rounds))
    return found, details


def _row(group: str, game: str, played: Sequence[Played], rounds: dict[str, list[float]]) -> Row:
    ours, theirs = ([1000 / rate for rate in rounds[name]] for name in ("replay", "rules"))
    against = f"rules alone {number(statistics.median(theirs))} ms"
    note = f"{statistics.mean(len(one.journal) for one in played):.0f} rows a journal, {len(played)} journals"
    what = f"{game}: replaying a whole hand"
    return Row(group, what, statistics.median(ours), "ms", against, median_ratio(ours, theirs), _TARGET, at_most=True, note=note)


def _replays(played: Sequence[Played], ring: KeyRing) -> int:
    for one in played:
        replay(one.table, one.journal, ring)
    return len(played)


def _bare(played: Sequence[Played]) -> int:
    for one in played:
        hand, _events = one.rules.deal(one.setup)
        for action in one.actions:
            hand.apply(action)
    return len(played)


# Where the journals come from.


async def _play(server: Child, hands: int) -> dict[str, list[str]]:
    """Let bots play tables of one hand in every game; their ids, by game."""
    token = OwnToken(keys.load(Path(server.ready["secrets"]), Role.MATCHMAKING), Role.TABLE)
    tables: dict[str, list[str]] = {}
    async with aio.insecure_channel(server.ready["address"]) as channel:
        stub = TableServiceStub(channel)
        for game, room, players in BOT_ROOMS:
            for place in range(hands):
                name = f"{game}-{place}"
                request = pb.OpenTableRequest(table_id=name, room_id=f"{game}/{room}", seats=[pb.SeatAssignment(bot=True)] * players)
                await stub.OpenTable(request, metadata=rpc.metadata(token.current()), timeout=_CALL_SECONDS)
                tables.setdefault(game, []).append(name)
    begun = time.monotonic()
    while server.ask("tables")["tables"]:
        if time.monotonic() - begun > _PLAYED_SECONDS:
            raise TimeoutError("the bots' tables do not end")
        await asyncio.sleep(_POLL_SECONDS)
    return tables


async def _read(url: str, tables: dict[str, list[str]], ring: KeyRing) -> dict[str, list[Played]]:
    database = Database(url, SCHEMA)
    try:
        journals = await database.run(store.read_journal, [table for some in tables.values() for table in some])
    finally:
        await asyncio.to_thread(database.close)
    return {game: [_played(table, journals[table], ring) for table in some] for game, some in tables.items()}


def _played(table: str, journal: list[rows.Row], ring: KeyRing) -> Played:
    course = reopen(table, journal[0])
    for row in journal[1:]:
        if row.kind is Kind.DEAL:
            break
        step(course, row, ring)
    one = Played(table, journal, course.rules, course.setup(), [rows.action_of(row) for row in journal if row.kind is Kind.ACT])
    hand, _events = one.rules.deal(one.setup)
    assert not any(isinstance(hand.apply(action), Refusal) for action in one.actions)
    assert hand.over, "one hand a table"
    return one
