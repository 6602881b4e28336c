"""查叫: what players who are not ready pay when the wall is empty (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from games.hand import Stage
from games.kaxinwu.fans import best_wait, check_value
from games.mahjong.checks import each_pays_each
from games.mahjong.hooks import HandState
from games.mahjong.state import Seat


def won_with(seat: Seat, fives: int) -> int:
    """Return what the hand of a seat's last win, as it was when it won, is worth in 查叫."""
    concealed, tile = seat.concealed, seat.wins[-1].tile
    concealed.add(tile)
    value = check_value(concealed, seat.melds, tile, fives)
    concealed.remove(tile)
    return value.multiple


def not_ready(hand: HandState, best_win: list[int], fives: int) -> Stage:
    """Return what each player who is not ready pays to each who is, and to each who has won. `best_win`: 0 for who has not."""
    payees = {who: best_win[who] or _highest(seat, fives) for who, seat in enumerate(hand.seats)}
    payers = [who for who, multiple in payees.items() if not multiple]
    return Stage("not_ready", each_pays_each(payers, {who: multiple for who, multiple in payees.items() if multiple}))


def _highest(seat: Seat, fives: int) -> int:
    value = best_wait(seat.concealed, seat.melds, fives)
    return 0 if value is None else value.multiple
