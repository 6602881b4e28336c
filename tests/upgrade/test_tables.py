"""Tables of release 0.1.0, at every point at which they can stand: what is over is recorded as it was, what is live is played on."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from games.bots import bot
from games.verify import Verifier
from services.kit import rpc
from services.kit.database import Database, migrate
from services.kit.errors import ServiceError
from services.table import store, store_records
from services.table.replay import replay
from services.table.server import _SCRIPTS, SCHEMA
from tests.support.postgres import Postgres
from tests.table.client import Client, any_act
from tests.table.deals import RING
from tests.table.play import until
from tests.table.world import Rules, World
from tests.upgrade.old import DATA
from xuezhan.api.table.v1 import table_pb2 as pb

FOLDER = DATA / "tables"
SEEN: dict[str, Any] = json.loads((FOLDER / "seen.json").read_text("utf-8"))
LIVE: dict[str, Any] = SEEN["live"]
RECORDED: dict[str, list[str]] = {table: texts for table, texts in SEEN["records"].items() if isinstance(texts, list)}
SETTLING = ["settling", "settling_happy"]
TABLES = ("servers", "tables", "journal", "outbox")


class Rooms(Rules):
    """The rooms of the old tables."""

    def text(self) -> str:
        return (FOLDER / "rooms.toml").read_text("utf-8")


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database as the old release left it."""
    old = sqlite3.connect(tmp_path / "table.db")
    old.executescript((FOLDER / "table.sql").read_text("utf-8"))
    rows = {name: old.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}
    columns = {name: [column[1] for column in old.execute(f"PRAGMA table_info({name})")] for name in TABLES}
    old.close()
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/table.db"
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.new_database("table")
    _lay(url, rows, columns)
    return url


def _lay(url: str, rows: dict[str, list[tuple[Any, ...]]], columns: dict[str, list[str]]) -> None:
    database = Database(url, SCHEMA)
    with database.engine.begin() as connection:
        connection.execute(sa.schema.CreateSchema(SCHEMA, if_not_exists=True))
        config = Config()
        config.set_main_option("script_location", str(_SCRIPTS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for name in TABLES:
            table = sa.Table(name, sa.MetaData(), autoload_with=connection, schema=SCHEMA)
            for row in rows[name]:
                value = dict(zip(columns[name], row, strict=True))
                if name == "outbox":
                    value["done"] = bool(value["done"])
                connection.execute(table.insert().values(value))
    database.close()


@pytest.fixture
async def old(database_url: str, tmp_path: Path) -> Any:
    """Makes the world around the old tables; the server is started by the test."""
    w = World(tmp_path, rules=Rooms(), database_url=database_url, options={"seat_token_seconds": 3600.0})
    w.server_name = "table-1"
    for table, state in LIVE.items():
        w.settlement._money[table] = list(state["money"])
    w.settlement.start()
    yield w
    await w.__aexit__()


def journals(url: str) -> dict[str, list[Any]]:
    database = Database(url, SCHEMA)
    migrate(database, _SCRIPTS)
    found = database.run_sync(store.read_journal, list(SEEN["states"]))
    database.close()
    return found


async def texts(w: World, table: str, hand: int = 0) -> list[str]:
    async with w.stub() as stub:
        return list((await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id=table, hand=hand), w.reader_token())).records)


async def recorded(w: World) -> None:
    """Wait until nothing of the old release is left to be recorded."""
    async with asyncio.timeout(30):
        while await w.hall.database.run(store_records.not_recorded, 0, 100, "table-1"):  # noqa: ASYNC110 - another task's work
            await asyncio.sleep(0.05)


def test_live_tables_stand_where_they_stood(database_url: str) -> None:
    """The same hand, the same decision numbers, the same count of events for every view, the same coins and items."""
    rows = journals(database_url)
    assert {table: len(of_table) for table, of_table in rows.items() if table in LIVE} == {t: state["rows"] for t, state in LIVE.items()}
    for table, state in LIVE.items():
        course = replay(table, rows[table], RING)
        assert {
            "phase": course.phase,
            "hand": course.hand_no,
            "finished": course.finished,
            "counts": course.counts,
            "money": course.money,
            "asked": course.asked,
            "items": [list(item) for item in course.items],
            "settled": course.settled,
            "digest": course.digest(),
            "rows": len(rows[table]),
        } == state, table


async def test_hands_that_are_over_are_recorded_as_the_old_release_gave_them_out(old: World) -> None:
    """Byte for byte and unsigned; also those that the old release did not give out yet because their coins were on their way."""
    await old.start()
    await recorded(old)
    assert {table: await texts(old, table) for table in RECORDED if table not in LIVE} == {
        table: given for table, given in RECORDED.items() if table not in LIVE
    }
    for table, given in RECORDED.items():
        assert (await texts(old, table))[: len(given)] == given
    verifier = Verifier()
    for table in SETTLING:
        (text,) = await texts(old, table)
        record = json.loads(text)
        assert "type" not in record
        assert "signature" not in record
        assert verifier.check(record) == {"ok": True}
    for table in LIVE:
        if table not in RECORDED and table not in SETTLING:
            with pytest.raises(ServiceError) as refused:
                await texts(old, table)
            assert refused.value.reason == "not_over"


async def test_a_record_is_there_for_who_asks_before_its_turn(old: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await _never_catch_up(old, monkeypatch)
    assert await texts(old, "closed_kaxinwu") == RECORDED["closed_kaxinwu"]
    assert await texts(old, "live_duel") == RECORDED["live_duel"]


async def _never_catch_up(w: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from services.table.archive import Archive

    async def nothing(_archive: Any) -> None:
        """The work from before does not begin."""

    monkeypatch.setattr(Archive, "catch_up", nothing)
    await w.start()


async def test_recording_goes_on_where_a_kill_ended_it(old: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from services.table.archive import Archive

    done: list[str] = []
    of_table = Archive._of_table

    async def killed(archive: Archive, table_id: str, *, old: bool) -> None:
        if len(done) == 3:
            await asyncio.Event().wait()
        await of_table(archive, table_id, old=old)
        done.append(table_id)

    monkeypatch.setattr(Archive, "_of_table", killed)
    await old.start()
    await until(lambda: len(done) == 3)
    await old.crash()
    first = list(done)
    monkeypatch.setattr(Archive, "_of_table", of_table)
    again: list[str] = []

    async def seen(archive: Archive, table_id: str, *, old: bool) -> None:
        again.append(table_id)
        await of_table(archive, table_id, old=old)

    monkeypatch.setattr(Archive, "_of_table", seen)
    await old.start()
    await recorded(old)
    assert not set(first) & set(again)
    assert sorted(first + again) == sorted(SEEN["states"])
    await old.crash()
    again.clear()
    await old.start()
    await until(lambda: old.hall.open)
    assert again == []
    assert await texts(old, "closed_mayou") == RECORDED["closed_mayou"]


async def test_a_table_that_cannot_be_recorded_keeps_no_other_back(old: World) -> None:
    database = Database(old.database_url, SCHEMA)
    await asyncio.to_thread(migrate, database, _SCRIPTS)
    spoilt = "UPDATE journal SET body = '{}' WHERE seq = 1 AND table_num = (SELECT num FROM tables WHERE id = 'closed_duel')"
    await database.run(lambda connection: connection.exec_driver_sql(spoilt))
    await asyncio.to_thread(database.close)
    await old.start()
    await until(lambda: old.hall.metrics.alarms.labels("record_not_built")._value.get() == 1)
    with pytest.raises(ServiceError) as refused:
        await texts(old, "closed_duel")
    assert refused.value.reason == "unreadable_record"
    assert await texts(old, "closed_kaxinwu") == RECORDED["closed_kaxinwu"]


class Playing:
    """Plays a table's seats at random."""

    def __init__(self, w: World, client: Client, table: str, first: int) -> None:
        self.w, self.client, self.table, self.first = w, client, table, first
        self.random = random.Random(f"{table} under the present release")
        self.done: dict[int, int] = {}

    async def attach(self, opened: pb.OpenTableResponse) -> None:
        for token in opened.tokens:
            await self.client.attach(self.first + token.seat, token.token)

    async def until(self, true: Callable[[Any], bool]) -> None:
        """Answer offers until something is true of the table's course, or the table is closed."""
        async with asyncio.timeout(60):
            while (table := self.w.hall.find(self.table)) is not None and not true(table.course):
                await self.client.caught_up()
                for ref in range(self.first, self.first + len(table.seats)):
                    offer = self.client.offers.get(ref)
                    if offer is not None and self.done.get(ref) != offer.decision:
                        await self._answer(table, ref, offer)

    async def _answer(self, table: Any, ref: int, offer: pb.Offer) -> None:
        hand, seat = table.course.hand, ref - self.first
        if hand is None or hand.over or hand.offers[seat] is None or table.outlet.shown_decisions[seat] != offer.decision:
            return
        self.done[ref] = offer.decision
        if table.course.rules.game != "crazy_duel":
            act = any_act(offer, self.random)
        else:
            action = bot("crazy_duel", "greedy", self.random).choose(hand, seat)
            cards = [card + 1 for card in action.tiles]
            act = pb.Act(do=pb.DO_PLAY if cards else pb.DO_PASS, cards=cards, decision=offer.decision)  # type: ignore[arg-type]
        answer = await self.client.act(ref, act)
        assert answer.refused == "", (act, answer, offer)


def _finished(hands: int, course: Any) -> bool:
    return bool(course.finished >= hands)


def _only_the_third(client: Client, ref: int) -> bool:
    return [one.hand for one in client.of("hand_committed", ref)] == [3]


def _gone(w: World, table: str) -> bool:
    return w.hall.find(table) is None


ROOM_OF = {
    "live_happy": "happy_sichuan/open",
    "live_kaxinwu": "kaxinwu/coins",
    "live_mayou": "crazy_xuezhan/mayou",
    "live_duel": "crazy_duel/beginner",
    "revealing": "crazy_xuezhan/mayou",
    "refilled": "crazy_duel/beginner",
}


def players(table: str) -> tuple[str, ...]:
    return ("ann", "bob") if ROOM_OF[table].startswith("crazy_duel") else ("ann", "bob", "cem", "dee")


@pytest.mark.timeout(120)
async def test_live_hands_end_under_the_old_rules_and_the_next_have_statements(old: World) -> None:
    await old.start()
    async with old.client() as client:
        for number, table in enumerate(ROOM_OF):
            playing = Playing(old, client, table, 10 * number)
            await playing.attach(await old.open(*players(table), table_id=table, room=ROOM_OF[table]))
            if table == "refilled":
                again = await old.take(1, "cem", "hold", table_id=table, room=ROOM_OF[table])
                await client.attach(playing.first + 1, again.token.token)
            if table == "revealing":
                for seat in range(1, 4):
                    shown = pb.Reveal(contribution=bytes([seat + 1]) * 16)
                    await client.send(pb.Input(seat_ref=playing.first + seat, reveal=shown))
            await client.wait_for("view", playing.first)
            committed = client.of("view", playing.first)[0].committed
            assert (committed.hand, committed.HasField("signed")) == (LIVE[table]["hand"], False)
            await playing.until(partial(_finished, LIVE[table]["hand"]))
            await client.caught_up()
            unsigned = [one.hand for one in client.of("hand_committed", playing.first) if not one.HasField("signed")]
            assert unsigned == []
            assert LIVE[table]["hand"] not in [one.hand for one in client.of("deal_signed", playing.first)]
            if table in {"live_kaxinwu", "live_duel", "refilled"}:
                await playing.until(partial(_finished, 3))
                await client.until(partial(_only_the_third, client, playing.first))
                assert client.of("hand_committed", playing.first)[0].HasField("signed")
            await until(partial(_gone, old, table))
    for table in ROOM_OF:
        found = [json.loads(text) for text in await texts(old, table)]
        verifier = Verifier()
        assert [verifier.check(record) for record in found] == [{"ok": True}] * len(found), table
        assert [record["hand"] for record in found] == list(range(1, len(found) + 1))
        assert [("type" in record, "signature" in record) for record in found] == [
            (record["hand"] > LIVE[table]["hand"],) * 2 for record in found
        ]
    assert json.loads((await texts(old, "revealing"))[0])["contributions"] == [(bytes([seat + 1]) * 16).hex() for seat in range(4)]
    # What was between two hands, or not begun, goes on too.
    assert old.hall.find("gathering") is not None
    assert old.hall.find("pausing") is not None
    for table in SETTLING:
        await until(partial(_gone, old, table))


async def test_a_live_hand_of_the_old_release_that_is_called_off_has_a_record_of_the_old_kind(old: World) -> None:
    from services.table.ending import CalledOff

    await old.start()
    await until(lambda: old.hall.open)
    table = old.hall.find("live_mayou")
    table.send(partial(table.call_off, CalledOff.OPERATOR, "op-1"))
    await until(lambda: old.hall.find("live_mayou") is None)
    record = json.loads((await texts(old, "live_mayou"))[0])
    assert sorted(record) == ["called_off", "commitment", "contributions", "game", "hand", "seats", "seed", "table"]
    assert record["called_off"] == "operator"
    assert Verifier().check(record) == {"ok": True}
