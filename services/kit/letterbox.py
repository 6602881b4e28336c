"""Where messages come in: what cannot be believed is counted, logged and put into the dead queue at its first delivery, with the reason.

Law: no message stops those behind it, nor ends who reads it; and none is acknowledged before it is either worked on or put away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic

from prometheus_client import CollectorRegistry, Counter

from services.kit import logs
from services.kit.errors import UnavailableError
from services.kit.messages import MAX_MESSAGE_BYTES, BadMessageError, Reason, TextT
from services.kit.publisher import CONTENT_TYPE, ENCODING, Publisher

log = logs.get(__name__)

KEPT_BYTES: Final = 16 * 1024
"""Of a bad message's body."""
KEPT_CHARS: Final = 1024
"""Of its headers, and of what it says it is."""


class Letterbox(Generic[TextT]):
    """Opens messages of one kind by `open_message` (a method of Reader)."""

    def __init__(
        self, kind: str, open_message: Callable[[bytes], TextT], publisher: Publisher, registry: CollectorRegistry | None = None
    ) -> None:
        self._kind = kind
        self._open_message: Callable[[bytes], Any] = open_message
        self._publisher = publisher
        text = "Messages turned away, by what they were to hold."
        bad = Counter("xuezhan_bad_messages_total", text, ("kind", "reason"), registry=registry)
        self._bad = {reason: bad.labels(kind, reason.value) for reason in Reason}

    def read(self, message: Any) -> TextT | None:
        """Return the text of a message; None when it is bad, and has been put away.

        Raises UnavailableError when a bad one cannot be put away now: then it comes again.
        """
        try:
            return self._opened(message)
        except BadMessageError as bad:
            self.put_away(message, bad)
            return None

    def _opened(self, message: Any) -> TextT:
        body = body_of(message)
        if len(body) > MAX_MESSAGE_BYTES:
            # Cut off on its way here.
            raise BadMessageError(Reason.OVERSIZED)
        if (message.content_type, message.content_encoding) != (CONTENT_TYPE, ENCODING):
            kind = f"{_shown(message.content_type, 64)} {_shown(message.content_encoding, 64)}"
            raise BadMessageError(Reason.UNDECODABLE, f"it says it is {kind}")
        try:
            text: TextT = self._open_message(body)
            return text
        except BadMessageError:
            raise
        except Exception as error:
            raise BadMessageError(Reason.UNDECODABLE, type(error).__name__) from error

    def put_away(self, message: Any, bad: BadMessageError) -> None:
        """Count a bad message, log it, and put it into the dead queue."""
        body = body_of(message)
        headers = {
            "reason": bad.reason.value,
            "detail": bad.detail[:KEPT_CHARS],
            "kind": self._kind,
            "size": len(body),
            "content_type": _shown(message.content_type, KEPT_CHARS),
            "content_encoding": _shown(message.content_encoding, KEPT_CHARS),
            "headers": _shown(message.headers, KEPT_CHARS),
        }
        try:
            self._publisher.dead(body[:KEPT_BYTES], headers)
        except UnavailableError as error:
            if error.reason != "broker_refuses":
                raise
            # Better lost than in the way: the broker itself keeps what it can.
            message.reject(requeue=False)
        else:
            message.ack()
        self._bad[bad.reason].inc()
        log.error("bad_message", kind=self._kind, reason=bad.reason.value, detail=bad.detail, size=len(body))


def body_of(message: Any) -> bytes:
    """Return the bytes of a message; the driver makes letters of them where it is told an encoding."""
    body = message.body
    return body.encode(errors="surrogatepass") if isinstance(body, str) else bytes(body or b"")


def _shown(value: Any, most: int) -> str:
    """Return what a stranger wrote as plain letters, and not too many."""
    try:
        return ascii(value)[:most]
    except Exception as error:  # noqa: BLE001 - it need not be printable in any way
        return type(error).__name__
