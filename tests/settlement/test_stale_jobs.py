"""Messages whose items have been sent again since are passed over, so that play goes on soon after an outage."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from services.kit.letterbox import Letterbox
from services.kit.messages import Reader
from services.kit.publisher import CONTENT_TYPE, ENCODING, EXPIRES, Publisher
from services.settlement.jobs import Job, Jobs
from services.settlement.metrics import WorkerMetrics
from tests.settlement.shop import Shop
from tests.settlement.world import CLOSE, stage_body
from tests.support.post import SECONDS, Post, an_item, dead_letters

POST = Post()


@dataclass
class Delivered:
    """A message as the broker delivers it."""

    headers: dict[str, Any]
    body: bytes = field(default_factory=lambda: POST.items(an_item("t", 1, CLOSE)))
    content_type: str = CONTENT_TYPE
    content_encoding: str = ENCODING
    acknowledged: bool = False
    channel: object = None

    def ack(self) -> None:
        self.acknowledged = True


@pytest.fixture
def jobs() -> Jobs:
    return Jobs(Letterbox("items", Reader(POST.trust).items, Publisher("memory://")), WorkerMetrics(CollectorRegistry()))


def ago(seconds: float) -> dict[str, Any]:
    return {EXPIRES: round((time.time() - seconds) * 1000)}


def taken(jobs: Jobs, headers: dict[str, Any]) -> Job | None:
    """Take a message that has waited behind another; then nothing is at hand."""
    jobs.done()
    message = Delivered(headers)
    job = jobs.take(message)
    assert message.acknowledged == (job is None)
    return job


def test_what_waited_for_longer_than_it_was_worth_is_passed_over(jobs: Jobs) -> None:
    assert taken(jobs, ago(0.1)) is None
    assert taken(jobs, ago(-60)) is not None
    assert jobs._metrics.stale._value.get() == 1


def test_what_was_handed_out_before_is_never_passed_over(jobs: Jobs) -> None:
    """It may be the one that ends workers, and only the count of its deliveries tells."""
    job = taken(jobs, {**ago(100), "x-delivery-count": 2})
    assert job is not None
    assert job.deliveries == 2


def test_what_comes_to_an_idle_worker_has_not_waited_whatever_the_clock_of_its_sender_says(jobs: Jobs) -> None:
    jobs.done()
    time.sleep(0.3)
    assert jobs.take(Delivered(ago(3600))) is not None


def test_a_bad_message_is_put_away_as_one_whatever_age_it_claims(jobs: Jobs) -> None:
    jobs.done()
    message = Delivered(ago(3600), body=b"{}")
    assert jobs.take(message) is None
    early = message.acknowledged
    jobs.idle()
    assert (early, message.acknowledged) == (False, True), "once it is in the dead queue"
    assert jobs._metrics.stale._value.get() == 0
    assert [letter.body for letter in dead_letters("memory://", 1)] == [b"{}"]


@pytest.mark.parametrize("odd", ["yesterday", [1], None, 1.5, True, {}])
def test_a_message_that_does_not_say_how_long_it_is_worth_is_settled(jobs: Jobs, odd: object) -> None:
    assert taken(jobs, {EXPIRES: odd}) is not None
    assert taken(jobs, {}) is not None


def test_a_backlog_of_what_has_been_sent_again_does_not_keep_the_newest_waiting(shop: Shop) -> None:
    """As after two minutes without a worker: everything was sent six times, and only the last of it counts."""
    with shop.worker() as worker:
        shop.send(*shop.table("first"))
        worker.wait_ready(lambda: shop.through("first") == 1, seconds=SECONDS)
    batches = [shop.table(f"t{number}", *(stage_body((0, 1, 1), stage=stage) for stage in range(40)), CLOSE) for number in range(4)]
    for _ in range(128):
        for batch in batches:
            shop.send(*batch, worth_seconds=-1)
    for batch in batches:
        shop.send(*batch)
    with shop.worker() as worker:
        worker.wait_ready(lambda: bool(shop.ear.through("t0")), seconds=SECONDS)
        begun = time.monotonic()
        for number in range(4):
            shop.ear.wait(f"t{number}", 42, seconds=SECONDS)
        seconds = time.monotonic() - begun
        stale = shop.figures()["xuezhan_settlement_stale_messages_total", ""]
        assert worker.running
    assert stale >= 500
    assert seconds < 10
    print(f"{stale:.0f} stale messages passed over, the newest settled {seconds:.1f} s after the first")


def test_a_worker_that_finds_jobs_waiting_settles_them_one_right_after_the_other(shop: Shop) -> None:
    """Celery's loop kept the first acknowledgement for five seconds, and with it everything behind it."""
    with shop.worker() as worker:
        shop.send(*shop.table("first"))
        worker.wait_ready(lambda: shop.through("first") == 1, seconds=SECONDS)
    tables = [f"t{number}" for number in range(6)]
    for name in tables:
        shop.send(*shop.table(name, CLOSE))
    with shop.worker() as worker:
        worker.wait_ready(lambda: any(map(shop.through, tables)), seconds=SECONDS)
        begun = time.monotonic()
        for name in tables:
            shop.ear.wait(name, 2, seconds=SECONDS)
        assert time.monotonic() - begun < 3
