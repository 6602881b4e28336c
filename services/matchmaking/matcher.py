"""Who plays with whom: waiting tickets and the time in, tables out. Pure.

The oldest ticket is served first: it gathers mates, oldest first, each of whom may meet all who are at the table already. When it has
waited past the room's limit, bots take the seats that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Waiting(NamedTuple):
    """A ticket that may be matched now; `since`: seconds since 1970."""

    ticket: str
    player: str
    since: float


class Table(NamedTuple):
    """Tickets that play together, in seat order; bots take the seats after them."""

    tickets: tuple[Waiting, ...]
    bots: int


MayMeet = Callable[[Waiting, Waiting, float], bool]
"""Whether two tickets may sit at one table now. Symmetrical; what it forbids may soften as they wait."""


def anybody(_one: Waiting, _other: Waiting, _now: float) -> bool:
    """Let everybody meet everybody."""
    return True


def plan(waiting: Sequence[Waiting], players: int, bots_after: float | None, now: float, may_meet: MayMeet = anybody) -> list[Table]:
    """Return the tables that can be made now, that of the oldest ticket first.

    `bots_after`: seconds after which bots take the free seats; None: never. A ticket stands in at most one table.
    """
    tables = []
    ordered = sorted(waiting, key=lambda ticket: (ticket.since, ticket.ticket))
    taken: set[str] = set()
    for oldest in ordered:
        if oldest.ticket in taken:
            continue
        left = [ticket for ticket in ordered if ticket.ticket not in taken and ticket is not oldest]
        together = _gather(oldest, left, players, now, may_meet)
        if len(together) == players or (bots_after is not None and now - oldest.since >= bots_after):
            tables.append(Table(tuple(together), players - len(together)))
            taken.update(ticket.ticket for ticket in together)
        elif may_meet is anybody:
            # Too few for the oldest are too few for all.
            break
    return tables


def _gather(oldest: Waiting, left: Sequence[Waiting], players: int, now: float, may_meet: MayMeet) -> list[Waiting]:
    together = [oldest]
    for ticket in left:
        if len(together) == players:
            break
        if all(may_meet(ticket, mate, now) for mate in together):
            together.append(ticket)
    return together
