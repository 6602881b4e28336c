"""One mahjong hand behind the protocol of hands (games.hand.Hand).

Law: an action is judged by the offer it answers before anything changes; what follows is carried out to the next question in one go. The
machine never asks which game it runs: what differs is asked of its ruleset (games.mahjong.rules).
"""

from __future__ import annotations

from typing import Any

from games.hand import Action, Do, Event, Refusal, Why
from games.mahjong import claims, dumps, phases, results, turn, views
from games.mahjong.events import View
from games.mahjong.hooks import HandState
from games.mahjong.offers import TurnOffer, malformed

_LEAVE = Do.LEAVE


class MahjongHand(HandState):
    """A hand being played."""

    __slots__ = ()

    def apply(self, action: Action) -> list[Event] | Refusal:
        """Carry out one action. Answers the events in order; or a refusal and no change."""
        if self.over:
            return Refusal(Why.HAND_OVER)
        who = action.seat
        if not 0 <= who < self.players:
            return Refusal(Why.MALFORMED, f"seat: {who} is no seat")
        if action.do is _LEAVE:
            return malformed(action) or self.rules.leave(self, who)
        offer = self.offers[who]
        if offer is None:
            return Refusal(Why.NOT_YOUR_TURN)
        refusal: Refusal | None = offer.check(action)
        if refusal is not None:
            return refusal
        self.offers[who] = None
        out: list[Event] = []
        question = self.question
        if question is None:
            turn.act(self, action, out)
        elif question.source < 0:
            phases.answer(self, question, action, out)
        else:
            claims.answer(self, question, action, out)
        return out

    def default(self, seat: int) -> Action:
        """Return the action the server takes when the seat's time runs out. The seat must have an offer."""
        offer = self.offers[seat]
        assert offer is not None, "a seat that is not asked has no default"
        if self.question is not None and self.question.source < 0:
            return self.rules.phases[self.phase].default(self, seat)
        return self.rules.default_turn(offer) if isinstance(offer, TurnOffer) else self.rules.default_claim(offer)

    def seat_done(self, seat: int) -> bool:
        """Whether the seat's player may go without the hand needing them."""
        return self.over or self.seats[seat].out

    def view(self, seat: int | None) -> View:
        """Return all that `seat` may know now, or the public view for None."""
        return views.view(self, seat)

    def dump(self) -> dict[str, Any]:
        """Return the whole state as plain JSON values. Secret."""
        return dumps.dump(self)

    def points(self) -> list[int]:
        """Return each seat's points so far; they sum to zero."""
        return list(self.totals)

    def result(self) -> dict[str, Any]:
        """Return the outcome as plain JSON values for the record. The hand must be over."""
        return results.result(self)

    def carry(self) -> dict[str, Any]:
        """Return what the next hand of this table needs to know of this one."""
        return self.rules.carry(self)

    def record(self) -> dict[str, Any]:
        """Return the deal's part of the hand record."""
        return results.deal_record(self)
