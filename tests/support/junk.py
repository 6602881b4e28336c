"""A stolen password of the table servers at the broker, used to send junk to the settlement workers as fast as it goes.

`python -m tests.support.junk URL ...` runs one in a process of its own and prints how many messages it sent. It only ever connects to the
broker that it is given.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import amqp
from amqp.basic_message import Message

from services.kit import bus

_CLAIMED = {"key_id": "0" * 16, "signature": "0" * 128, "text": "{}"}
BODIES = [b"{x", json.dumps(_CLAIMED).encode()]
"""No JSON, and a text that nobody has signed."""


class Junk:
    """Sends without waiting for an answer, so that the broker alone bounds how fast."""

    def __init__(self, url: str, size: int = 0) -> None:
        self._url = url
        self._bodies: Iterator[bytes] = cycle([body.ljust(size) for body in BODIES])
        self._stopped = threading.Event()

    def stop(self, *_: object) -> None:
        """Send no more."""
        self._stopped.set()

    def run(self, seconds: float, most: int) -> int:
        """Send for some seconds, or so many messages; returns how many were sent."""
        end, sent = time.monotonic() + seconds, 0
        while not self._stopped.is_set() and sent < most and time.monotonic() < end:
            with bus.connect(self._url) as connection:
                connection.connect()
                driver: amqp.Connection = connection.connection
                channel: Any = driver.channel()
                try:
                    while not self._stopped.is_set() and sent < most and time.monotonic() < end:
                        message = Message(next(self._bodies), content_type="application/json", content_encoding="utf-8")
                        channel._basic_publish(message, exchange=bus.TASKS.name, routing_key=bus.SETTLEMENT_QUEUE)
                        sent += 1
                except (OSError, amqp.exceptions.AMQPError):
                    continue
        return sent


def main() -> None:
    """Send, and print how many were sent."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("--size", type=int, default=0, help="bytes of each message")
    given = parser.parse_args()
    os.nice(10)
    junk = Junk(given.url, given.size)
    signal.signal(signal.SIGTERM, junk.stop)
    print(junk.run(given.seconds, given.most))


if __name__ == "__main__":
    main()
