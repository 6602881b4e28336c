"""What follows when a player asks to leave a hand in which leaving has a meaning (docs/rules/happy_sichuan.md, "Leaving").

Law: nobody escapes an answer that is awaited. A seat that has not won leaves when no question is open and no forced win is offered to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.hand import Action, Do


def next_step(hand: Any, going: Sequence[int]) -> Action | None:
    """Return what happens next for the seats that have asked to leave, in the order in which they asked.

    The answer is a `leave` that takes effect now, or an action that the server takes for such a seat: it wins where nothing else is
    offered, else it passes. None: others are still asked, or the hand is over. Whoever carries out a `leave` takes its seat off `going`.
    """
    if hand.over:
        return None
    for seat in going:
        offer = hand.offers[seat]
        if hand.seat_done(seat):
            return Action(seat, Do.LEAVE)
        if offer is not None and offer.must_win:
            return Action(seat, Do.WIN, auto=True)
        if hand.question is None:
            return Action(seat, Do.LEAVE)
        if offer is not None:
            return Action(seat, Do.PASS, auto=True)
    return None
