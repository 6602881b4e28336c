"""The deal of a mahjong hand: blocks of 13 tiles to seats 0, 1, …, the rest drawn from the front (docs/rules/README.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from games.deal import Stream, deal_key, shuffle
from games.hand import WATCHERS, Event, Setup
from games.mahjong import phases
from games.mahjong.concealed import Concealed
from games.mahjong.events import Dealt
from games.mahjong.hooks import HandState
from games.mahjong.shapes import WAITING_SIZE
from games.mahjong.state import Seat

if TYPE_CHECKING:
    from games.mahjong.hooks import MahjongHooks

H = TypeVar("H", bound=HandState)


def deal(kind: type[H], rules: MahjongHooks, setup: Setup) -> tuple[H, list[Event]]:
    """Deal a hand. ValueError names what is wrong with the setup."""
    if len(setup.contributions) != rules.players:
        raise ValueError(f"contributions: {len(setup.contributions)} of {rules.players} seats")
    stream = Stream(deal_key(setup.seed, setup.table, setup.hand, setup.contributions))
    wall = bytes(shuffle(stream, rules.ordered()))
    dealer, dealer_from = rules.dealer(setup, stream)
    blocks = [wall[who * WAITING_SIZE : (who + 1) * WAITING_SIZE] for who in range(rules.players)]
    hand = kind(rules, wall, dealer, dealer_from, [Seat(Concealed(block)) for block in blocks])
    hand.next = WAITING_SIZE * rules.players
    hand.own = rules.memory()
    for phase in rules.phases:
        phase.prepare(hand, stream)
    out = _dealt(hand)
    phases.go_on(hand, out)
    return hand, out


def _dealt(hand: HandState) -> list[Event]:
    counts = (WAITING_SIZE,) * hand.players

    def form(to: int, tiles: tuple[int, ...]) -> Event:
        return Dealt(to, hand.dealer, hand.dealer_from, tiles, counts, hand.left)

    own = [form(hand.rules.only[who], tuple(seat.concealed.tiles())) for who, seat in enumerate(hand.seats)]
    return [*own, form(WATCHERS, ())]
