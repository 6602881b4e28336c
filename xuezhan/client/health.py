"""Whether the server at the other end of a stream is still there, judged by what was heard of it.

Law: a program that was stopped itself blames no server: what came meanwhile is still to be read. Times are the event loop's.
"""

from __future__ import annotations

from typing import Final

SILENCE_SECONDS: Final = 3.0
"""A server that says nothing, or leaves something unanswered, for so long is tried over another connection."""
LOOK_SECONDS: Final = 0.5
"""How often a stream is looked at."""
_STALL_SECONDS: Final = 1.0
"""A look that is late by more tells that this program was stopped."""


class Health:
    """What is known of the server of one stream."""

    __slots__ = ("_awake_since", "_beats", "_heard_at", "_looked_at", "_reacted_at")

    def __init__(self, now: float) -> None:
        self._heard_at = self._looked_at = self._awake_since = now
        self._reacted_at = 0.0
        self._beats = False

    def heard(self, now: float, *, beats: bool = False) -> None:
        """Something came. `beats`: it tells that this server sends heartbeats; one of a release that sends none may be silent."""
        self._heard_at = now
        self._beats = self._beats or beats

    def reacted(self, now: float) -> None:
        """The server did what this program asked for, so it hears."""
        self._reacted_at = now

    def silent(self, now: float) -> bool:
        """Look at the stream: whether its server has been silent for too long. To be called every LOOK_SECONDS."""
        if now - self._looked_at > LOOK_SECONDS + _STALL_SECONDS:
            self._heard_at = self._awake_since = now
        self._looked_at = now
        return self._beats and now - self._heard_at >= SILENCE_SECONDS

    def deaf(self, sent_at: float) -> bool:
        """Whether the server has done nothing that was asked of it since then, for whichever seat."""
        return self._reacted_at < sent_at

    def overdue(self, sent_at: float, now: float, *, hurry: bool, held_seconds: float = 0.0) -> bool:
        """Whether what was sent at that time should have been answered by now.

        `held_seconds`: how long a server that is well may hold an answer back, for the claim window. Without `hurry` it may take twice
        as long while the server answers others, or sends nothing at all: many seats are opened together.
        """
        waited = now - max(sent_at, self._awake_since)
        return waited >= SILENCE_SECONDS * (1 if hurry else 2) + held_seconds
