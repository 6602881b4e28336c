"""A table server whose broker refuses it says that it does not serve; one whose broker is away plays on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.kit.broker_link import AWAY_SECONDS
from services.kit.errors import UnavailableError
from tests.support.process import free_port
from tests.support.servers import RabbitMQ
from tests.table.play import PLAYERS, until
from tests.table.world import World

STATUS = health_pb2.HealthCheckResponse


async def health(w: World) -> int:
    async with aio.insecure_channel(w.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service="xuezhan.api.table.v1.TableService"), timeout=5)
        return int(answer.status)


async def becomes(w: World, status: int) -> None:
    async with asyncio.timeout(20):
        while await health(w) != status:  # noqa: ASYNC110 - it is the server's to say
            await asyncio.sleep(0.05)


async def test_a_server_that_its_broker_refuses_is_not_healthy_until_that_is_mended(world: Callable[..., Any], rabbitmq: RabbitMQ) -> None:
    url = rabbitmq.url.removesuffix("//") + "/made-later"
    w = await world(broker_url=url, settles=False)
    await becomes(w, STATUS.NOT_SERVING)
    await asyncio.to_thread(rabbitmq.control, "add_vhost", "made-later")
    await asyncio.to_thread(rabbitmq.control, "set_permissions", "--vhost", "made-later", "guest", ".*", ".*", ".*")
    await becomes(w, STATUS.SERVING)


async def test_a_server_whose_broker_is_away_is_healthy_and_its_items_wait_without_being_put_off(world: Callable[..., Any]) -> None:
    w = await world(broker_url=f"amqp://guest:guest@127.0.0.1:{free_port()}//", settles=False)
    await w.open(*PLAYERS, table_id="t")
    sent: list[float] = []
    publisher = w.hall.relay._publisher
    real = publisher.items

    def items(message: bytes, worth_seconds: float) -> None:
        sent.append(worth_seconds)
        real(message, worth_seconds)

    publisher.items = items
    await until(lambda: len(sent) >= 4, 20)
    assert max(sent) < 0.3, "as long as the broker is away it is always the first attempt"
    assert await health(w) == STATUS.SERVING
    w.hall.relay._publisher.items = lambda *_: None
    (item,) = w.hall.relay._items.values()
    await until(lambda: item.attempts == 1)


async def test_while_the_broker_is_away_only_one_batch_a_second_is_tried(world: Callable[..., Any]) -> None:
    w = await world(settles=False)
    tried: list[float] = []

    def away(_message: bytes, _worth: float) -> None:
        tried.append(time.monotonic())
        raise UnavailableError("broker", "the broker does not answer")

    w.hall.relay._publisher.items = away
    for number in range(5):
        await w.open(*PLAYERS, table_id=f"t{number}")
    await until(lambda: len(tried) >= 4)
    assert min(later - earlier for earlier, later in pairwise(tried)) > 0.9 * AWAY_SECONDS
