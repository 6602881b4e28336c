"""Messages that no worker can settle: each is in the dead queue at its first delivery, with the reason, and the workers go on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from services.kit import bus
from services.kit.items import Item, TableOutcome
from services.kit.roles import Role
from tests.settlement.shop import Shop
from tests.settlement.world import CLOSE, stage_body
from tests.support.post import SECONDS, Post, dead_letters, reasons
from tests.support.process import Process, wait_until
from tests.support.servers import RabbitMQ
from tests.support.strange import BODIES, CELERY, Strange, send_all

TASKS = (bus.TASKS.name, bus.SETTLEMENT_QUEUE)


@pytest.fixture
def worker(shop: Shop) -> Iterator[Process]:
    with shop.worker() as process:
        shop.send(*shop.table("first"))
        process.wait_ready(lambda: shop.through("first") == 1, seconds=SECONDS)
        yield process
        assert process.terminate() == 0


def test_no_shape_of_a_bad_message_ends_a_worker_or_keeps_it_from_settling(shop: Shop, worker: Process) -> None:
    strange = [*BODIES, *CELERY]
    assert len(strange) > 70
    half = len(strange) // 2
    batch = shop.table("t", stage_body((0, 1, 10)), CLOSE)
    send_all(shop.broker, *TASKS, *strange[:half])
    shop.send(*batch[:2])
    send_all(shop.broker, *TASKS, *strange[half:])
    shop.send(*batch)
    shop.wait_through("t", 3)
    assert worker.running, worker.output()[-3000:]
    found = dead_letters(shop.broker, len(strange))
    assert [(one.name, one.reason) for one in strange] == [
        (one.name, reason) for one, reason in zip(strange, reasons(found), strict=True)
    ], "in the order sent: none was handed out twice"
    assert all(letter.body == one.body[: len(letter.body)] for letter, one in zip(found, strange, strict=True) if one.name != "UTF-16")
    assert max(len(letter.body) for letter in found) <= 16 * 1024
    due = Counter(one.reason for one in strange)
    figures = shop.figures()
    assert {reason: figures["xuezhan_part_bad_messages_total", f"items {reason}"] for reason in due} == due
    wait_until(lambda: told(worker) == len(strange), seconds=SECONDS, what="each of them in the log, or among those left out")


def told(worker: Process) -> int:
    """Return how many bad messages a worker's log speaks of."""
    lines = [json.loads(line) for line in worker.output().splitlines() if '"bad_message' in line]
    return sum(line.get("lines", 1) for line in lines)


def test_bad_messages_are_put_away_by_the_first_worker_that_starts_after_them_and_the_good_one_behind_is_settled(shop: Shop) -> None:
    with shop.worker() as worker:
        shop.send(*shop.table("first"))
        worker.wait_ready(lambda: shop.through("first") == 1, seconds=SECONDS)
    strange = [BODIES[0], CELERY[1], BODIES[-1]]
    send_all(shop.broker, *TASKS, *strange)
    shop.send(*shop.table("t", CLOSE))
    with shop.worker() as worker:
        worker.wait_ready(lambda: shop.through("t") == 2, seconds=SECONDS)
    assert reasons(dead_letters(shop.broker, 3)) == ["undecodable"] * 3


def test_items_of_strangers_and_of_others_than_table_servers_are_not_settled(shop: Shop, worker: Process) -> None:
    items = shop.table("t", stage_body((0, 1, 10)), CLOSE)
    messages = forged(shop.post, items)
    send_all(shop.broker, *TASKS, *(Strange(name, body) for name, body, _ in messages))
    found = dead_letters(shop.broker, len(messages))
    assert [(name, reason) for (name, _, _), reason in zip(messages, reasons(found), strict=True)] == [
        (name, reason) for name, _, reason in messages
    ]
    assert shop.world.owned("t-a") == 5000
    shop.send(*items)
    shop.wait_through("t", 3)
    assert shop.world.wallets("t-a", "t-b") == [4900, 5100]
    assert worker.running


def forged(post: Post, items: list[Item]) -> list[tuple[str, bytes, str]]:
    """What each message is, the message, and why it is not believed."""
    good = post.items(*items)
    text = json.loads(good)["text"]

    def changed(old: str, new: str) -> bytes:
        assert old in text
        return post.signed(Role.TABLE, text.replace(old, new, 1))

    return [
        ("a stranger's", Post(installation=post.installation).items(*items), "unsigned"),
        ("another installation's", Post(post.keys, "f" * 16).items(*items), "foreign"),
        ("changed afterwards", good.replace(b"multiple", b"Multiple", 1), "unsigned"),
        ("signed for another text", _with_signature_of(good, post.items(items[0])), "unsigned"),
        ("outcomes", post.outcomes("server-1", TableOutcome(table="t", through=3, items=[])), "foreign"),
        *((f"by role {role}", post.signed(role, text), "foreign") for role in Role if role is not Role.TABLE),
        ("to be answered to another", changed('"reply_to":"server-1"', '"reply_to":"server-2"'), "foreign"),
        ("a seq that is a text", changed('"seq":1', '"seq":"1"'), "malformed"),
        ("a seq that stands twice", changed('"seq":1', '"seq":1,"seq":1'), "malformed"),
        ("a seq that is too large", changed('"seq":1', f'"seq":{2**53}'), "malformed"),
        ("a seq that is a fraction", changed('"seq":1', '"seq":1.0'), "malformed"),
        ("a table of no such name", changed('"table":"t"', '"table":"t t"'), "malformed"),
        ("one field more", changed('"seq":1', '"seq":1,"more":2'), "malformed"),
        ("another type", changed("xuezhan/items/1", "xuezhan/items/2"), "malformed"),
        ("no text of JSON", post.signed(Role.TABLE, "[" * 50_000), "malformed"),
        ("too many items", post.signed(Role.TABLE, json.dumps(json.loads(text) | {"items": json.loads(text)["items"] * 70})), "malformed"),
        ("a text too large", post.signed(Role.TABLE, text + " " * 300_000), "oversized"),
    ]


def _with_signature_of(message: bytes, other: bytes) -> bytes:
    return json.dumps(json.loads(message) | {"signature": json.loads(other)["signature"]}).encode()


def test_celery_hears_nothing_of_what_stands_beside_a_signed_text(shop: Shop, worker: Process) -> None:
    message = shop.post.items(*shop.table("t", CLOSE))
    odd = {"eta": "2999-01-01T00:00:00+00:00", "task": "other", "id": [1], "timelimit": ["a"], "stamps": 5, "expires": 5, "lang": "rb"}
    send_all(shop.broker, *TASKS, Strange("signed, with odd headers", message, headers=odd))
    shop.wait_through("t", 2)
    assert worker.running


def test_nothing_but_the_queues_that_are_needed_is_made_at_the_broker(shop: Shop, worker: Process, rabbitmq: RabbitMQ) -> None:
    assert worker.running
    vhost = shop.broker.rpartition("/")[2]
    for what, names in (
        ("queues", ["xuezhan.settlement", "xuezhan.settlement.dead", "xuezhan.table.server-1"]),
        ("exchanges", ["xuezhan.dead", "xuezhan.events", "xuezhan.tasks"]),
    ):
        listed = rabbitmq.control(f"list_{what}", "--vhost", vhost, "name", "--quiet", "--no-table-headers").split()
        assert sorted(name for name in listed if not name.startswith("amq.")) == names
