"""The worker beside the services: the same job from the memory transport, and nothing that a message holds can stop it."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu.transport.memory import Channel

from services.kit import bus
from services.kit.bootstrap import Running
from services.kit.config import ConfigError
from services.kit.errors import UnavailableError
from services.kit.items import Item, TableOutcome
from services.kit.letterbox import Letterbox
from services.kit.listener import Listener
from services.kit.messages import Reader
from services.kit.metrics import MetricsServer, new_registry
from services.kit.publisher import Publisher
from services.kit.roles import Role
from services.kit.supervise import Supervisor
from services.settlement import worker
from services.settlement.config import Settings, WorkerSettings
from services.settlement.jobs import Jobs
from services.settlement.server import build
from services.settlement.tasks import published
from services.settlement.worker import EmbeddedWorker
from tests.settlement.desk import Desk
from tests.settlement.world import CLOSE, TableLine, World, fast_sqlite, open_body, stage_body
from tests.support.keyring import Keyring
from tests.support.post import Ear, Post, an_item, dead_letters, reasons
from tests.support.threads import kill_thread
from xuezhan.api.settlement.v1 import settlement_pb2 as pb

MEMORY = "memory://"


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def ear(post: Post) -> Iterator[Ear]:
    made = Ear(MEMORY, post)
    yield made
    made.stop()


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    made = Publisher(MEMORY)
    yield made
    made.close()


class Embedded(World):
    """A world with an embedded worker, to which a table server sends."""

    def __init__(self, folder: Path, post: Post, publisher: Publisher) -> None:
        super().__init__(fast_sqlite(f"sqlite:///{folder}/embedded.db"))
        self.post = post
        self.publisher = publisher
        self.settler.publish = published(publisher, post.author(Role.WORKER, "worker-1"))
        jobs = Jobs(Letterbox("items", Reader(post.trust).items, publisher, self.registry), self.settler.metrics)
        self.worker = EmbeddedWorker(MEMORY, self.settler, jobs, Supervisor())

    def mail(self, *sent: Item) -> None:
        self.publisher.items(self.post.items(*sent), 60)


@pytest.fixture
def embedded(tmp_path: Path, post: Post, publisher: Publisher) -> Iterator[Embedded]:
    Channel.queues.clear()
    world = Embedded(tmp_path, post, publisher)
    world.worker.start()
    yield world
    world.worker.stop()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("settlement-worker")]
    assert world.findings() == []
    world.database.close()


def held_table(world: World) -> TableLine:
    world.deposit(ann=5000, bob=5000)
    assert world.hold("t", "ann", "bob").held
    return TableLine(world, "t")


def test_a_job_from_the_memory_transport_is_settled_and_its_outcomes_reach_the_sender(embedded: Embedded, ear: Ear) -> None:
    table = held_table(embedded)
    embedded.mail(*(table.item(body) for body in (open_body("ann", "bob"), stage_body((0, 1, 10)), CLOSE)))
    ear.wait("t", 3)
    assert embedded.wallets("ann", "bob") == [4900, 5100]


def test_a_job_that_raises_does_not_stop_the_next(embedded: Embedded, ear: Ear) -> None:
    table = held_table(embedded)
    message = [table.item(body) for body in (open_body("ann", "bob"), stage_body((0, 1, 10)))]
    failures = iter([RuntimeError("odd"), UnavailableError("database")])

    def fail(step: str) -> None:
        failure = next(failures, None) if step == "committed" else None
        if failure is not None:
            raise failure

    embedded.settler.step = fail
    for _ in range(3):
        embedded.mail(*message)
    ear.wait("t", 2)
    assert embedded.owned("ann") == 4900


def test_bad_messages_in_one_process_are_put_away_and_the_next_is_settled(embedded: Embedded, ear: Ear) -> None:
    table = held_table(embedded)
    opening = table.item(open_body("ann", "bob"))
    stranger = Post(installation=embedded.post.installation)
    for message in (b"{x", b"", b"5", b"[[], {}, {}]", b"x" * 600_000, stranger.items(opening)):
        embedded.publisher.items(message, 60)
    embedded.mail(opening)
    ear.wait("t", 1)
    assert reasons(dead_letters(MEMORY, 6)) == [*["undecodable"] * 4, "oversized", "unsigned"]


def test_jobs_are_settled_after_the_worker_s_thread_died(embedded: Embedded, ear: Ear) -> None:
    table = held_table(embedded)
    embedded.mail(table.item(open_body("ann", "bob")))
    ear.wait("t", 1)
    kill_thread("settlement-worker_0")
    embedded.mail(table.item(stage_body((0, 1, 10))))
    # The job that was at hand, if there was one, is sent again as a table would.
    embedded.mail(table.item(stage_body((0, 1, 10)), 2))
    ear.wait("t", 2)
    assert embedded.owned("ann") == 4900


def test_what_was_never_started_is_stopped_without_a_complaint(tmp_path: Path, post: Post, publisher: Publisher) -> None:
    """So that the reason why something else could not be started is the one that is told."""
    world = Embedded(tmp_path, post, publisher)
    world.worker.stop()
    Listener(MEMORY, bus.outcome_queue("server-1"), lambda _: None, Supervisor(), "outcomes").stop()
    world.database.close()


def test_outcomes_for_a_table_server_that_is_gone_are_not_kept(embedded: Embedded) -> None:
    embedded.settler.publish("nobody", [TableOutcome(table="t", through=1, items=[])])
    assert not [name for name, queue in Channel.queues.items() if "nobody" in name or (name.startswith("xuezhan.table") and queue.qsize())]


async def test_the_service_settles_by_itself_where_the_broker_is_in_its_process(desk: Desk) -> None:
    await desk.deposit("ann", 5000)
    seats = [pb.StakeSeat(seat=0, player_id="ann"), *(pb.StakeSeat(seat=seat) for seat in (1, 2, 3))]
    await desk.ask("HoldStakes", pb.HoldStakesRequest(match_id="m", room_id="crazy_xuezhan/mayou", seats=seats))
    bodies = [open_body("ann", None, None, None), stage_body((1, 0, 10), base=1), CLOSE]
    post = Post.of(desk.keys)
    publisher, ear = Publisher(MEMORY), Ear(MEMORY, post, "server-2")
    publisher.items(post.items(*(an_item("m", seq, body) for seq, body in enumerate(bodies, 1)), server="server-2"), 60)
    await asyncio.to_thread(ear.wait, "m", 3)
    ear.stop()
    publisher.close()
    assert await desk.wallet("ann") == 5010


def settings(kind: Any, folder: Path, **changes: Any) -> Any:
    secrets = Keyring(folder / "secrets").folder
    given = {"database_url": f"sqlite:///{folder}/x.db", "secrets": secrets, "development": True, "port": 0, "metrics_port": 0}
    return kind(**{**given, **changes})


def test_a_worker_process_needs_a_broker_that_other_processes_reach(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="broker_url"):
        worker.run(settings(WorkerSettings, tmp_path))


def test_a_worker_process_whose_metrics_port_is_taken_says_so(tmp_path: Path) -> None:
    taken = MetricsServer(new_registry(), "127.0.0.1", 0)
    with pytest.raises(ConfigError, match="metrics_port"):
        worker.run(settings(WorkerSettings, tmp_path, broker_url="amqp://guest:guest@127.0.0.1:1//", metrics_port=taken.port))
    taken.stop()


async def test_a_service_that_cannot_start_leaves_nothing_running(tmp_path: Path) -> None:
    before = {thread.name for thread in threading.enumerate()}
    (tmp_path / "rooms.toml").write_text("[[room]]\n")
    running = Running("settlement", settings(Settings, tmp_path, rooms_file=tmp_path / "rooms.toml"))
    with pytest.raises(ConfigError, match="room 1"):
        await running.start(build)
    assert {thread.name for thread in threading.enumerate()} <= before
