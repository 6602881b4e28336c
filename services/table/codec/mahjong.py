"""Mahjong as messages: what happened, what a seat may do, what it may know.

Frequent events and offers are put together from ready-made pieces, since they are written for every action; the rest through the message
classes. `tests/table/test_codec.py` holds both against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, cast

from games.mahjong.events import (
    Dealt,
    Discarded,
    Drew,
    Exchanged,
    KongAnnounced,
    KongRobbed,
    Melded,
    SeatView,
    View,
    VoidsShown,
    Win,
    Won,
)
from games.mahjong.fans import How
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.offers import ClaimOffer, ExchangeOffer, TurnOffer, VoidOffer
from services.table.codec.wire import message, number_field
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

_KINDS: Final = {kind: mj.MeldKind.Value(f"MELD_KIND_{kind.name}") for kind in MeldKind}
_HOWS: Final = {how: mj.WinHow.Value(f"WIN_HOW_{how.name}") for how in How}

# Events.


def _tile(tile: int) -> mj.Tile.ValueType:
    return cast("mj.Tile.ValueType", tile + 1)


def _tiles(tiles: Iterable[int]) -> list[mj.Tile.ValueType]:
    return [_tile(tile) for tile in tiles]


def _suit(suit: int) -> mj.Suit.ValueType:
    return cast("mj.Suit.ValueType", suit + 1)


def _meld(meld: Meld) -> mj.Meld:
    return mj.Meld(kind=_KINDS[meld.kind], tile=_tile(meld.tile), from_seat_plus_one=meld.source + 1)


def _won(seat: int, win: Win) -> mj.Won:
    value = win.value
    return mj.Won(
        seat=seat,
        tile=_tile(win.tile),
        how=_HOWS[win.how],
        from_seat_plus_one=win.source + 1,
        parts=[mj.FanPart(id=part.id, name=part.name, fan=part.fan) for part in value.parts],
        fan=value.fan,
        multiple=value.multiple,
    )


def _dealt(event: Dealt, hand: int) -> bytes:
    return pb.Event(
        dealt=mj.Dealt(
            hand=hand,
            dealer=event.dealer,
            dealer_from=event.dealer_from,
            tiles=_tiles(event.tiles),
            wall_left=event.left,
            concealed_counts=event.counts,
        )
    ).SerializeToString()


def _voids_shown(event: VoidsShown, _hand: int) -> bytes:
    return pb.Event(voids_shown=mj.VoidsShown(suits=[_suit(suit) for suit in event.suits])).SerializeToString()


def _exchanged(event: Exchanged, _hand: int) -> bytes:
    took = mj.Exchanged(seats=event.seats, shift=event.shift, gave=_tiles(event.gave), got=_tiles(event.got))
    return pb.Event(exchanged=took).SerializeToString()


def _melded(event: Melded, _hand: int) -> bytes:
    return pb.Event(melded=mj.Melded(seat=event.seat, meld=_meld(event.meld))).SerializeToString()


def _kong_announced(event: KongAnnounced, _hand: int) -> bytes:
    return pb.Event(kong_announced=mj.KongAnnounced(seat=event.seat, tile=_tile(event.tile))).SerializeToString()


def _kong_robbed(event: KongRobbed, _hand: int) -> bytes:
    return pb.Event(kong_robbed=mj.KongRobbed(seat=event.seat, tile=_tile(event.tile))).SerializeToString()


def _won_event(event: Won, _hand: int) -> bytes:
    return pb.Event(won=_won(event.seat, event.win)).SerializeToString()


_DREW: Final = pb.Event.DREW_FIELD_NUMBER
_DISCARDED: Final = pb.Event.DISCARDED_FIELD_NUMBER
_SEATS: Final = [number_field(1, seat) for seat in range(8)]
_TILE: Final = [number_field(2, number) for number in range(28)]
_REPLACEMENT: Final = {False: b"", True: number_field(3, 1)}
_LEFT: Final = [number_field(4, left) for left in range(137)]


@lru_cache(maxsize=1 << 14)
def _draw(seat: int, tile: int, replacement: bool, left: int) -> bytes:
    return message(_DREW, _SEATS[seat] + _TILE[tile + 1] + _REPLACEMENT[replacement] + _LEFT[left])


def _drew(event: Drew, _hand: int) -> bytes:
    return _draw(event.seat, event.tile, event.replacement, event.left)


_DISCARDS: Final = [[message(_DISCARDED, seat + _TILE[tile + 1]) for tile in range(27)] for seat in _SEATS]


def _discarded(event: Discarded, _hand: int) -> bytes:
    return _DISCARDS[event.seat][event.tile]


EVENTS: Final[dict[type, Callable[[Any, int], bytes]]] = {
    Dealt: _dealt,
    VoidsShown: _voids_shown,
    Exchanged: _exchanged,
    Drew: _drew,
    Discarded: _discarded,
    Melded: _melded,
    KongAnnounced: _kong_announced,
    KongRobbed: _kong_robbed,
    Won: _won_event,
}
"""Encoders by the type of the event, given the event and the number of the hand."""

# Offers: the field `mahjong` of Offer.

_CHOICES: Final = pb.Offer.MAHJONG_FIELD_NUMBER
_SUIT_MASK: Final = (1 << 9) - 1
_KINDS_OF: Final = [[bytes(9 * suit + rank + 1 for rank in range(9) if mask >> rank & 1) for mask in range(512)] for suit in range(3)]
_MAY_WIN: Final = {False: b"", True: number_field(5, 1)}
_MAY_PUNG: Final = {False: b"", True: number_field(6, 1)}
_MAY_PASS: Final = {False: b"", True: number_field(7, 1)}
_ABOUT: Final = [number_field(8, number) for number in range(28)]
_FROM: Final = [number_field(9, seat) for seat in range(9)]
_CONFIRM: Final = {False: b"", True: number_field(11, 1)}


def _kinds(field: int, mask: int) -> bytes:
    if not mask:
        return b""
    return message(field, _KINDS_OF[0][mask & _SUIT_MASK] + _KINDS_OF[1][mask >> 9 & _SUIT_MASK] + _KINDS_OF[2][mask >> 18])


def _kong(tile: int, kind: MeldKind) -> bytes:
    return message(4, number_field(1, tile + 1) + number_field(2, _KINDS[kind]))


def _turn(offer: TurnOffer) -> bytes:
    body = _kinds(3, offer.discards)
    if offer.concealed_kongs or offer.added_kongs:
        body += b"".join(_kong(tile, kind) for tile, kind in offer.kongs())
    return message(_CHOICES, body + _MAY_WIN[offer.win] + _ABOUT[offer.tile + 1] + _kinds(10, offer.greyed) + _CONFIRM[offer.confirm_pass])


def _claim(offer: ClaimOffer) -> bytes:
    body = _kong(offer.tile, MeldKind.DIRECT_KONG) if offer.kong else b""
    body += _MAY_WIN[offer.win] + _MAY_PUNG[offer.pung] + _MAY_PASS[offer.may_pass]
    body += _ABOUT[offer.tile + 1] + _FROM[offer.source + 1] + _kinds(10, offer.greyed)
    return message(_CHOICES, body + _CONFIRM[offer.confirm_pass])


def _void(offer: VoidOffer) -> bytes:
    return message(_CHOICES, message(1, bytes(suit + 1 for suit in range(3) if offer.suits >> suit & 1)))


def _exchange(offer: ExchangeOffer) -> bytes:
    return message(_CHOICES, message(2, bytes(tile + 1 for tile in offer.tiles)))


OFFERS: Final[dict[type, Callable[[Any], bytes]]] = {VoidOffer: _void, ExchangeOffer: _exchange, TurnOffer: _turn, ClaimOffer: _claim}
"""Encoders of what may be chosen, by the type of the offer."""

# Views.


def _seat_view(number: int, seat: SeatView) -> mj.MahjongSeat:
    return mj.MahjongSeat(
        concealed_count=seat.count,
        melds=[_meld(meld) for meld in seat.melds],
        discards=_tiles(seat.river),
        void_suit=_suit(seat.void),
        wins=[_won(number, win) for win in seat.wins],
        concealed=_tiles(seat.tiles),
        out=seat.out,
    )


def _view(view: View, hand: int) -> pb.View:
    return pb.View(
        mahjong=mj.MahjongView(
            hand=hand,
            dealer=view.dealer,
            seats=[_seat_view(number, seat) for number, seat in enumerate(view.seats)],
            wall_left=view.left,
            turn_plus_one=view.turn + 1,
            last_discard=_tile(view.discard),
            points=view.points,
            phase=view.phase,
            drawn=_tile(view.drawn),
            gave=_tiles(view.gave),
            named_void=_suit(view.named_void),
            announced=_tile(view.announced),
        )
    )


VIEWS: Final[dict[type, Callable[[Any, int], pb.View]]] = {View: _view}
"""Encoders of full views, by the type of the view, given the view and the number of the hand."""
