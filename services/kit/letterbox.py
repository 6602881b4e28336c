"""Where messages come in: what cannot be believed is counted, logged and put into the dead queue at its first delivery, with the reason.

Law: no message stops those behind it, nor ends who reads it; and none is acknowledged before it is either worked on or put away.

Bad messages are put away many at a time, since each time takes a round trip to the broker: a flood of them delays good ones as little as
possible. Whoever reads takes up to PREFETCH messages from the broker before it has acknowledged the first, and calls `put_away` when no
other has arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple

from prometheus_client import CollectorRegistry, Counter

from services.kit import logs
from services.kit.errors import UnavailableError
from services.kit.messages import MAX_MESSAGE_BYTES, BadMessageError, Reason, TextT
from services.kit.publisher import CONTENT_TYPE, ENCODING, Letter, Publisher
from services.kit.sampled import Sampled

log = logs.get(__name__)

PREFETCH: Final = 100
"""Messages that may be in hand at a time."""
KEPT_BYTES: Final = 16 * 1024
"""Of a bad message's body."""
KEPT_CHARS: Final = 1024
"""Of its headers, and of what it says it is."""


class _Bad(NamedTuple):
    message: Any
    reason: Reason
    letter: Letter


class Letterbox(Generic[TextT]):
    """Opens messages of one kind by `open_message` (a method of Reader). One thread reads."""

    def __init__(
        self, kind: str, open_message: Callable[[bytes], TextT], publisher: Publisher, registry: CollectorRegistry | None = None
    ) -> None:
        self._kind = kind
        self._open_message: Callable[[bytes], Any] = open_message
        self._publisher = publisher
        text = "Messages turned away, by what they were to hold."
        bad = Counter("xuezhan_part_bad_messages_total", text, ("kind", "reason"), registry=registry)
        self._bad = {reason: bad.labels(kind, reason.value) for reason in Reason}
        self._waiting: list[_Bad] = []
        self._log = Sampled(log.error, "bad_message")

    def read(self, message: Any) -> TextT | None:
        """Return the text of a message; None when it is bad: then it waits for `put_away`, which acknowledges it.

        Raises UnavailableError when there are too many of them and they cannot be put away now: then they come again.
        """
        try:
            return self._opened(message)
        except BadMessageError as bad:
            if self._waiting and self._waiting[-1].message.channel is not message.channel:
                # Those came over a connection that is gone, and come again.
                self._waiting.clear()
            self._waiting.append(_Bad(message, bad.reason, self._letter(message, bad)))
            if len(self._waiting) >= PREFETCH:
                self.put_away()
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

    def _letter(self, message: Any, bad: BadMessageError) -> Letter:
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
        return Letter(body[:KEPT_BYTES], headers)

    def put_away(self) -> bool:
        """Put the bad messages in hand into the dead queue, acknowledge them, count and log them. Call it whenever no other has arrived.

        Returns whether there were any. Raises UnavailableError when they cannot be put away now: then they come again.
        """
        self._log.tell()
        if not self._waiting:
            return False
        bad, self._waiting = self._waiting, []
        refused = False
        try:
            self._publisher.dead([one.letter for one in bad])
        except UnavailableError as error:
            if error.reason != "broker_refuses":
                raise
            refused = True
        for one in bad:
            if refused:
                # Better lost than in the way: the broker itself keeps what it can.
                one.message.reject(requeue=False)
            else:
                one.message.ack()
            self._bad[one.reason].inc()
            headers = one.letter.headers
            self._log.line(kind=self._kind, reason=one.reason.value, detail=headers["detail"], size=headers["size"])
        return True


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
