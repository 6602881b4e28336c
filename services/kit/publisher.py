"""Sending through the broker: items to the settlement workers, outcomes to table servers, and bad messages to where they are kept."""

from __future__ import annotations

import threading
import time
from typing import Any, Final

from kombu import Connection, Exchange, Producer

from services.kit import broker, bus, logs
from services.kit.broker_link import Link, failures
from services.kit.supervise import Supervisor

log = logs.get(__name__)

CONTENT_TYPE: Final = "application/json"
ENCODING: Final = "utf-8"
EXPIRES: Final = "expires_at"
"""Header of items: until when they are worth working on, in milliseconds since 1970. Afterwards they have been sent again."""
_DEAD_IN_MEMORY: Final = 1_000
OUTCOME_SECONDS: Final = 120
"""How long an outcome waits for a table server; by then it has been asked for again."""


class Publisher:
    """Sends from any one thread at a time; each call is bounded in time.

    Raises UnavailableError when the broker does not take the message in time, or refuses it: the sender's row stays and is sent again.
    """

    def __init__(self, url: str, supervisor: Supervisor | None = None) -> None:
        self._url = url
        self._link = Link("publisher", supervisor or Supervisor())
        self._connection: Connection | None = None
        self._producer: Producer | None = None
        self._made: set[str] = set()
        self._lock = threading.Lock()

    def items(self, message: bytes, worth_seconds: float) -> None:
        """Send items to the settlement workers, who pass over them when they are older than `worth_seconds`."""
        expires = {EXPIRES: round((time.time() + worth_seconds) * 1000)}
        self._send(bus.TASKS, bus.SETTLEMENT_QUEUE, message, expires)

    def outcomes(self, server: str, message: bytes) -> None:
        """Send outcomes to a table server. Where there is none of that name they are not kept."""
        self._send(bus.EVENTS, bus.outcome_key(server), message, {}, expiration=OUTCOME_SECONDS)

    def dead(self, message: bytes, headers: dict[str, Any]) -> None:
        """Put a bad message where an operator finds it."""
        self._send(bus.DEAD, bus.DEAD_QUEUE, message, headers)
        if bus.is_memory(self._url):
            self._bound_the_dead()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    def _send(self, exchange: Exchange, key: str, message: bytes, headers: dict[str, Any], **more: Any) -> None:
        with self._lock:
            for fresh in (self._producer is None, True):
                try:
                    self._publish(exchange, key, message, headers, **more)
                    break
                except Exception as error:
                    caught = failures(self._connection) if self._connection is not None else (OSError,)
                    self._drop()
                    if not isinstance(error, caught):
                        raise
                    # A connection that was open before may have been lost long ago: once more, on a new one.
                    if fresh:
                        raise self._link.failed(error) from error
            self._link.works()

    def _publish(self, exchange: Exchange, key: str, message: bytes, headers: dict[str, Any], **more: Any) -> None:
        producer = self._connected()
        self._make(exchange)
        producer.publish(
            message,
            exchange=exchange.name,
            routing_key=key,
            content_type=CONTENT_TYPE,
            content_encoding=ENCODING,
            headers=headers,
            retry=False,
            confirm_timeout=bus.CONFIRM_SECONDS,
            **more,
        )

    def _connected(self) -> Producer:
        if self._producer is None:
            self._connection = bus.connect(self._url)
            bus.open_connection(self._connection)
            self._producer = Producer(self._connection.channel(), auto_declare=False)
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
        connection, self._connection, self._producer = self._connection, None, None
        self._made.clear()
        if connection is not None:
            try:
                connection.release()
            except Exception as error:  # noqa: BLE001 - it is given up anyway
                log.debug("broker_connection_dropped", error=type(error).__name__)
