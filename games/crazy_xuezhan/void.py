"""The phase in which each seat names its void suit 定缺 (docs/rules/crazy_xuezhan.md). Reusable: it only sets `void` and `barred` of the
seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.deal import Stream
from games.hand import Action, Do, Event
from games.mahjong.events import VoidsShown
from games.mahjong.hooks import HandState
from games.mahjong.offers import VoidOffer
from games.mahjong.tiles import SUIT_MASKS, SUITS


class VoidPhase:
    """Each seat names one suit; all are shown together and stay."""

    name = "void"

    def prepare(self, hand: HandState, stream: Stream) -> None:
        """Nothing is drawn."""

    def open(self, hand: HandState) -> dict[int, Any]:
        """Ask every seat."""
        return {who: VoidOffer(who, hand.number(who)) for who in range(hand.players)}

    def close(self, hand: HandState, answers: Mapping[int, Action], out: list[Event]) -> None:
        """Show all suits."""
        for who, seat in enumerate(hand.seats):
            seat.void = answers[who].tile
            seat.barred = SUIT_MASKS[seat.void]
        out.append(VoidsShown(hand.rules.all, tuple(seat.void for seat in hand.seats)))

    def default(self, hand: HandState, who: int) -> Action:
        """The suit with the fewest tiles; ties m, p, s."""
        held = hand.seats[who].concealed.suit_sizes()
        return Action(who, Do.VOID, min(range(len(SUITS)), key=held.__getitem__), auto=True)
