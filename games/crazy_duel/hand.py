"""The state machine of one hand of 疯狂对杀: two seats answer in turns until one has played its last card or escapes.

Law: cards played, held and put away are always the 60 of the pack, and exactly one seat is asked while the hand lasts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.crazy_duel.cards import KINDS, Card, names_of
from games.crazy_duel.events import CardsDealt, CardsPassed, CardsPlayed, CardView
from games.crazy_duel.kinds import Laid, Play, PlayKind
from games.crazy_duel.offers import CardOffer, bare
from games.crazy_duel.plays import read
from games.crazy_duel.score import basic, times
from games.events import PUBLIC, HandOver, StageClaimed
from games.hand import WATCHERS, Action, Claim, Do, Event, Refusal, Stage, Why, everyone

PLAYERS = 2
PUT_AWAY = 10
"""Cards drawn out of the pack unseen: the first of the wall."""
DEALT = 25
SHOWDOWN = "showdown"
ESCAPE = "escape"
_ALL = everyone(PLAYERS)


class DuelHand:
    """One hand between two actions (games.hand.Hand). `held`: of each seat how many it has of each card."""

    __slots__ = (
        "asked",
        "best",
        "ended",
        "escape",
        "held",
        "left",
        "offers",
        "over",
        "played",
        "players",
        "question",
        "shown",
        "stages",
        "table",
        "totals",
        "turn",
        "wall",
        "winner",
    )

    def __init__(self, wall: Sequence[Card], shown: int, escape: int) -> None:
        """Deal. `shown`: index into the wall of the card that gives the lead; `escape`: the multiple an escape costs."""
        self.players = PLAYERS
        self.wall = tuple(wall)
        self.shown = shown
        self.escape = escape
        self.held = [_counted(wall[PUT_AWAY + seat * DEALT : PUT_AWAY + (seat + 1) * DEALT]) for seat in range(PLAYERS)]
        self.left = [DEALT] * PLAYERS
        self.table: Laid | None = None
        self.turn = self.leader
        self.played: list[Laid] = []
        self.best = [0] * PLAYERS
        self.asked = [0] * PLAYERS
        self.offers: list[Any] = [None] * PLAYERS
        self.question = None
        self.stages: list[Stage] = []
        self.totals = [0] * PLAYERS
        self.over = False
        self.winner = -1
        self.ended = ""

    @property
    def leader(self) -> int:
        """The seat that was dealt the shown card, so that it leads first."""
        return (self.shown - PUT_AWAY) // DEALT

    def open(self) -> list[Event]:
        """Ask the leader. Answers the events of the deal, one for each audience."""
        self._ask(self.turn)
        shown, counts = self.wall[self.shown], tuple(self.left)
        own: list[Event] = [CardsDealt(1 << seat, self.cards(seat), shown, self.turn, counts) for seat in range(PLAYERS)]
        return [*own, CardsDealt(WATCHERS, (), shown, self.turn, counts)]

    def apply(self, action: Action) -> list[Event] | Refusal:
        """Carry out one action (games.hand.Hand). Leaving needs no offer."""
        seat = action.seat
        if self.over:
            return Refusal(Why.HAND_OVER)
        if not 0 <= seat < PLAYERS:
            return Refusal(Why.MALFORMED, f"seat: {seat}")
        if action.do is Do.LEAVE:
            return self._leave(seat) if bare(action) else Refusal(Why.MALFORMED, "leave takes no cards")
        offer = self.offers[seat]
        if offer is None:
            return Refusal(Why.NOT_YOUR_TURN)
        judged: Play | Refusal | None = offer.judge(action)
        if isinstance(judged, Refusal):
            return judged
        self.offers[seat] = None
        return self._pass(seat) if judged is None else self._play(Laid(seat, action.tiles, judged))

    def default(self, seat: int) -> Action:
        """Return a pass, or for a leader the lowest single: rank order, then suit order."""
        offer: CardOffer = self.offers[seat]
        if offer.may_pass:
            return Action(seat, Do.PASS, auto=True)
        lowest = next(card for card, count in enumerate(offer.held) if count)
        return Action(seat, Do.PLAY, tiles=(lowest,), kind=PlayKind.SINGLE, auto=True)

    def seat_done(self, seat: int) -> bool:  # noqa: ARG002 - the protocol's question is about a seat
        """Nobody is done before the hand is: who goes earlier escapes."""
        return self.over

    def cards(self, seat: int) -> tuple[Card, ...]:
        """Return what a seat holds, sorted."""
        return tuple([card for card, count in enumerate(self.held[seat]) if count for _ in range(count)])

    def view(self, seat: int | None) -> CardView:
        """Return what a seat may know now, or what everybody may for None."""
        return CardView(
            to=WATCHERS if seat is None else 1 << seat,
            seat=PUBLIC if seat is None else seat,
            counts=tuple(self.left),
            cards=() if seat is None else self.cards(seat),
            to_beat=self.table,
            turn=-1 if self.over else self.turn,
            shown=self.wall[self.shown],
            leader=self.leader,
            played=tuple(self.played),
            points=tuple(self.totals),
            hands=self._hands() if self.over else (),
        )

    def points(self) -> list[int]:
        """Return each seat's points: the base number, won and lost."""
        return list(self.totals)

    def result(self) -> dict[str, Any]:
        """Return how the hand ended: who won and what the base number is made of."""
        assert self.over, "the hand is not over"
        loser = 1 - self.winner
        ended = {"ended": self.ended, "winner": self.winner, "loser": loser, "left": list(self.left), "multiple": self.totals[self.winner]}
        if self.ended == ESCAPE:
            return ended
        row, stars = basic(self.left[loser]), self.best[self.winner]
        return ended | {"basic": row.score, "name": row.name, "stars": stars, "times": times(stars)}

    def carry(self) -> dict[str, Any]:
        """Return nothing: each hand's lead is drawn anew."""
        return {}

    def record(self) -> dict[str, Any]:
        """Return the deal's part of the record. No seat is a dealer."""
        return {"dealer": None, "dealer_from": None, "wall": names_of(self.wall), "shown": self.shown}

    def dump(self) -> dict[str, Any]:
        """Return the whole state as plain JSON values. Secret."""
        return {
            "wall": list(self.wall),
            "shown": self.shown,
            "asked": list(self.asked),
            "turn": self.turn,
            "leads": self.table is None,
            "played": [[laid.seat, laid.play.kind.value, list(laid.cards)] for laid in self.played],
            "ended": self.ended,
            "winner": self.winner,
            "points": list(self.totals),
        }

    @classmethod
    def load(cls, dumped: Mapping[str, Any], escape: int) -> DuelHand:
        """Rebuild a hand from what `dump` answered."""
        hand = cls(dumped["wall"], dumped["shown"], escape)
        for seat, kind, cards in dumped["played"]:
            play = read(cards, PlayKind(kind))
            assert isinstance(play, Play), "a stored play is none"
            hand._lay(Laid(seat, tuple(cards), play))
        if dumped["leads"]:
            hand.table = None
        hand.asked = list(dumped["asked"])
        hand.turn = dumped["turn"]
        if dumped["ended"]:
            hand._end(dumped["ended"], dumped["winner"], dumped["points"][dumped["winner"]])
        else:
            hand._offer()
        return hand

    def _lay(self, laid: Laid) -> None:
        """Put a play on the table: the cards leave the seat, and its best bomb counts, led or not."""
        held = self.held[laid.seat]
        for card in laid.cards:
            held[card] -= 1
        self.left[laid.seat] -= laid.play.size
        self.best[laid.seat] = max(self.best[laid.seat], laid.play.stars)
        self.played.append(laid)
        self.table = laid

    def _play(self, laid: Laid) -> list[Event]:
        seat = laid.seat
        self._lay(laid)
        events: list[Event] = [CardsPlayed(_ALL, seat, laid.cards, laid.play, self.left[seat])]
        if self.left[seat]:
            self._ask(1 - seat)
            return events
        base_number = basic(self.left[1 - seat]).score * times(self.best[seat])
        return events + self._end(SHOWDOWN, seat, base_number)

    def _pass(self, seat: int) -> list[Event]:
        self.table = None
        self._ask(1 - seat)
        return [CardsPassed(_ALL, seat)]

    def _leave(self, seat: int) -> list[Event]:
        """Escape 强行逃跑: cards left and bombs played do not matter."""
        return self._end(ESCAPE, 1 - seat, self.escape)

    def _ask(self, seat: int) -> None:
        self.turn = seat
        self.asked[seat] += 1
        self._offer()

    def _offer(self) -> None:
        turn = self.turn
        self.offers[turn] = CardOffer(turn, self.asked[turn], self.held[turn], self.table)

    def _end(self, cause: str, winner: int, multiple: int) -> list[Event]:
        self.over = True
        self.ended = cause
        self.winner = winner
        self.offers = [None] * PLAYERS
        stage = Stage(cause, (Claim(1 - winner, winner, multiple),))
        self.stages.append(stage)
        self.totals[winner] += multiple
        self.totals[1 - winner] -= multiple
        return [StageClaimed(_ALL, stage), HandOver(_ALL, cause, self._hands(), tuple(self.totals))]

    def _hands(self) -> tuple[tuple[Card, ...], ...]:
        return tuple(map(self.cards, range(PLAYERS)))


def _counted(cards: Sequence[Card]) -> list[int]:
    held = [0] * KINDS
    for card in cards:
        held[card] += 1
    return held
