"""What serves in the background is begun again when it ends by itself, and the part does not serve meanwhile."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry

from services.kit import supervise
from services.kit.supervise import Supervisor, Threads
from tests.support.process import wait_until
from tests.support.threads import kill_thread

DEATHS, FAULTS = "xuezhan_part_serving_deaths_total", "xuezhan_part_serving_faults"


class Watched:
    """A supervisor and what it told."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.supervisor = Supervisor(self.registry)
        self.told: list[bool] = []
        self.supervisor.listen(lambda: self.told.append(self.supervisor.ready))

    def figure(self, name: str, what: str) -> float | None:
        return self.registry.get_sample_value(name, {"what": what})


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "PAUSE_SECONDS", 0.02)


def ends(how: Iterator[BaseException | None], stop: threading.Event) -> None:
    """Serve once in each way; after the last until told to stop."""
    for end in how:
        if end is not None:
            raise end
        return
    stop.wait()


def test_a_thread_that_ends_or_raises_is_counted_and_begun_again(watched: Watched) -> None:
    stop = threading.Event()
    ways = iter([RuntimeError("odd"), None, SystemExit()])
    assert watched.supervisor.ready
    thread = watched.supervisor.thread("ear", lambda: ends(ways, stop), stop)
    wait_until(lambda: watched.told == [False, True] * 3, seconds=10, what="three deaths")
    assert (watched.figure(DEATHS, "ear"), watched.figure(FAULTS, "ear")) == (3, 0)
    stop.set()
    thread.join(5)
    assert not thread.is_alive()
    assert watched.figure(DEATHS, "ear") == 3, "an end that was asked for is no death"


def test_one_that_dies_again_and_again_is_begun_again_less_and_less_often(watched: Watched) -> None:
    pauses = supervise._Pauses()
    given = [pauses.next() for _ in range(12)]
    assert given[:3] == [0.02, 0.04, 0.08]
    assert given[-1] == supervise.LONGEST_PAUSE_SECONDS


async def test_a_task_is_begun_again_until_it_may_end_or_is_cancelled(watched: Watched) -> None:
    ways = iter([RuntimeError("odd"), asyncio.CancelledError(), None])

    async def serve() -> None:
        for end in ways:
            if end is not None:
                raise end
            return

    await watched.supervisor.task("relay", serve, lambda: True)
    assert (watched.figure(DEATHS, "relay"), watched.told) == (2, [False, True] * 2)
    task = asyncio.create_task(watched.supervisor.task("relay", asyncio.Event().wait))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert watched.figure(DEATHS, "relay") == 2


def test_faults_of_several_kinds_keep_a_part_from_serving_until_all_are_mended(watched: Watched) -> None:
    supervisor = watched.supervisor
    supervisor.fault("broker", "403")
    supervisor.fault("broker", "403")
    supervisor.fault("database", "it ended", which=1)
    supervisor.fault("database", "it ended", which=2)
    supervisor.well("broker")
    supervisor.well("database", which=1)
    assert (supervisor.ready, watched.figure(FAULTS, "database"), watched.figure(FAULTS, "broker")) == (False, 1, 0)
    supervisor.well("database", which=2)
    assert (supervisor.ready, watched.figure(FAULTS, "database")) == (True, 0)


def test_threads_do_their_work_after_one_of_them_was_killed(watched: Watched) -> None:
    threads = Threads(watched.supervisor, "database", 1)
    assert threads.submit(lambda: 7).result(5) == 7
    kill_thread("database_0")
    wait_until(lambda: watched.figure(DEATHS, "database") == 1, seconds=10, what="the death")
    assert threads.submit(lambda: 8).result(5) == 8
    with pytest.raises(ValueError, match="odd"):
        threads.submit(_raise, ValueError("odd")).result(5)
    with pytest.raises(SystemExit):
        threads.submit(_raise, SystemExit()).result(5)
    assert threads.submit(lambda: 9).result(5) == 9
    assert watched.figure(DEATHS, "database") == 2, "what the work raises is its own, what ends the thread is not"
    threads.close()
    with pytest.raises(RuntimeError):
        threads.submit(lambda: 10)


def test_work_that_was_submitted_is_done_before_the_threads_end(watched: Watched) -> None:
    threads = Threads(watched.supervisor, "database", 2)
    done = [threads.submit(lambda number=number: number) for number in range(50)]
    threads.close()
    assert [one.result(0) for one in done] == list(range(50))
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("database_")]


def _raise(error: BaseException) -> None:
    raise error
