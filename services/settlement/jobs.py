"""Settlement jobs as they come from the broker: from a message to what a worker is to do, whichever kind of worker it is."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from kombu.message import Message

from services.kit.items import Item
from services.kit.letterbox import Letterbox
from services.kit.messages import ItemsText
from services.kit.publisher import CONTENT_TYPE, ENCODING, EXPIRES
from services.settlement.metrics import WorkerMetrics

APPLY_ITEMS: Final = "xuezhan.settlement.apply_items"
"""The task's name."""
_IDLE_SECONDS: Final = 0.25
"""Who has waited for so long for a message had an empty queue."""
_DELIVERIES: Final = "x-delivery-count"
"""RabbitMQ's header: how often a quorum queue handed the message out before."""


@dataclass(frozen=True)
class Job:
    """What is to be settled, and who is told."""

    items: list[Item]
    reply_to: str
    deliveries: int
    """How often the broker handed this message out before."""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the task."""
        return {
            "items": [[item.table, item.seq, item.body] for item in self.items],
            "reply_to": self.reply_to,
            "deliveries": self.deliveries,
        }

    def as_task(self, message: Any) -> Any:
        """Return a task message of Celery's second protocol in the place of the message that the broker delivered."""
        nothing = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
        kind: Any = Message
        return kind(
            body=json.dumps([[], self.arguments(), nothing]).encode(),
            content_type=CONTENT_TYPE,
            content_encoding=ENCODING,
            headers={"lang": "py", "task": APPLY_ITEMS, "id": str(uuid.uuid4()), "retries": 0},
            properties={},
            delivery_tag=message.delivery_tag,
            delivery_info=message.delivery_info,
            channel=message.channel,
        )


class Jobs:
    """Takes messages one after another."""

    def __init__(self, letterbox: Letterbox[ItemsText], metrics: WorkerMetrics) -> None:
        self._letterbox = letterbox
        self._metrics = metrics
        self._free_since = -inf

    def take(self, message: Any) -> Job | None:
        """Return what a message is about; None when there is nothing to do with it. A bad one waits for `idle`.

        Raises UnavailableError when bad ones cannot be put away now.
        """
        text = self._letterbox.read(message)
        if text is None:
            self.done()
            return None
        deliveries = _deliveries(message)
        if self._is_stale(message, deliveries):
            message.ack()
            self._metrics.stale.inc()
            self.done()
            return None
        return Job(text.items, text.sender, deliveries)

    def idle(self) -> None:
        """No other message has arrived: put the bad ones away. Raises UnavailableError when that cannot be done now."""
        if self._letterbox.put_away():
            self.done()

    def done(self) -> None:
        """The message at hand is dealt with."""
        self._free_since = time.monotonic()

    def _is_stale(self, message: Message, deliveries: int) -> bool:
        """Whether its items have been sent again since: the newer message stands behind it.

        What comes after the queue was empty has not waited, whatever the clock of its sender says; and what was handed out before may be
        what ends workers, which must be found out.
        """
        expires: Any = message.headers.get(EXPIRES)
        waited = type(expires) is int and expires < time.time() * 1000
        return waited and not deliveries and time.monotonic() - self._free_since < _IDLE_SECONDS


def _deliveries(message: Any) -> int:
    count = message.headers.get(_DELIVERIES)
    return count if type(count) is int else 0
