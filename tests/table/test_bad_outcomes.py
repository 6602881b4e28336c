"""Outcome messages that cannot be believed: each is in the dead queue at its first delivery, and tables play on, after a restart too."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from services.kit import bus
from services.kit.items import ItemKind, ItemOutcome, Result, TableOutcome
from services.kit.publisher import Letter, Publisher
from services.kit.roles import Role
from tests.support.post import Dead, Post, dead_letters, reasons
from tests.support.servers import RabbitMQ
from tests.support.strange import BODIES, Strange, send_all
from tests.table.play import PLAYERS, seated, until
from tests.table.test_supervised import figure
from tests.table.world import World


@pytest.fixture
def broker(rabbitmq: RabbitMQ) -> str:
    return rabbitmq.new_vhost()


async def send(w: World, *messages: Strange) -> None:
    if w.running is not None:
        # Before, there is no queue that would keep them.
        await until(lambda: w.service._supervisor.connected.labels("outcomes")._value.get() == 1)
    await asyncio.to_thread(send_all, w.broker_url, bus.EVENTS.name, bus.outcome_key(w.server_name), *messages)


async def buried(w: World, count: int) -> list[Dead]:
    return await asyncio.to_thread(dead_letters, w.broker_url, count)


async def plays_a_hand(w: World, table: str) -> None:
    async with w.client() as client:
        await seated(w, client, table)
        await client.play(random.Random(5), lambda: bool(client.of("table_closed", 0)), 30)


async def test_no_shape_of_a_bad_outcome_ends_the_thread_that_hears_them(world: Callable[..., Any], broker: str) -> None:
    w = await world(broker_url=broker)
    deaths = await figure(w, "xuezhan_part_serving_deaths_total", "outcomes")
    await send(w, *BODIES)
    found = await buried(w, len(BODIES))
    assert [(one.name, one.reason) for one in BODIES] == [(one.name, why) for one, why in zip(BODIES, reasons(found), strict=True)]
    assert {letter.headers["kind"] for letter in found} == {"outcomes"}
    await plays_a_hand(w, "t")
    assert await figure(w, "xuezhan_part_serving_deaths_total", "outcomes") == deaths == 0
    assert w.service._supervisor.ready


async def test_bad_outcomes_that_wait_for_a_server_to_start_are_put_away_and_it_plays(world: Callable[..., Any], broker: str) -> None:
    w = await world(broker_url=broker)
    await w.stop()
    strange = [BODIES[0], BODIES[1], BODIES[10], BODIES[-1]]
    await send(w, *strange)
    await w.start()
    assert reasons(await buried(w, len(strange))) == ["undecodable"] * len(strange)
    await plays_a_hand(w, "t")


async def test_forged_outcomes_are_not_believed(world: Callable[..., Any], broker: str) -> None:
    w = await world(broker_url=broker, settles=False)
    await w.open(*PLAYERS, table_id="t")
    applied = ItemOutcome(seq=1, kind=ItemKind.OPEN, result=Result.APPLIED, money=[100] * 4)
    told = TableOutcome(table="t", through=1, items=[applied])
    post = Post.of(w.keys)
    good = post.outcomes(w.server_name, told)
    text = json.loads(good)["text"]
    unsigned = json.dumps({"tables": [told.model_dump(mode="json")]}).encode()
    forged = [
        ("as the version before sent them", unsigned, "unsigned"),
        ("a stranger's", Post(installation=post.installation).outcomes(w.server_name, told), "unsigned"),
        ("a table server's own", post.signed(Role.TABLE, text), "foreign"),
        ("an operator's", post.signed(Role.FINANCE, text), "foreign"),
        ("another installation's", Post(post.keys, "f" * 16).outcomes(w.server_name, told), "foreign"),
        ("another server's", post.outcomes("table-of-others", told), "foreign"),
        ("more coins than were said", good.replace(b"100", b"900", 1), "unsigned"),
    ]
    await send(w, *(Strange(name, body) for name, body, _ in forged))
    assert [(name, why) for (name, _, _), why in zip(forged, reasons(await buried(w, len(forged))), strict=True)] == [
        (name, why) for name, _, why in forged
    ]
    assert w.hall.find("t").course.settled == 0
    await send(w, Strange("a worker's", good))
    await until(lambda: w.hall.find("t").course.settled == 1)
    assert w.hall.find("t").course.money == [100] * 4


async def test_bad_outcomes_in_one_process_are_put_away_too_and_not_without_end(world: Callable[..., Any]) -> None:
    w = await world()
    publisher = Publisher(w.broker_url)
    for _ in range(3):
        publisher.outcomes(w.server_name, b"{x")
    await plays_a_hand(w, "t")
    assert reasons(await buried(w, 3)) == ["undecodable"] * 3
    for _ in range(1_200):
        publisher.dead([Letter(b"x", {"reason": "oversized"})])
    with bus.connect(w.broker_url) as connection:
        channel: Any = connection.channel()
        assert channel.queue_declare(bus.DEAD_QUEUE).message_count <= 1_000
    publisher.close()
