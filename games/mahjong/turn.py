"""A seat's own turn: discard, kong, or win by self-draw. The offer has already judged the action."""

from __future__ import annotations

from games.hand import Action, Do, Event
from games.mahjong import claims, kongs, wins
from games.mahjong.draws import draw
from games.mahjong.events import Discarded, KongAnnounced
from games.mahjong.fans import How
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import COPIES, Tile


def act(hand: HandState, action: Action, out: list[Event]) -> None:
    """Carry out what a seat does on its turn."""
    if action.do is Do.DISCARD:
        _discard(hand, action.seat, action.tile, out)
    elif action.do is Do.WIN:
        _win(hand, action.seat, out)
    else:
        _kong(hand, action, out)


def _discard(hand: HandState, who: int, tile: Tile, out: list[Event]) -> None:
    seat = hand.seats[who]
    seat.concealed.remove(tile)
    if tile != seat.drawn:
        seat.waits = hand.rules.waits(seat)
    seat.drawn = -1
    seat.river.append(tile)
    out.append(Discarded(hand.rules.all, who, tile))
    claims.ask(hand, who, tile, out)


def _win(hand: HandState, who: int, out: list[Event]) -> None:
    seat = hand.seats[who]
    tile = seat.drawn
    seat.drawn = -1
    if not wins.take(hand, (who,), tile, How.SELF_DRAW, out, kongs=hand.row):
        draw(hand, hand.rules.draws_after_wins(hand, (who,), -1), out)


def _kong(hand: HandState, action: Action, out: list[Event]) -> None:
    who, tile = action.seat, action.tile
    seat = hand.seats[who]
    seat.drawn = -1
    if action.kind == MeldKind.CONCEALED_KONG:
        for _ in range(COPIES):
            seat.concealed.remove(tile)
        kongs.complete(hand, who, Meld(MeldKind.CONCEALED_KONG, tile), out)
        return
    seat.concealed.remove(tile)
    seat.waits = hand.rules.waits(seat)
    out.append(KongAnnounced(hand.rules.all, who, tile))
    claims.ask(hand, who, tile, out, robbing=True)
