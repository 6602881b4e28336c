"""Bad messages in hand: none is acknowledged, counted or forgotten before the broker has it in the dead queue, and few fill a log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from services.kit.errors import UnavailableError
from services.kit.letterbox import PREFETCH, Letterbox
from services.kit.messages import ItemsText, Reader
from services.kit.publisher import CONTENT_TYPE, ENCODING, Letter
from services.kit.sampled import LINES, Sampled
from tests.support.post import Post


@dataclass
class Arrived:
    """A message as the broker delivered it, over one of several connections."""

    body: bytes
    channel: int = 1
    content_type: str = CONTENT_TYPE
    content_encoding: str = ENCODING
    headers: dict[str, Any] = field(default_factory=dict)
    became: str = ""

    def ack(self) -> None:
        self.became = "acknowledged"

    def reject(self, *, requeue: bool) -> None:
        self.became = "requeued" if requeue else "rejected"


class DeadQueue:
    """Takes letters, or does not."""

    def __init__(self) -> None:
        self.batches: list[list[bytes]] = []
        self.error: UnavailableError | None = None

    def dead(self, letters: list[Letter]) -> None:
        if self.error is not None:
            raise self.error
        self.batches.append([letter.body for letter in letters])


@pytest.fixture
def dead() -> DeadQueue:
    return DeadQueue()


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def letterbox(dead: Any, registry: CollectorRegistry) -> Letterbox[ItemsText]:
    return Letterbox("items", Reader(Post().trust).items, dead, registry)


def counted(registry: CollectorRegistry) -> float:
    return registry.get_sample_value("xuezhan_part_bad_messages_total", {"kind": "items", "reason": "undecodable"}) or 0


def read(letterbox: Letterbox[ItemsText], *bodies: bytes, channel: int = 1) -> list[Arrived]:
    messages = [Arrived(body, channel) for body in bodies]
    assert [letterbox.read(message) for message in messages] == [None] * len(messages)
    return messages


def test_bad_messages_go_into_the_dead_queue_together_and_are_acknowledged_then(
    letterbox: Letterbox[ItemsText], dead: DeadQueue, registry: CollectorRegistry
) -> None:
    messages = read(letterbox, b"1", b"2", b"3")
    assert ([message.became for message in messages], dead.batches, counted(registry)) == ([""] * 3, [], 0)
    assert letterbox.put_away()
    assert ([message.became for message in messages], dead.batches, counted(registry)) == (["acknowledged"] * 3, [[b"1", b"2", b"3"]], 3)
    assert not letterbox.put_away()


def test_no_more_are_held_back_than_the_broker_hands_out(letterbox: Letterbox[ItemsText], dead: DeadQueue) -> None:
    read(letterbox, *[b"x"] * (PREFETCH + 1))
    assert [len(batch) for batch in dead.batches] == [PREFETCH]


def test_what_cannot_be_put_away_now_is_neither_acknowledged_nor_counted_and_is_put_away_once_when_it_comes_again(
    letterbox: Letterbox[ItemsText], dead: DeadQueue, registry: CollectorRegistry
) -> None:
    dead.error = UnavailableError("broker", "away")
    messages = read(letterbox, b"1", b"2")
    with pytest.raises(UnavailableError):
        letterbox.put_away()
    dead.error = None
    again = read(letterbox, b"1", b"2", channel=2)
    assert letterbox.put_away()
    assert ([one.became for one in messages + again], dead.batches, counted(registry)) == (
        ["", "", "acknowledged", "acknowledged"],
        [[b"1", b"2"]],
        2,
    )


def test_what_came_over_a_connection_that_was_lost_is_left_to_come_again(letterbox: Letterbox[ItemsText], dead: DeadQueue) -> None:
    [lost] = read(letterbox, b"lost")
    read(letterbox, b"lost", b"new", channel=2)
    letterbox.put_away()
    assert (lost.became, dead.batches) == ("", [[b"lost", b"new"]])


def test_what_the_broker_refuses_to_take_is_left_to_the_broker(letterbox: Letterbox[ItemsText], dead: DeadQueue) -> None:
    dead.error = UnavailableError("broker_refuses", "no right")
    messages = read(letterbox, b"1", b"2")
    letterbox.put_away()
    assert [message.became for message in messages] == ["rejected", "rejected"]


def test_a_log_has_some_lines_a_second_of_what_strangers_do_and_the_number_of_the_others() -> None:
    now, lines = 0.0, list[tuple[str, dict[str, Any]]]()
    sampled = Sampled(lambda event, **more: lines.append((event, more)), "bad", clock=lambda: now)
    for number in range(100):
        sampled.line(number=number)
    assert lines == [("bad", {"number": number}) for number in range(LINES)]
    sampled.tell()
    assert len(lines) == LINES
    now = 1.0
    sampled.tell()
    sampled.tell()
    sampled.line(number=100)
    assert lines[LINES:] == [("bad_left_out", {"lines": 100 - LINES}), ("bad", {"number": 100})]
