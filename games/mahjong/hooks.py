"""What a mahjong game states about itself: the hooks that the machine asks, and the hand that they are asked about. The defaults are what
the games share (docs/rules/README.md).

Law: the machine never asks which game it runs. A ruleset is immutable and shared by tables; what a game must remember of a hand is in
`hand.own`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from games.deal import Stream
from games.hand import Action, Claim, Do, Event, Policy, Refusal, Setup, Stage, Why, everyone
from games.mahjong.fans import Circumstances, Value
from games.mahjong.melds import Meld
from games.mahjong.offers import ClaimOffer, TurnOffer
from games.mahjong.shapes import wait_mask
from games.mahjong.state import Question, Seat
from games.mahjong.tiles import COPIES, SUIT_OF, SUITS, Tile, ordered_tiles


class HandState:
    """One hand between two actions.

    `phase`: index into the ruleset's phases, their number once in play. `next`: index into the wall of the tile drawn next. `turn`: whose
    turn it is, or whose tile is being answered. `row`: kongs in a row of the seat whose turn it is. `melded`: somebody has melded.
    `shift`: of the exchange, 0 for none. `own`: what the game itself remembers (`MahjongHooks.memory`). `ended`: why the hand is over.
    """

    __slots__ = (
        "dealer",
        "dealer_from",
        "ended",
        "melded",
        "next",
        "offers",
        "over",
        "own",
        "phase",
        "players",
        "question",
        "row",
        "rules",
        "seats",
        "shift",
        "stages",
        "totals",
        "turn",
        "wall",
    )

    def __init__(self, rules: MahjongHooks, wall: bytes, dealer: int, dealer_from: str, seats: list[Seat]) -> None:
        self.rules = rules
        self.players = rules.players
        self.wall = wall
        self.dealer = dealer
        self.dealer_from = dealer_from
        self.seats = seats
        self.phase = 0
        self.next = 0
        self.turn = -1
        self.row = 0
        self.melded = False
        self.shift = 0
        self.own: Any = None
        self.offers: list[Any] = [None] * rules.players
        self.question: Question | None = None
        self.stages: list[Stage] = []
        self.totals = [0] * rules.players
        self.over = False
        self.ended = ""

    @property
    def left(self) -> int:
        """How many tiles the wall has."""
        return len(self.wall) - self.next

    @property
    def playing(self) -> list[int]:
        """The seats that have not gone out of the hand, in order."""
        return [who for who, seat in enumerate(self.seats) if not seat.out]

    def others_playing(self, who: int) -> list[int]:
        """Return the other seats that have not gone out of the hand, in turn order from `who` on."""
        return [other for other in self.rules.after[who] if not self.seats[other].out]

    def next_active(self, who: int) -> int:
        """Return the next seat in turn order after `who` that has not gone out of the hand; `who` itself if there is no other."""
        for other in self.rules.after[who]:
            if not self.seats[other].out:
                return other
        return who

    def number(self, who: int) -> int:
        """Return the number of the next offer to a seat."""
        seat = self.seats[who]
        seat.asked += 1
        return seat.asked


class Phase(Protocol):
    """One thing that all seats do at the same time before play."""

    name: str
    """As in views."""

    def prepare(self, hand: HandState, stream: Stream) -> None:
        """Draw from the hand's randomness what the phase will need. Called at the deal, for each phase in order."""
        ...

    def open(self, hand: HandState) -> dict[int, Any]:
        """Return the offers by seat, in seat order; none if nobody is asked."""
        ...

    def close(self, hand: HandState, answers: Mapping[int, Action], out: list[Event]) -> None:
        """Carry out the answers of all that were asked."""
        ...

    def default(self, hand: HandState, who: int) -> Action:
        """Return the server's answer for a seat that was asked."""
        ...


class MahjongHooks:
    """What the machine asks a ruleset. A game overrides what differs, in its own games.mahjong.rules.MahjongRules."""

    game: str
    version: str
    policy = Policy.STAGE
    may_leave = False
    leave_waits = False
    auto_discard = False
    auto_pass = True
    point_unit = 1
    """Points for each multiple."""
    base: int = 1
    largest_claim = 0

    def __init__(self, options: Mapping[str, Any], players: int) -> None:
        self.options = options
        self.players = players
        self.phases: tuple[Phase, ...] = ()
        self.all = everyone(players)
        self.only = tuple(1 << seat for seat in range(players))
        self.others = tuple(self.all ^ own for own in self.only)
        self.after = tuple(tuple((seat + step) % players for step in range(1, players)) for seat in range(players))
        """The other seats in turn order from each seat on."""

    # The deal.

    def ordered(self) -> list[Tile]:
        """Return the tiles in play in the order before the shuffle."""
        return ordered_tiles()

    @cached_property
    def deck(self) -> str:
        """Return the suits in play."""
        return "".join(dict.fromkeys(SUITS[SUIT_OF[tile]] for tile in self.ordered()))

    def dealer(self, setup: Setup, stream: Stream) -> tuple[int, str]:
        """Return the dealer and what decided it: draw, option or before."""
        del setup
        return stream.uniform(self.players), "draw"

    def memory(self) -> Any:
        """Return what `hand.own` starts as: plain JSON values, changed in place."""
        return None

    # Turns and claims.

    def waits(self, seat: Seat) -> int:
        """Return the mask of the kinds that a seat's 13 tiles win with."""
        return wait_mask(seat.concealed, seat.melds)

    def turn_offer(self, hand: HandState, who: int) -> TurnOffer:
        """Return what the seat may do on its turn, having drawn (`drawn`) or melded."""
        seat = hand.seats[who]
        concealed = seat.concealed
        held, barred, drawn = concealed.mask, seat.barred, seat.drawn
        discards = held & barred or held
        four = added = 0
        if hand.next < len(hand.wall):
            added = seat.pungs & held
            if COPIES in concealed.counts:
                four = sum(1 << tile for tile, count in enumerate(concealed.counts) if count == COPIES) & ~barred
        win = drawn >= 0 and seat.waits >> drawn & 1 == 1
        return TurnOffer(who, hand.number(who), drawn, discards, four, added, win, held & ~discards)

    def claim_offer(self, hand: HandState, who: int, source: int, tile: Tile, *, robbing: bool) -> ClaimOffer | None:
        """Return what the seat may do with another's discard or announced kong; None if nothing."""
        seat = hand.seats[who]
        win = seat.waits >> tile & 1 == 1
        held = seat.concealed.counts[tile]
        meld = held >= 2 and not robbing and hand.next < len(hand.wall) and not seat.barred >> tile & 1
        if not (win or meld):
            return None
        return ClaimOffer(who, hand.number(who), tile, source, win, meld and held == COPIES - 1, meld, robbing=robbing)

    def meld_stands(self, hand: HandState, winners: Sequence[int]) -> bool:
        """Whether a pung or kong of a tile is carried out although these seats win on it."""
        del hand
        return not winners

    def answered(self, hand: HandState, question: Question) -> None:
        """Take note of the answers to a claim, before they are carried out: games where passing has a consequence do."""

    # Wins and payments.

    def value(self, hand: HandState, who: int, tile: Tile, around: Circumstances) -> Value:
        """Return what a win is worth. The winning tile is among the seat's concealed tiles."""
        raise NotImplementedError  # pragma: no cover

    def win_stages(self, hand: HandState, winners: Sequence[int], source: int) -> list[Stage]:
        """Return what wins on one tile cost. A discarder or konger pays each winner, a self-draw is paid by all that are not out."""
        claims = []
        for who in winners:
            payers = [source] if source >= 0 else hand.others_playing(who)
            multiple = hand.seats[who].wins[-1].value.multiple
            claims += [Claim(payer, who, multiple) for payer in payers]
        return [Stage("win", tuple(claims))]

    def won(self, hand: HandState, winners: Sequence[int]) -> str:
        """Do what a win does to its winners, after it is paid. Returns why the hand is over, or nothing if it goes on."""
        raise NotImplementedError  # pragma: no cover

    def draws_after_wins(self, hand: HandState, winners: Sequence[int], source: int) -> int:
        """Return who draws after wins on the tile of `source` (-1: a self-draw). Winners are in order from there on."""
        del source
        return hand.next_active(winners[-1])

    def kong_stages(self, hand: HandState, who: int, meld: Meld) -> list[Stage]:
        """Return what a kong costs that was carried out, the last of `hand.row` in a row."""
        del hand, who, meld
        return []

    def exhausted_stages(self, hand: HandState) -> list[Stage]:
        """Return what is paid when the wall is empty."""
        del hand
        return []

    # Players who do not answer, or go.

    def default_turn(self, offer: TurnOffer) -> Action:
        """Return the server's answer on a turn: win, else throw the drawn tile, else the highest that may be thrown."""
        if offer.win:
            return Action(offer.seat, Do.WIN, auto=True)
        drawn = offer.tile
        may_throw_drawn = drawn >= 0 and offer.discards >> drawn & 1
        return Action(offer.seat, Do.DISCARD, drawn if may_throw_drawn else offer.discards.bit_length() - 1, auto=True)

    def default_claim(self, offer: ClaimOffer) -> Action:
        """Return the server's answer to a claim: win, else pass."""
        return Action(offer.seat, Do.WIN if offer.win else Do.PASS, auto=True)

    def leave(self, hand: HandState, who: int) -> list[Event] | Refusal:
        """Carry out that a player leaves, where that has a meaning within the hand."""
        del hand, who
        return Refusal(Why.NOT_OFFERED, "leaving has no meaning within a hand of this game")

    def carry(self, hand: HandState) -> dict[str, Any]:
        """Return what the table's next hand needs to know of this one."""
        del hand
        return {}
