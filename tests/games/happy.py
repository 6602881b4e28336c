"""Boards of 欢乐麻将."""

from __future__ import annotations

from typing import Any

from games.mahjong.machine import MahjongHand
from games.registry import ruleset
from tests.games import board as boards

HAPPY = ruleset("happy_sichuan", {})
SINGLE = ruleset("happy_sichuan", {"mode": "single"})
THREE_FAN = ruleset("happy_sichuan", {"room": "three_fan"})

JUNK = "147m147p1235689s"
"""13 tiles of three suits: a flower pig that can neither win nor meld."""
PAIR = "147m14699p23568s"
"""Likewise, with a pair of 9p."""
FAR = "13579m12345678p"
"""13 tiles of two suits, not ready, without a pair to meld with."""
READY = "123456789m1199p"
"""Waits for 1p and 9p, 平胡."""
OTHER = "123456789m2255p"
"""Waits for 2p and 5p, 平胡."""
LONG = "1m" * 9
"""Enough of a wall that the last four are far."""


def board(*hands: str, wall: str, dealer: int = 0, rules: Any = HAPPY) -> MahjongHand:
    """A hand in play (tests.games.board) in which all have drawn before; the dealer has drawn the first tile of the wall."""
    hand = boards.board(*hands, wall=wall, voids="", dealer=dealer, rules=rules)
    for seat in hand.seats:
        seat.draws += 1
    return hand


def fresh(*hands: str, wall: str, dealer: int = 0, rules: Any = HAPPY) -> MahjongHand:
    """A hand in play whose first tile the dealer has just drawn."""
    return boards.board(*hands, wall=wall, voids="", dealer=dealer, rules=rules)


def causes(hand: MahjongHand) -> list[str]:
    """The causes of all stages so far, in order."""
    return [stage.cause for stage in hand.stages]


def stage(hand: MahjongHand, cause: str) -> list[tuple[int, int, int]]:
    """The claims of the one stage with this cause."""
    (found,) = [stage for stage in hand.stages if stage.cause == cause]
    return [(claim.payer, claim.payee, claim.multiple) for claim in found.claims]


def won(hand: MahjongHand, seat: int) -> list[str]:
    """What a seat won with last: `平胡 1`."""
    return [f"{part.name} {part.fan}" for part in hand.seats[seat].wins[-1].value.parts]
