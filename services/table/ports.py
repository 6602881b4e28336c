"""What a table needs of its host, and the journal of a table, as types.

A table, and all that plays at it, depends on these; the server that hosts it (services.table.hall) stands above and fits them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from services.kit.secrets import KeyRing
    from services.table.appends import Append, Fate
    from services.table.bots import Bots
    from services.table.hand_end import HandEnd
    from services.table.metrics import TableMetrics
    from services.table.signer import Signer
    from services.table.timers import Sleeper

Table_contra = TypeVar("Table_contra", contravariant=True)


class JournaledTable(Protocol):
    """What the journal needs of a table, to store its rows."""

    id: str

    def take(self) -> Append | None:
        """Return the rows to store, or None if there are none any more. The journal then calls `stored` or `lost`."""
        ...

    def stored(self, append: Append) -> None:
        """Go on: these rows are durable."""
        ...

    def lost(self, fate: Fate) -> None:
        """Stop: the rows are not stored and never will be."""
        ...


class RowSink(Protocol):
    """Stores the rows of tables."""

    def mark(self, table: JournaledTable) -> None:
        """Note that the table has rows: take them soon, store them, and tell the table the result."""
        ...


class Waker(Protocol):
    """Wakes tables."""

    def wake(self, sleeper: Sleeper, at: float) -> None:
        """Let the sleeper look at itself at `at`, on the host's clock, or earlier."""
        ...


class ItemSink(Protocol):
    """Brings to settlement what tables owe."""

    def add(self, table: str, items: Sequence[tuple[int, str]]) -> None:
        """Send items (seq, body) that are stored and shown, until each is `settled`."""
        ...

    def settled(self, table: str, seq: int) -> None:
        """Stop sending an item: its outcome is stored."""
        ...


class RecordSink(Protocol):
    """Makes the records of hands."""

    def add(self, ends: Iterable[HandEnd]) -> None:
        """Make the records of hands whose last rows are stored."""
        ...


class Host(Protocol):
    """The server that hosts a table, as the table sees it. Times are seconds on its clock, unless they say otherwise."""

    @property
    def journal(self) -> RowSink:
        """Where the table's rows go."""
        ...

    @property
    def timers(self) -> Waker:
        """What wakes the table."""
        ...

    @property
    def relay(self) -> ItemSink:
        """Where the table's items go."""
        ...

    @property
    def archive(self) -> RecordSink:
        """Where hands that are over go."""
        ...

    @property
    def metrics(self) -> TableMetrics:
        """The figures of this server."""
        ...

    @property
    def bots(self) -> Bots:
        """The minds of bots."""
        ...

    @property
    def signer(self) -> Signer:
        """Signs statements."""
        ...

    @property
    def deal_keys(self) -> KeyRing:
        """The keys that seeds are derived from."""
        ...

    @property
    def auto_pause(self) -> float:
        """How long a seat that the server plays seems to think."""
        ...

    @property
    def settle_seconds(self) -> float:
        """How long coins may take to settle between two hands."""
        ...

    @property
    def reconnect_seconds(self) -> float:
        """How long the clients of a table that was taken up are given to find it."""
        ...

    def now(self) -> float:
        """Return the time."""
        ...

    def unix_ms(self) -> int:
        """Return the time in milliseconds since 1970."""
        ...

    def addresses(self) -> Sequence[str]:
        """Return servers that can be asked for the table, this one first."""
        ...

    def decided(self, hold: str) -> None:
        """Wake those who asked for a seat under this hold: it is decided."""
        ...


class TableHost(Host, Protocol[Table_contra]):
    """What the host does with whole tables."""

    def offer_seats(self, table: Table_contra, *, vacant: bool) -> None:
        """Note whether the table has seats that can be taken."""
        ...

    def retire(self, table: Table_contra) -> None:
        """Let go of a table that is over."""
        ...

    def failed(self, table: Table_contra, error: Exception) -> None:
        """Let go of a table that raised, and read it again."""
        ...

    def lost(self, table: Table_contra, fate: Fate) -> None:
        """Let go of a table whose rows could not be stored, and read it again if it is still this server's."""
        ...
