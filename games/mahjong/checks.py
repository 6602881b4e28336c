"""What the games check when the wall is empty 查花猪, 查大叫, 查叫: who holds what, and who pays whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from games.hand import Claim
from games.mahjong.melds import meld_mask
from games.mahjong.state import Seat
from games.mahjong.tiles import SUIT_MASKS


def holds_all_suits(seat: Seat) -> bool:
    """Whether a seat holds all three suits, melds counted: a flower pig 花猪 where one of them must go."""
    held = seat.concealed.mask | meld_mask(seat.melds)
    return all(held & suit for suit in SUIT_MASKS)


def each_pays_each(payers: Iterable[int], payees: Mapping[int, int]) -> tuple[Claim, ...]:
    """Return claims on each payer for each payee's multiple. No seat is among both."""
    return tuple(Claim(payer, payee, multiple) for payer in payers for payee, multiple in payees.items())
