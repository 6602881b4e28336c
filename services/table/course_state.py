"""The state of a table's course: what its journal rows make of it, as data. `Course` moves it, and the modules that each move a part."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel

from games.events import HandOver
from games.hand import MAX_SEATS, Hand, Ruleset, everyone
from games.transcript import Transcript
from services.kit import items
from services.kit.rooms import Room
from services.table.events import Committed, DealSigned, Ended
from services.table.hand_end import HandEnd
from services.table.phases import Phase
from services.table.seat_set import NOBODY


class Taking(StrEnum):
    """What became of who wanted a free seat."""

    JOINING = "joining"
    """The item is due; its outcome is awaited."""
    SEATED = "seated"
    REFUSED = "refused"


class Visit(NamedTuple):
    """One who took a free seat, or tried to, under a hold of their own."""

    seat: int
    player: str
    taking: str


class CourseState:
    """One table between two rows."""

    __slots__ = (
        "__weakref__", "all", "asked", "auto_discard", "auto_pass", "base", "closing", "committed", "contributions", "counts", "dealt",
        "dealt_at", "differs", "end_told", "ends", "finished", "forced", "former", "free", "going", "hand", "hand_no", "holds", "items",
        "joining", "leaving", "left", "missed", "money", "newcomers", "offered", "on_auto", "over", "owed", "phase", "players", "quiet",
        "reckoned", "reckoned_stages", "room", "rules", "seed", "settled", "silent", "stages", "table_id", "topped_up", "transcript",
        "version", "visits", "withheld",
    )  # fmt: skip

    def __init__(self, table_id: str, room: Room, rules: Ruleset, players: tuple[str | None, ...], *, quiet: bool = False) -> None:
        """Open a table; `players` names who sits where, None for a bot. Its first item comes due at once.

        `quiet`: a replay, which shows and sends nothing. Items are then counted, but neither they nor ended hands are written out.
        """
        self.quiet = quiet
        count = len(players)
        self.table_id = table_id
        self.room = room
        self.rules = rules
        self.players = players
        self.all = everyone(count)
        self.phase = Phase.OPENING
        self.hand: Hand | None = None
        self.hand_no = 0
        self.finished = 0
        self._no_hand(count)
        self.counts = [0] * (MAX_SEATS + 1)
        self.base = [0] * count
        """For each seat, how many decisions its earlier hands had; no coins."""
        self.offered = [0] * count
        self.asked = [0] * count
        self.forced = False
        """Whether an offer may be open that has one answer only, or a claim that the server answers."""
        self.missed = [0] * count
        self.on_auto = NOBODY
        self.auto_discard = NOBODY
        """The seats that have 自动摸打 on in this hand."""
        self.auto_pass = NOBODY
        """The seats that pass every claim in this hand."""
        self.leaving = NOBODY
        self.going: list[int] = []
        """Seats whose players have asked to leave this hand and wait for others' answers, in the order in which they asked."""
        self.left = NOBODY
        self.money = [0] * count
        self.stages = 0
        self.items: list[tuple[int, int, str]] = []
        self.settled = 0
        self.owed: list[tuple[int, str]] = []
        self.closing = ""
        self.topped_up = 0
        """The last hand after which stakes were made up."""
        self.free = NOBODY
        """Seats whose players went and which nobody has taken yet; they stay in `players` and `left` until then."""
        self.newcomers = NOBODY
        """Seats whose players have not been dealt a hand here yet."""
        self.joining: list[str] = []
        """Holds whose `join` has no outcome yet, in the order of their items."""
        self.holds = [""] * count
        """Under which hold each seat's player came; empty: they were there from the start."""
        self.visits: dict[str, Visit] = {}
        self.former: list[tuple[int, str]] = []
        """Who sat where before, of seats that others took."""
        self.owe(self._open_body)

    def _open_body(self) -> items.OpenBody:
        holders = [items.SeatHolder(seat=seat, player=player) for seat, player in enumerate(self.players)]
        return items.OpenBody(room=self.room.room_id, seats=holders)

    def _no_hand(self, count: int) -> None:
        """Stand before the first hand: what is known of the present hand, beside the hand itself."""
        self.seed = b""
        self.committed: Committed | None = None
        self.contributions: list[bytes | None] = []
        self.dealt: DealSigned | None = None
        """The statement about the present hand's deal."""
        self.dealt_at = 0
        """Milliseconds since 1970."""
        self.withheld: tuple[int, ...] = ()
        """The seats that did not show the bytes that they had committed to for the present hand."""
        self.silent = NOBODY
        """Seats that withheld their bytes and have not been in a commitment since."""
        self.transcript = Transcript()
        self.version = self.rules.version
        self.over: HandOver | None = None
        """The end of the last hand as the rules tell it, until the next one begins."""
        self.end_told: Ended | None = None
        """The same as the table tells it, once somebody asks (`Course.ended`)."""
        self.ends: list[HandEnd] = []
        self.reckoned = [0] * count
        """Each seat's money in the present hand as the rules have it, after the stages before `reckoned_stages`."""
        self.reckoned_stages = 0
        self.differs = 0
        """The last item whose coins were not those of the rules."""

    @property
    def dealt_hand(self) -> Hand:
        """The hand that was dealt last, over or not. There must be one."""
        assert self.hand is not None, "no hand has been dealt"
        return self.hand

    # What is owed.

    @property
    def item_seq(self) -> int:
        """The seq of the last item that came due."""
        return self.settled + len(self.items)

    def owe(self, write: Callable[[], BaseModel], hand: int = 0, index: int = -1, cause: str = "") -> None:
        """Let an item come due, whose body `write` returns. `hand`, `index` and `cause` go with its outcome."""
        self.items.append((hand, index, cause))
        if not self.quiet:
            self.owed.append((self.item_seq, items.canonical(write())))

    # The end, and the shuffle.

    def close(self, reason: str) -> None:
        """End the table: its last item comes due."""
        self.phase = Phase.SETTLING
        self.closing = reason
        self.owe(lambda: items.CloseBody(reason=reason))

    def awaited(self) -> list[int]:
        """Return the seats whose bytes are still to be shown."""
        hashes = self.committed.hashes if self.committed else ()
        return [seat for seat, given in enumerate(hashes) if given and self.contributions[seat] is None]
