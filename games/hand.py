"""The protocol of one hand: what every game offers to the table, the records and the tests.

Law: a hand is a pure state machine. Seed, players, dealer and options come in as values; nothing in here reads a clock, a file or
global randomness, and the same actions always give the same states, events and claims.

An action that is not legal answers with one typed `Refusal` and leaves the hand exactly as it was; `apply` never raises for bad input.
What a seat may know is decided here and only here: every `Event` carries the audience that may see that form of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Protocol

MAX_SEATS = 8
WATCHERS = 1 << MAX_SEATS
"""The audience bit of the public view; bits 0..7 are the seats."""


def everyone(players: int) -> int:
    """Return the audience of all seats of a hand and of its watchers."""
    return (1 << players) - 1 | WATCHERS


class Do(StrEnum):
    """What an action does, as written in records."""

    VOID = "void"
    EXCHANGE = "exchange"
    DISCARD = "discard"
    PUNG = "pung"
    KONG = "kong"
    WIN = "win"
    PASS = "pass"  # noqa: S105 - the word of the game
    PLAY = "play"
    LEAVE = "leave"


class Why(StrEnum):
    """Why an action was refused. Stable names; clients switch on them."""

    NOT_YOUR_TURN = "not_your_turn"
    """The seat has no open offer."""
    NOT_OFFERED = "not_offered"
    """The seat has an offer, but not of this action or not with this tile."""
    MALFORMED = "malformed"
    """Fields are missing, unknown or contradict each other."""
    HAND_OVER = "hand_over"
    NOT_A_PLAY = "not_a_play"
    NOT_THAT_KIND = "not_that_kind"
    DOES_NOT_BEAT = "does_not_beat"


class Refusal(NamedTuple):
    """The answer to an action that is not legal. The hand is untouched."""

    why: Why
    detail: str = ""


class Action(NamedTuple):
    """One answer of a seat to its offer.

    `tile` is a tile or suit index of the game (-1: none), `tiles` a list of tiles or cards; `kind` the kind of a kong or play.
    `auto` marks an action the server took for the seat.
    """

    seat: int
    do: Do
    tile: int = -1
    tiles: tuple[int, ...] = ()
    kind: str = ""
    auto: bool = False


class Offer(Protocol):
    """What one seat may do now. Each game has its own slotted class with the exact choices.

    `number` is the decision number: it counts the offers made to this seat in this hand, from 1, so it tells nothing of other seats.
    `at_once` offers have one answer that the server carries out itself (`Hand.default`), without asking.
    `lapses` tells that the offer may end unanswered, when the answers of others make it pointless.
    """

    seat: int
    number: int
    at_once: bool

    @property
    def lapses(self) -> bool:
        """Whether the offer may end without an answer."""
        ...

    @property
    def must_win(self) -> bool:
        """Whether a win is all that is offered."""
        ...

    def check(self, action: Action) -> Refusal | None:
        """Return why this offer does not include the action, or None if it does. `seat` is not looked at."""
        ...


class Question(Protocol):
    """What several seats are asked at the same time. Their answers take effect together, when all that matter are in.

    A hand has the same object from the moment it asks until the answers take effect, and never two.
    """

    order: tuple[int, ...]
    """The seats asked, in the order in which a record lists their answers."""
    source: int
    """The seat whose discard or kong is asked about, or -1 where all act at the same time of their own accord."""


class Event:
    """Something that happened, in the form that the audience `to` may see.

    Subclasses are slotted dataclasses with `to: int` first. A happening that looks different to different seats is emitted once for each
    form, with audiences that do not overlap.
    """

    __slots__ = ()
    name: ClassVar[str]
    opens_claims: ClassVar[bool] = False
    """Others may claim what happened. When its outcome is shown must not tell whether anybody could (the room's claim window)."""
    to: int


class Claim(NamedTuple):
    """`payer` owes `payee` `multiple` times the room's base (or points where the game counts points)."""

    payer: int
    payee: int
    multiple: int


@dataclass(slots=True, frozen=True)
class Stage:
    """Claims that arise together and are paid together. `cause` is a stable name: win, kong, kong_transfer, flower_pig, ..."""

    cause: str
    claims: tuple[Claim, ...]


@dataclass(slots=True, frozen=True)
class Setup:
    """Everything a hand starts from.

    `seed` is 32 bytes; `contributions` has 16 bytes or None a seat. `before` is what the previous hand of the table answered to
    `Hand.carry` (None for the first hand); a game that has no memory ignores it. `new_players`: not all who sit here played that hand.
    """

    table: str
    hand: int
    seed: bytes
    contributions: tuple[bytes | None, ...]
    before: Mapping[str, Any] | None = None
    new_players: bool = False


class Hand(Protocol):
    """One hand being played. Mutable; owned by exactly one table."""

    players: int
    over: bool
    stages: list[Stage]
    """All stages so far, in order. Only ever appended to."""

    @property
    def offers(self) -> Sequence[Offer | None]:
        """The open offer of each seat. A seat with no offer is not asked anything now."""
        ...

    @property
    def question(self) -> Question | None:
        """The open question, or None while one seat is asked at a time."""
        ...

    def apply(self, action: Action) -> list[Event] | Refusal:
        """Carry out one action. Answers the events in order, offers not included; or a refusal and no change."""
        ...

    def default(self, seat: int) -> Action:
        """Return the action the server takes when the seat's time runs out. The seat must have an offer."""
        ...

    def seat_done(self, seat: int) -> bool:
        """Whether the seat's player may go without the hand needing them (a winner who is out, or the hand is over)."""
        ...

    def view(self, seat: int | None) -> Event:
        """Return a full view as one `View` event of the game: what `seat` may know now, or the public view for None."""
        ...

    def dump(self) -> dict[str, Any]:
        """Return the whole state as plain JSON values, for digests and storage. Secret."""
        ...

    def points(self) -> list[int]:
        """Return each seat's points so far; they sum to zero."""
        ...

    def result(self) -> dict[str, Any]:
        """Return the outcome as plain JSON values for the record. The hand must be over."""
        ...

    def carry(self) -> dict[str, Any]:
        """Return what the next hand of this table needs to know of this one, as plain JSON values."""
        ...

    def record(self) -> dict[str, Any]:
        """Return the deal's part of the hand record: dealer, dealer_from, wall, and where they took place shift or shown."""
        ...


class Policy(StrEnum):
    """How a game's claims become coins (docs/rules/payout.md)."""

    STAGE = "stage"
    POOLED = "pooled"


class Ruleset(Protocol):
    """One game with resolved options for a number of players. Immutable and shared by tables."""

    game: str
    version: str
    """Names the rules a journal was played with. It changes whenever replaying old actions could give another state."""
    players: int
    options: Mapping[str, Any]
    """Every option with its resolved value, `room` included."""
    policy: Policy
    may_leave: bool
    """Whether leaving has a meaning within the hand (escape). Else a leaving player is played by the server."""
    leave_waits: bool
    """Whether a player who leaves waits until what others are asked has been answered (games.leaving). Else they leave at once."""
    auto_discard: bool
    """Whether a seat may have the server throw what it draws 自动摸打, whenever nothing else is possible.

    Offers of such a game say so by `draw_and_discard`; `Hand.default` is then to throw what was drawn.
    """
    auto_pass: bool
    """Whether a seat may have the server pass every claim on others' tiles: where seats are asked about what another did."""
    point_unit: int
    """Points for each multiple of a claim."""
    base: int
    """Coins a multiple or point is worth where the game's page gives its room a figure (0: no coins move), else 1.

    A studio's room sets its own.
    """
    largest_claim: int
    """The largest multiple one claim can have, or 0 where nothing bounds it: a room's base times three of it must stay an exact number.

    Where the game pays pooled: the most points that one seat can owe another in a hand.
    """

    @property
    def deck(self) -> str:
        """What is shuffled (docs/rules/deal.md): the suits in play, "mps" or "ps"; "cards" for two packs of cards."""
        ...

    def prepare(self) -> None:
        """Build what is else built at its first use, so that no player waits for it in the middle of a hand."""
        ...

    def deal(self, setup: Setup) -> tuple[Any, list[Event]]:
        """Deal a hand. Answers the hand and its first events."""
        ...

    def load(self, dumped: Mapping[str, Any]) -> Any:
        """Rebuild a hand from `Hand.dump`."""
        ...

    def action_to_json(self, action: Action) -> dict[str, Any]:
        """Return the action in the notation of hand records."""
        ...

    def action_from_json(self, value: Mapping[str, Any]) -> Action | Refusal:
        """Read an action in the notation of hand records."""
        ...


class Bot(Protocol):
    """Chooses an answer from what its seat may know. Randomness comes in by value."""

    def choose(self, hand: Any, seat: int) -> Action:
        """Answer the seat's open offer."""
        ...
