"""Drawing, and what ends when there is nothing to draw."""

from __future__ import annotations

from collections.abc import Iterable

from games.events import HandOver, StageClaimed
from games.hand import Event, Stage
from games.mahjong.events import Drew
from games.mahjong.hooks import HandState

WALL_EMPTY = "wall_empty"


def draw(hand: HandState, who: int, out: list[Event], *, replacement: bool = False) -> None:
    """Let a seat draw, and offer it its turn; with an empty wall the hand is over. `replacement`: after a kong, which keeps its row."""
    rules = hand.rules
    place = hand.next
    left = len(hand.wall) - place - 1
    if left < 0:
        claim(hand, rules.exhausted_stages(hand), out)
        finish(hand, WALL_EMPTY, out)
        return
    tile = hand.wall[place]
    hand.next = place + 1
    seat = hand.seats[who]
    seat.concealed.add(tile)
    seat.drawn = tile
    seat.draws += 1
    if not replacement:
        hand.row = 0
    out.append(Drew(rules.only[who], who, tile, replacement, left))
    out.append(Drew(rules.others[who], who, -1, replacement, left))
    offer_turn(hand, who)


def offer_turn(hand: HandState, who: int) -> None:
    """Make it a seat's turn. It holds 14 tiles."""
    hand.turn = who
    hand.offers[who] = hand.rules.turn_offer(hand, who)


def claim(hand: HandState, stages: Iterable[Stage], out: list[Event]) -> None:
    """Add stages of claims to the hand; those without claims are left out."""
    unit = hand.rules.point_unit
    for stage in stages:
        if not stage.claims:
            continue
        for payer, payee, multiple in stage.claims:
            hand.totals[payer] -= multiple * unit
            hand.totals[payee] += multiple * unit
        hand.stages.append(stage)
        out.append(StageClaimed(hand.rules.all, stage))


def finish(hand: HandState, why: str, out: list[Event]) -> None:
    """End the hand, and show all tiles."""
    hand.over = True
    hand.ended = why
    hand.turn = -1
    hand.question = None
    hand.offers[:] = [None] * hand.players
    hands = tuple(tuple(seat.concealed.tiles()) for seat in hand.seats)
    out.append(HandOver(hand.rules.all, why, hands, tuple(hand.totals)))
