"""Seats that players have been given: where to play, and with which token.

Tokens are never stored: they are kept in memory while fresh and asked for again by opening the table again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from math import inf
from typing import Final, NamedTuple

from services.kit.errors import UnavailableError
from services.matchmaking.directory import MOST_ADDRESSES, Directory
from services.matchmaking.table_servers import Opened

KEPT: Final = 20_000
RENEW_AFTER: Final = 2 / 3
"""A token is renewed when this part of its time is over."""
_ASK_AGAIN_SECONDS: Final = 1.0
"""How often a table server is asked where a table is whose own server is not listed."""


class Seat(NamedTuple):
    """One player's seat. Times are seconds since 1970."""

    table: str
    address: str
    epoch: int
    seat: int
    token: str
    expires_at: float
    renew_at: float
    addresses: tuple[str, ...] = ()
    """Where to ask for the table."""


class _Kept(NamedTuple):
    opened: Opened
    renew_at: float
    table: str
    addresses: tuple[str, ...]
    """What players were told last."""


class SeatBook:
    """The seats this process knows. `ask` opens a match's table again and gives what it answered to `put`. `clock`: this machine's, not
    the database's, since a table server says when a token ends by the clock of its own.
    """

    def __init__(self, ask: Callable[[str], Awaitable[None]], clock: Callable[[], float], directory: Directory) -> None:
        self._ask = ask
        self._clock = clock
        self._directory = directory
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._asked_at: dict[str, float] = {}
        """When it was asked where a kept match's table is."""

    def put(self, match_id: str, opened: Opened, table: str = "") -> bool:
        """Keep what a table answered, unless what is kept is as good. Returns whether players must be told that they play elsewhere.

        `table`: the table's id, where it is not the match's.
        """
        now = self._clock()
        kept = self._kept.get(match_id)
        if kept is not None and opened.epoch < kept.opened.epoch and _ends(kept.opened, now) > now:
            # An answer that was late: the table has moved on since.
            return False
        moved = kept is not None and (kept.opened.address, kept.opened.epoch) != (opened.address, opened.epoch)
        if kept is None or moved or kept.renew_at <= now:
            renew_at = now + (_ends(opened, now) - now) * RENEW_AFTER
            self._kept[match_id] = _Kept(opened, renew_at, table or match_id, opened.addresses)
            self._kept.move_to_end(match_id)
            if len(self._kept) > KEPT:
                self._asked_at.pop(self._kept.popitem(last=False)[0], None)
        return moved

    def drop(self, match_id: str) -> None:
        """Forget a match that is over."""
        self._kept.pop(match_id, None)
        self._asked_at.pop(match_id, None)

    async def seat(self, match_id: str, seat: int) -> Seat | None:
        """Return a seat with a fresh token; None: its table is not open. Raises UnavailableError when no table server answers.

        When the table's server is lost it is asked where the table is now; until that is known, the seat names servers that will know.
        """
        if not self._fresh(match_id) or (self._is_lost(match_id) and self._may_ask(match_id)):
            await self._ask_once(match_id)
        kept = self._kept.get(match_id)
        if kept is None or seat not in kept.opened.seats:
            return None
        opened, renew_at, table, _ = kept
        if opened.seats[seat].expires_at <= self._clock():
            raise UnavailableError("unavailable", "the table does not renew its seat tokens")
        token, expires_at = opened.seats[seat]
        addresses = self._where(match_id, kept)
        return Seat(table, opened.address, opened.epoch, seat, token, expires_at, renew_at, addresses)

    def lost(self) -> list[str]:
        """Return the matches whose table's server is not listed: it is lost, or hands its tables over."""
        listed = set(self._directory.listed())
        return [match_id for match_id, kept in self._kept.items() if kept.opened.address not in listed] if listed else []

    def _is_lost(self, match_id: str) -> bool:
        kept, listed = self._kept.get(match_id), self._directory.listed()
        return kept is not None and bool(listed) and kept.opened.address not in listed

    def _where(self, match_id: str, kept: _Kept) -> tuple[str, ...]:
        """Return where to ask for the table, its server first: what was told last, while all the others are listed."""
        listed = self._directory.listed()
        addresses = kept.addresses
        few = len(addresses) < min(MOST_ADDRESSES, len({kept.opened.address, *listed}))
        if few or (listed and not set(listed).issuperset(addresses[1:])):
            addresses = tuple(self._directory.some(kept.opened.address))
            self._kept[match_id] = kept._replace(addresses=addresses)
        return addresses

    def _may_ask(self, match_id: str) -> bool:
        # After the clock was set back it is asked at once.
        return not 0 <= self._clock() - self._asked_at.get(match_id, -inf) < _ASK_AGAIN_SECONDS

    def _fresh(self, match_id: str) -> bool:
        kept = self._kept.get(match_id)
        return kept is not None and kept.renew_at > self._clock()

    async def _ask_once(self, match_id: str) -> None:
        # The mates of a table ask at the same time: one question answers all of them, and goes on if one of them hangs up.
        asking = self._asking.get(match_id)
        if asking is None:
            asking = self._asking[match_id] = asyncio.create_task(self._asked(match_id))
            asking.add_done_callback(lambda _task: self._asking.pop(match_id, None))
        await asyncio.shield(asking)

    async def _asked(self, match_id: str) -> None:
        if match_id in self._kept:
            self._asked_at[match_id] = self._clock()
        try:
            await self._ask(match_id)
        except UnavailableError:
            # A token that still holds is better than none.
            if match_id not in self._kept:
                raise


def _ends(opened: Opened, now: float) -> float:
    """Return when the first of the seat tokens expires; now where there is none."""
    return min((seat.expires_at for seat in opened.seats.values()), default=now)
