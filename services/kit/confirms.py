"""Publisher confirms for many messages at once: all are sent, then the broker's word for each is awaited.

Law: a message counts as sent when the broker says that it has it, and never because nothing was heard.
"""

from __future__ import annotations

import time
from typing import Any

from amqp.exceptions import MessageNacked


class Confirms:
    """What the broker has confirmed of everything that is published over one channel (py-amqp's)."""

    def __init__(self, channel: Any) -> None:
        self._connection = channel.connection
        self._last = 0
        self._open: set[int] = set()
        self._nacks = 0
        channel.events["basic_ack"].add(self._confirmed)
        channel.events["basic_nack"].add(self._nacked)
        channel.confirm_select()

    def expect(self) -> None:
        """One more message is about to be published."""
        self._last += 1
        self._open.add(self._last)

    def wait(self, seconds: float) -> None:
        """Return when the broker has everything. Raises MessageNacked when it does not take one, TimeoutError, and what the driver does."""
        ends = time.monotonic() + seconds
        while self._open:
            self._connection.drain_events(timeout=max(ends - time.monotonic(), 0.001))
            if self._open and time.monotonic() > ends:
                raise TimeoutError
        nacks, self._nacks = self._nacks, 0
        if nacks:
            raise MessageNacked

    def _confirmed(self, tag: int, multiple: bool) -> None:
        self._open -= {one for one in self._open if one <= tag} if multiple else {tag}

    def _nacked(self, tag: int, multiple: bool) -> None:
        self._nacks += 1
        self._confirmed(tag, multiple)
