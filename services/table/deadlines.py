"""Every time at which a table must do something by itself, in one place: the table asks its host to be woken at `next`.

Times are on the clock of the table's host, in seconds; `inf` is never. What goes over to another server is what remains of them
(`Remaining`), in milliseconds, since no two servers share a clock.
"""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

SHOWN_BYTES: Final = "bytes"
LATE_BYTES: Final = "late bytes"
BYTES: Final = frozenset({SHOWN_BYTES, LATE_BYTES})
"""What the handshake waits for between a commitment and its deal."""
NEVER: Final = -1
"""In `Remaining`: the time is not set."""


class Remaining(NamedTuple):
    """What remains of a table's times, in milliseconds; NEVER for one that is not set.

    `answers` and `asked`: for each seat, until it must have answered, and since it was asked. `waits_for`, `waited`, `phase`: what the
    handshake waits for, since when, and for how long still. `refill`: until free seats must be taken. A table is handed over with nothing
    in its claim window, and seats show their tokens again, so neither is here.
    """

    answers: list[int]
    asked: list[int]
    waits_for: str
    waited: int
    phase: int
    refill: int


class Deadlines:
    """The times of one table.

    `answers`: until when each seat must answer what it was asked at `asked_at`. `phase`: when the handshake goes on without what it
    `waits_for` since `waits_since` (services.table.handshake). `refill`: until when free seats must be taken; `reconnect`: until when
    the clients of a table that was read from its journal may need to find this server. `window`: when the claim window ends. `tokens`:
    when the first token of an attached seat expires.
    """

    __slots__ = (
        "_stopped_at",
        "answers",
        "asked_at",
        "phase",
        "reconnect",
        "refill",
        "tokens",
        "waits_for",
        "waits_since",
        "window",
    )

    def __init__(self, seats: int) -> None:
        self.answers = [inf] * seats
        self.asked_at = [0.0] * seats
        self.phase = inf
        self.waits_for = ""
        self.waits_since = inf
        self.refill = inf
        self.reconnect = -inf
        self.window = inf
        self.tokens = inf
        self._stopped_at: float | None = None

    def next(self) -> float:
        """Return the earliest time. While the times are stopped only the claim window counts: it is never cut."""
        return min(*self.answers, self.phase, self.window, self.tokens) if self._stopped_at is None else self.window

    def ask(self, seat: int, now: float, seconds: float) -> None:
        """Give a seat, asked now, so long to answer."""
        self.asked_at[seat] = now
        self.answers[seat] = now + seconds

    def nobody_is_asked(self) -> None:
        """Forget until when seats must answer."""
        self.answers = [inf] * len(self.answers)

    # What the handshake waits for.

    def wait_for(self, what: str, now: float, until: float) -> bool:
        """Wait for something until then; return whether that begins now."""
        begins = self.waits_for != what
        if begins:
            self.waits_for, self.waits_since = what, now
        self.phase = until
        return begins

    def go_without(self) -> None:
        """Wait for nothing."""
        self.waits_for, self.phase = "", inf

    def let_players_come(self, until: float) -> None:
        """Let the handshake wait at least until then: clients must first find the server that has taken the table up."""
        self.reconnect = until
        if self.waits_for in BYTES:
            self.phase = until if self.phase == inf else max(self.phase, until)

    # Standing still.

    def stop(self, now: float) -> None:
        """Stop the times of play. The claim window and the tokens' times go on."""
        if self._stopped_at is None:
            self._stopped_at = now

    def stopped_for(self, now: float) -> float:
        """Return for how long the times of play have been stopped; 0: they run."""
        return 0.0 if self._stopped_at is None else now - self._stopped_at

    def go_on(self, now: float) -> None:
        """Let the times run again. No seat loses time by the stop."""
        if self._stopped_at is None:
            return
        stood, self._stopped_at = now - self._stopped_at, None
        self.answers = [at + stood for at in self.answers]
        self.asked_at = [at + stood for at in self.asked_at]
        self.phase += stood
        self.waits_since += stood
        self.refill += stood

    # From server to server.

    def remaining(self, now: float) -> Remaining:
        """Return what remains of the times now, or since they stand still."""
        at = now if self._stopped_at is None else self._stopped_at
        return Remaining(
            answers=[_left(until, at) for until in self.answers],
            asked=[_left(at, asked) for asked in self.asked_at],
            waits_for=self.waits_for,
            waited=_left(at, self.waits_since) if self.waits_since != inf else NEVER,
            phase=_left(self.phase, at),
            refill=_left(self.refill, at),
        )

    def restore(self, remaining: Remaining, now: float) -> None:
        """Take over what remained of the times at another server."""
        self.answers = [_at(left, now) for left in remaining.answers]
        self.asked_at = [now - since / 1000 for since in remaining.asked]
        self.waits_for = remaining.waits_for
        self.waits_since = now - remaining.waited / 1000 if remaining.waited != NEVER else inf
        self.phase = _at(remaining.phase, now)
        self.refill = _at(remaining.refill, now)


def _left(until: float, at: float) -> int:
    """Return the milliseconds from `at` until then; what is over has none left."""
    return NEVER if until == inf else max(0, round((until - at) * 1000))


def _at(left: int, now: float) -> float:
    return inf if left == NEVER else now + left / 1000
