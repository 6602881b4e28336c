"""Full views: all that one seat, or everybody, may know of a hand at a moment."""

from __future__ import annotations

from games.events import PUBLIC
from games.hand import WATCHERS, Action
from games.mahjong.events import SeatView, View
from games.mahjong.hooks import HandState
from games.mahjong.state import Seat

PLAY = "play"
OVER = "over"


def view(hand: HandState, viewer: int | None) -> View:
    """Return the view of a seat, or the public one."""
    seats = tuple(_seat(seat, shown=hand.over or who == viewer) for who, seat in enumerate(hand.seats))
    question = hand.question
    claimed = question is not None and question.source >= 0
    seen = View(
        to=WATCHERS if viewer is None else hand.rules.only[viewer],
        seat=PUBLIC if viewer is None else viewer,
        phase=phase_name(hand),
        dealer=hand.dealer,
        turn=hand.turn,
        left=hand.left,
        discard=question.tile if question is not None and claimed and not question.robbing else -1,
        announced=question.tile if question is not None and question.robbing else -1,
        seats=seats,
        points=tuple(hand.totals),
    )
    if viewer is not None:
        seen.drawn = hand.seats[viewer].drawn
        if question is not None and not claimed and viewer in question.answers:
            _own_choice(seen, question.answers[viewer])
    return seen


def phase_name(hand: HandState) -> str:
    """Return the phase: one before play by its name, play, or over."""
    if hand.over:
        return OVER
    phases = hand.rules.phases
    return phases[hand.phase].name if hand.phase < len(phases) else PLAY


def _own_choice(seen: View, action: Action) -> None:
    if action.tiles:
        seen.gave = tuple(sorted(action.tiles))
    else:
        seen.named_void = action.tile


def _seat(seat: Seat, *, shown: bool) -> SeatView:
    return SeatView(
        count=seat.concealed.size,
        tiles=tuple(seat.concealed.tiles()) if shown else (),
        melds=tuple(seat.melds),
        river=tuple(seat.river),
        void=seat.void,
        wins=tuple(seat.wins),
        out=seat.out,
    )
