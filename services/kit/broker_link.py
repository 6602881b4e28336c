"""One connection to the broker as the part that uses it knows it: whether it works, and if not, why, in the broker's own words.

Law: a broker that refuses is not one that is away. What it refuses stays refused until somebody changes something, so the part says that it
does not serve, and asks again slowly; a broker that is away is asked for again at once, and play goes on meanwhile.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from typing import Final

from amqp.exceptions import AMQPError, MessageNacked
from kombu import Connection
from kombu.exceptions import OperationalError

from services.kit import logs
from services.kit.errors import UnavailableError
from services.kit.supervise import Supervisor

log = logs.get(__name__)

AWAY_SECONDS: Final = 1.0
"""Between two attempts while the broker is away."""
REFUSED_SECONDS: Final = 5.0
"""Between two attempts while it refuses."""
REFUSALS: Final = frozenset({402, 403, 404, 405, 406, 530, 540, 541})
"""AMQP's codes for: no such virtual host, no right, no such queue, somebody else's queue, a queue with other arguments, not allowed, not
implemented, internal error (a virtual host that is down, a kind of queue that is switched off)."""
_SAY_AGAIN_SECONDS: Final = 60.0


def failures(connection: Connection) -> tuple[type[BaseException], ...]:
    """Return what a broker that is away or refuses, or a connection that is lost, raises. Time-outs are OSErrors."""
    return (OperationalError, OSError, MessageNacked, *connection.connection_errors, *connection.channel_errors)


def words(error: BaseException) -> tuple[str, bool]:
    """Return why it failed, as the broker says it if it says anything, and whether it refuses."""
    for one in _causes(error):
        if isinstance(one, MessageNacked):
            return "the queue is full", False
        if isinstance(one, AMQPError) and one.reply_code:
            return f"{one.reply_code} {one.reply_text}", one.reply_code in REFUSALS
        if isinstance(one, ssl.SSLCertVerificationError):
            return f"its certificate: {one.verify_message}", True
    root = list(_causes(error))[-1]
    return str(root) or type(root).__name__, False


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


class Link:
    """What is known of one connection. `name` tells the connections of a process apart: it is a label of the metric."""

    def __init__(self, name: str, supervisor: Supervisor) -> None:
        self._name = name
        self._supervisor = supervisor
        self._why = ""
        self._told_at = 0.0

    def works(self) -> None:
        """The broker answered."""
        self._supervisor.connected.labels(self._name).set(1)
        self._supervisor.well("broker", self._name)
        if self._why:
            self._why = ""
            log.warning("broker_answers", link=self._name)

    def failed(self, error: BaseException) -> UnavailableError:
        """Note why it did not, say so in the log when it is new, and return what to tell the caller."""
        why, refused = words(error)
        self._supervisor.connected.labels(self._name).set(0)
        now = time.monotonic()
        if why != self._why or now - self._told_at > _SAY_AGAIN_SECONDS:
            self._why, self._told_at = why, now
            log.error("broker_refuses" if refused else "broker_away", link=self._name, why=why)
        if refused:
            self._supervisor.fault("broker", why, self._name)
            return UnavailableError("broker_refuses", f"the broker refuses: {why}")
        self._supervisor.well("broker", self._name)
        return UnavailableError("broker", f"the broker does not answer: {why}")


def pause(error: UnavailableError) -> float:
    """Return how long to wait before the next attempt."""
    return REFUSED_SECONDS if error.reason == "broker_refuses" else AWAY_SECONDS
