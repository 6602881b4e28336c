"""Wins: valuing and paying all winners on one tile together."""

from __future__ import annotations

from collections.abc import Sequence

from games.hand import Event
from games.mahjong.draws import claim, finish
from games.mahjong.events import Win, Won
from games.mahjong.fans import Circumstances, How
from games.mahjong.hooks import HandState
from games.mahjong.tiles import Tile


def take(hand: HandState, winners: Sequence[int], tile: Tile, how: How, out: list[Event], *, source: int = -1, kongs: int = 0) -> bool:
    """Let seats win on one tile, in this order. The tile is among their concealed tiles only if self-drawn; then it is set aside.

    Returns whether the hand is over.
    """
    rules = hand.rules
    self_drawn = how is How.SELF_DRAW
    for who in winners:
        seat = hand.seats[who]
        first = self_drawn and seat.draws == 1 and not hand.melded
        around = Circumstances(how, kongs, hand.next == len(hand.wall), first, who == hand.dealer)
        if not self_drawn:
            seat.concealed.add(tile)
        win = Win(tile, how, source, rules.value(hand, who, tile, around))
        seat.concealed.remove(tile)
        seat.wins.append(win)
        out.append(Won(rules.all, who, win))
    claim(hand, rules.win_stages(hand, winners, source), out)
    why = rules.won(hand, winners)
    if why:
        finish(hand, why, out)
    return bool(why)
