"""Hands set up and played as a player would write them down: `board` lays the tiles, `play` says who does what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.deal import Stream
from games.hand import Action, Do, Event, Refusal
from games.mahjong import draws, phases
from games.mahjong.concealed import Concealed
from games.mahjong.machine import MahjongHand
from games.mahjong.melds import MeldKind
from games.mahjong.state import Seat
from games.mahjong.tiles import SUIT_MASKS, SUITS, format_tiles, parse_tiles, suit_of
from games.registry import ruleset
from tests.games.naive import melds

XUEZHAN = ruleset("crazy_xuezhan", {})


def board(*hands: str, wall: str, voids: str = "ssss", dealer: int = 0, rules: Any = XUEZHAN) -> MahjongHand:
    """A hand in play. Each seat: `123m55p | pung 1s, direct 2s`, 13 tiles, melds counted; the dealer has drawn the wall's first tile."""
    hand = _lay(hands, wall, voids, dealer, rules)
    hand.phase = len(rules.phases)
    for seat in hand.seats:
        seat.waits = rules.waits(seat)
    draws.draw(hand, dealer, [])
    return hand


def before_play(*hands: str, wall: str = "9m9p9m9p", shift: int = 0, rules: Any = XUEZHAN) -> MahjongHand:
    """A hand just dealt. `shift` of the exchange; 0: as drawn."""
    hand = _lay(hands, wall, "", 0, rules)
    stream = Stream(bytes(32))
    for phase in rules.phases:
        phase.prepare(hand, stream)
    hand.shift = shift or hand.shift
    phases.go_on(hand, [])
    return hand


def _lay(hands: Sequence[str], wall: str, voids: str, dealer: int, rules: Any) -> MahjongHand:
    seats = []
    for who, text in enumerate(hands):
        concealed, _, laid = text.partition("|")
        seat = Seat(Concealed(parse_tiles(concealed.strip())), list(melds(laid.strip())))
        assert seat.concealed.size + 3 * len(seat.melds) == 13, f"seat {who} holds {seat.concealed.size} tiles and {len(seat.melds)} melds"
        seat.pungs = sum(1 << meld.tile for meld in seat.melds if not meld.is_kong)
        if voids:
            seat.void = suit_of(voids[who])
            seat.barred = SUIT_MASKS[seat.void]
        seats.append(seat)
    hand = MahjongHand(rules, bytes(parse_tiles(wall)), dealer, "draw", seats)
    hand.own = rules.memory()
    return hand


def out(hand: MahjongHand, *seats: int) -> MahjongHand:
    """Take seats out of the hand, as if they had won before."""
    for who in seats:
        hand.seats[who].out = True
    return hand


KONGS = {"direct": MeldKind.DIRECT_KONG, "added": MeldKind.ADDED_KONG, "concealed": MeldKind.CONCEALED_KONG}


def act(text: str) -> Action:
    """`0 discard 5p`, `1 kong 5p added`, `2 win`, `3 void m`, `0 exchange 123m`."""
    seat, word, *rest = text.split()
    do = Do(word)
    if do is Do.VOID:
        return Action(int(seat), do, SUITS.index(rest[0]))
    if do is Do.EXCHANGE:
        return Action(int(seat), do, tiles=tuple(parse_tiles(rest[0])))
    tile = parse_tiles(rest[0])[0] if rest else -1
    return Action(int(seat), do, tile, kind=KONGS[rest[1]] if len(rest) > 1 else "")


def play(hand: MahjongHand, *moves: str) -> list[Event]:
    """Carry out moves that must all be accepted. Returns the events of the last."""
    events: list[Event] = []
    for move in moves:
        answer = hand.apply(act(move))
        assert not isinstance(answer, Refusal), f"{move}: {answer}"
        events = answer
    return events


def may(hand: MahjongHand, seat: int) -> str:
    """What a seat is offered, in words: `discard 123m, kong 1m concealed, win`; nothing if it is not asked."""
    offer = hand.offers[seat]
    if offer is None:
        return ""
    words = []
    if hasattr(offer, "discards"):
        words += [f"discard {format_tiles(tile for tile in range(27) if offer.discards >> tile & 1)}"] * (offer.discards > 0)
        words += [f"kong {format_tiles([tile])} {kind.value.removesuffix('_kong')}" for tile, kind in offer.kongs()]
        words += ["win"] * offer.win
    else:
        choices = {"win": offer.win, "kong": offer.kong, "pung": offer.pung, "pass": offer.may_pass}
        words += [word for word, possible in choices.items() if possible]
    return ", ".join(words)


def asked(hand: MahjongHand) -> list[int]:
    """The seats that have an open offer."""
    return [seat for seat, offer in enumerate(hand.offers) if offer is not None]


def claims(hand: MahjongHand, stage: int = -1) -> list[tuple[int, int, int]]:
    """The claims of one stage, the last by default."""
    return [(payer, payee, multiple) for payer, payee, multiple in hand.stages[stage].claims]


def tiles(hand: MahjongHand, seat: int) -> str:
    """The concealed tiles of a seat."""
    return format_tiles(hand.seats[seat].concealed.tiles())


def names(events: Sequence[Event]) -> list[str]:
    """What happened, by name."""
    return [event.name for event in events]
