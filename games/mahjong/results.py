"""What the record of a mahjong hand says of its deal and its outcome, as plain JSON values."""

from __future__ import annotations

from typing import Any

from games.mahjong.events import Win
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld
from games.mahjong.state import Seat
from games.mahjong.tiles import SUITS, TILE_NAMES, format_tiles


def deal_record(hand: HandState) -> dict[str, Any]:
    """Return the dealer, what decided it, the wall in dealing order, and the shift where tiles were exchanged."""
    record: dict[str, Any] = {
        "dealer": hand.dealer,
        "dealer_from": hand.dealer_from,
        "wall": [TILE_NAMES[tile] for tile in hand.wall],
    }
    if hand.shift:
        record["shift"] = hand.shift
    return record


def result(hand: HandState) -> dict[str, Any]:
    """Return why the hand ended, what each seat held and won, and how many tiles were left. The hand must be over."""
    assert hand.over, "a hand that is not over has no result"
    return {"ended": hand.ended, "left": hand.left, "seats": [_seat(seat) for seat in hand.seats]}


def _seat(seat: Seat) -> dict[str, Any]:
    written: dict[str, Any] = {"concealed": format_tiles(seat.concealed.tiles()), "melds": [_meld(meld) for meld in seat.melds]}
    if seat.void >= 0:
        written["void"] = SUITS[seat.void]
    written["wins"] = [_win(win) for win in seat.wins]
    return written


def _meld(meld: Meld) -> dict[str, Any]:
    return {"kind": meld.kind.value, "tile": TILE_NAMES[meld.tile]}


def _win(win: Win) -> dict[str, Any]:
    return {
        "tile": TILE_NAMES[win.tile],
        "how": win.how.value,
        "from": win.source if win.source >= 0 else None,
        "parts": [part._asdict() for part in win.value.parts],
        "fan": win.value.fan,
        "multiple": win.value.multiple,
    }
