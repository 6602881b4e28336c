"""Who owns a table: leases on the database's clock, generations, silence."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from services.kit.database import Database, migrate
from services.table import server, store, store_ownership
from services.table.config import TableSettings
from services.table.lease import Lease
from services.table.store_ownership import Owner, Profile
from tests.table.play import seated, until


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path}/t.db" if request.param == "sqlite" else request.getfixturevalue("postgres").new_database("lease")
    made = Database(url, server.SCHEMA)
    migrate(made, Path(server.__file__).parent / "migrations")
    yield made
    made.close()


async def test_the_next_process_of_a_name_waits_for_the_lease_to_run_out(database: Database) -> None:
    first, second = Lease(database, "a", 10, 0.6), Lease(database, "a", 10, 0.6)
    await first.claim("x:1")
    started = time.monotonic()
    await second.claim("y:1")
    assert time.monotonic() - started >= 0.5
    assert (first.generation, second.generation) == (1, 2)
    assert not await database.run(store_ownership.renew, first.owner, 5, 0, 0)
    assert await database.run(store_ownership.renew, second.owner, 5, 3, 12)
    (found,) = await database.run(store_ownership.list_servers)
    assert (found.address, found.generation, found.seats) == ("y:1", 2, 12)


async def test_who_waits_for_the_name_of_a_running_server_says_so_and_takes_over_when_it_stops(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = Lease(database, "a", 10, 0.5), Lease(database, "a", 10, 0.5)
    await first.claim("x:1")
    keeping = asyncio.ensure_future(first.keep(lambda: (0, 0), lambda: asyncio.sleep(0)))
    claiming = asyncio.ensure_future(second.claim("y:1"))
    await until(lambda: "server_name_in_use" in caplog.text)
    assert not claiming.done()
    assert first.valid()
    keeping.cancel()
    await first.release()
    await asyncio.wait_for(claiming, 5)
    assert second.generation == 2


async def test_a_lease_given_back_is_free_at_once(database: Database) -> None:
    first, second = Lease(database, "a", 10, 60), Lease(database, "a", 10, 60)
    await first.claim("x:1")
    await first.release()
    assert not first.valid()
    await asyncio.wait_for(second.claim("y:1"), 5)
    assert second.valid()


async def test_a_lease_is_renewed_for_longer_than_it_lasts(database: Database) -> None:
    lease = Lease(database, "a", 10, 2)
    lost: list[bool] = []

    async def lose() -> None:
        lost.append(True)

    await lease.claim("x:1")
    keeping = asyncio.ensure_future(lease.keep(lambda: (7, 28), lose))
    await asyncio.sleep(2.5)
    keeping.cancel()
    assert lease.valid()
    assert not lost


async def test_who_cannot_renew_is_silent_before_the_lease_is_free(database: Database) -> None:
    lease = Lease(database, "a", 10, 2.5)
    await lease.claim("x:1")
    await until(lambda: not lease.valid())
    assert isinstance(await database.run(store_ownership.register, Profile("a", "y:1", 1, ()), 5), float)


async def leased(database: Database, name: str, seconds: float) -> None:
    """Let a lease last so long from now, as it does when the clock was set back since it was renewed."""
    until = await database.run(store.clock) + seconds
    change = store.servers.update().where(store.servers.c.name == name).values(lease_until=until)
    await database.run(lambda connection: connection.execute(change))


async def test_a_lease_from_before_the_clock_was_set_back_lasts_no_longer_than_the_longest(database: Database) -> None:
    assert await database.run(store_ownership.register, Profile("a", "x:1", 1, ()), 5) == 1
    await leased(database, "a", 3600)
    found = await database.run(store_ownership.sweep, "b")
    assert 0 < (found.next_seconds or 0) <= 60
    await leased(database, "a", 3600)
    assert 0 < await database.run(store_ownership.register, Profile("a", "y:1", 1, ()), 5) <= 60
    assert await database.run(store_ownership.renew, Owner("a", 1), 5, 0, 0), "who is there goes on"
    found = await database.run(store_ownership.sweep, "b")
    assert 0 < (found.next_seconds or 0) <= 5


async def test_a_server_that_was_ended_takes_no_tables_though_the_clock_is_set_back(database: Database) -> None:
    assert await database.run(store_ownership.register, Profile("a", "x:1", 1, ()), 5) == 1
    await leased(database, "a", -1)
    assert await database.run(store_ownership.kill, Owner("a", 1))
    await leased(database, "a", 5)
    (found,) = await database.run(store_ownership.list_servers)
    assert (found.generation, found.state) == (2, store_ownership.DRAINING)


async def test_while_the_event_loop_is_blocked_the_lease_runs_out_though_its_thread_lives(database: Database) -> None:
    """A server that serves nobody must not keep its tables."""
    lease, lost = Lease(database, "a", 10, 1), threading.Event()

    async def lose() -> None:
        lost.set()

    with loop_of_its_own() as loop:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(lease.claim("x:1"), loop))
        keeping = asyncio.run_coroutine_threadsafe(lease.keep(lambda: (0, 0), lose), loop)
        await asyncio.sleep(1.2)
        assert lease.valid()
        loop.call_soon_threadsafe(time.sleep, 2.5)
        await asyncio.sleep(1.2)
        assert not lease.valid()
        assert await database.run(store_ownership.register, Profile("a", "y:1", 1, ()), 5) == 2
        assert await asyncio.to_thread(lost.wait, 5)
        assert not lease.valid()
        keeping.cancel()


@contextlib.contextmanager
def loop_of_its_own() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop on a thread, which a test may block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def test_an_expired_lease_is_not_renewed(database: Database) -> None:
    assert await database.run(store_ownership.register, Profile("a", "x:1", 1, ()), 0.1) == 1
    await asyncio.sleep(0.15)
    assert not await database.run(store_ownership.renew, Owner("a", 1), 5, 0, 0)


async def test_a_server_whose_lease_was_lost_ends_its_streams_and_takes_its_tables_up_again(world: Callable[..., Any]) -> None:
    w = await world(options={"lease_seconds": 0.5})
    async with w.client() as client:
        await seated(w, client)
        before = w.hall.find("t")
        digest = before.course.digest()
        await w.hall.database.run(expire, w.server_name)
        await client.until(lambda: client.ended)
        assert client.error is not None
        assert "UNAVAILABLE" in str(client.error)
    await until(lambda: w.hall.find("t") is not None)
    after = w.hall.find("t")
    assert after is not before
    assert after.epoch == before.epoch + 1
    assert after.course.digest() == digest
    assert before.seats == [], "what was let go of keeps no memory"


@pytest.mark.parametrize(("seconds", "development", "warns"), [(4.9, False, True), (5.0, False, False), (4.9, True, False)])
def test_a_lease_that_a_statement_may_outlast_is_warned_of_but_in_development(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, seconds: float, development: bool, warns: bool
) -> None:
    server.warn_of_short_lease(TableSettings(database_url="sqlite://", secrets=Path(), lease_seconds=seconds, development=development))
    assert ("lease_too_short" in "".join(capfd.readouterr()) + caplog.text) == warns


def expire(connection: Any, name: str) -> None:
    connection.execute(store.servers.update().where(store.servers.c.name == name).values(lease_until=0.0))


async def test_a_server_that_was_frozen_past_its_lease_says_nothing_more(world: Callable[..., Any]) -> None:
    """The last look is before the write itself, by the monotonic clock."""
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        w.hall.lease._silent_at = time.monotonic() - 1
        events = len(client.events)
        w.hall.find("t").seats[0].stream.put(b"")
        await client.until(lambda: client.ended)
        assert "UNAVAILABLE" in str(client.error)
        assert len(client.events) == events


async def test_while_a_server_owns_nothing_streams_and_tables_are_refused(world: Callable[..., Any]) -> None:
    from grpc import aio

    w = await world()
    w.hall.open = False
    async with w.client() as client:
        await client.until(lambda: client.ended)
        assert "UNAVAILABLE" in str(client.error)
    with pytest.raises(aio.AioRpcError, match="UNAVAILABLE"):
        await w.open("ann", "bob", "cem", "dee")
