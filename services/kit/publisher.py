"""Sending through the broker: items to the settlement workers, outcomes to table servers, and bad messages to where they are kept.

Law: what was sent is at the broker, which has confirmed it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from amqp.exceptions import MessageNacked
from kombu import Connection, Exchange, Producer

from services.kit import broker, bus, logs
from services.kit.broker_link import Link, failures
from services.kit.confirms import Confirms
from services.kit.supervise import Supervisor

log = logs.get(__name__)

CONTENT_TYPE: Final = "application/json"
ENCODING: Final = "utf-8"
EXPIRES: Final = "expires_at"
"""Header of items: until when they are worth working on, in milliseconds since 1970. Afterwards they have been sent again."""
_FULL_SECONDS: Final = 0.02
"""Between two attempts at a queue that is full."""
_DEAD_IN_MEMORY: Final = 1_000
OUTCOME_SECONDS: Final = 120
"""How long an outcome waits for a table server; by then it has been asked for again."""


class Letter(NamedTuple):
    """A message and its headers."""

    body: bytes
    headers: dict[str, Any]


class Publisher:
    """Sends from any one thread at a time; each call is bounded in time.

    Raises UnavailableError when the broker does not take the message in time, or refuses it: the sender's row stays and is sent again.
    """

    def __init__(self, url: str, supervisor: Supervisor | None = None) -> None:
        self._url = url
        self._link = Link("publisher", supervisor or Supervisor())
        self._connection: Connection | None = None
        self._producer: Producer | None = None
        self._confirms: Confirms | None = None
        self._made: set[str] = set()
        self._lock = threading.Lock()

    def items(self, message: bytes, worth_seconds: float) -> None:
        """Send items to the settlement workers, who pass over them when they are older than `worth_seconds`."""
        expires = {EXPIRES: round((time.time() + worth_seconds) * 1000)}
        self._send(bus.TASKS, bus.SETTLEMENT_QUEUE, [Letter(message, expires)])

    def outcomes(self, server: str, message: bytes) -> None:
        """Send outcomes to a table server. Where there is none of that name they are not kept."""
        self._send(bus.EVENTS, bus.outcome_key(server), [Letter(message, {})], expiration=OUTCOME_SECONDS)

    def dead(self, letters: Sequence[Letter]) -> None:
        """Put bad messages where an operator finds them."""
        self._send(bus.DEAD, bus.DEAD_QUEUE, letters)
        if bus.is_memory(self._url):
            self._bound_the_dead()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    def _send(self, exchange: Exchange, key: str, letters: Sequence[Letter], **more: Any) -> None:
        with self._lock:
            for fresh in (self._producer is None, True):
                try:
                    self._insist(exchange, key, letters, **more)
                    break
                except Exception as error:
                    caught = failures(self._connection) if self._connection is not None else (OSError,)
                    self._drop()
                    if not isinstance(error, caught):
                        raise
                    # A connection that was open before may have been lost long ago: once more, on a new one.
                    if fresh or isinstance(error, MessageNacked):
                        raise self._link.failed(error) from error
            self._link.works()

    def _insist(self, exchange: Exchange, key: str, letters: Sequence[Letter], **more: Any) -> None:
        """Publish. A queue that is full of somebody's junk has room again in a moment, and loses it to whoever asks the most often."""
        ends = time.monotonic() + bus.CONFIRM_SECONDS
        while True:
            try:
                self._publish(exchange, key, letters, **more)
            except MessageNacked:
                if time.monotonic() > ends:
                    raise
                time.sleep(_FULL_SECONDS)
            else:
                return

    def _publish(self, exchange: Exchange, key: str, letters: Sequence[Letter], **more: Any) -> None:
        producer = self._connected()
        self._make(exchange)
        for letter in letters:
            if self._confirms is not None:
                self._confirms.expect()
            producer.publish(
                letter.body,
                exchange=exchange.name,
                routing_key=key,
                content_type=CONTENT_TYPE,
                content_encoding=ENCODING,
                headers=letter.headers,
                retry=False,
                **more,
            )
        if self._confirms is not None:
            self._confirms.wait(bus.CONFIRM_SECONDS)

    def _connected(self) -> Producer:
        if self._producer is None:
            self._connection = bus.connect(self._url)
            bus.open_connection(self._connection)
            channel = self._connection.channel()
            # In memory, a message that was published is in its queue.
            self._confirms = None if bus.is_memory(self._url) else Confirms(channel)
            self._producer = Producer(channel, auto_declare=False)
        return self._producer

    def _make(self, exchange: Exchange) -> None:
        """See that what is sent has somewhere to go, dead letters first, so that no job and no dead letter is lost for want of a queue."""
        if exchange.name in self._made:
            return
        assert self._connection is not None
        if exchange is bus.EVENTS:
            broker.make(self._connection, exchange)
        elif exchange is bus.DEAD:
            broker.make(self._connection, bus.dead_queue())
        else:
            broker.make(self._connection, bus.dead_queue(), bus.settlement_queue(self._url))
        self._made.add(exchange.name)

    def _bound_the_dead(self) -> None:
        """Forget the oldest dead letters of a broker in this process, which knows no bound of its own."""
        with self._lock:
            channel: Any = self._connected().channel
            queue: Any = bus.dead_queue()(channel)
            while channel.queue_declare(bus.DEAD_QUEUE).message_count > _DEAD_IN_MEMORY:
                queue.get(no_ack=True)

    def _drop(self) -> None:
        connection, self._connection, self._producer, self._confirms = self._connection, None, None, None
        self._made.clear()
        if connection is not None:
            try:
                connection.release()
            except Exception as error:  # noqa: BLE001 - it is given up anyway
                log.debug("broker_connection_dropped", error=type(error).__name__)
