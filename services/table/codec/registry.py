"""Every event, offer and view of every game as messages, found by its type."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from services.table.codec import cards, common, mahjong
from services.table.codec.wire import message, number_field
from xuezhan.api.table.v1 import table_pb2 as pb

_OFFERS: Final[dict[type, Callable[[Any], bytes]]] = {**mahjong.OFFERS, **cards.OFFERS}
_VIEWS: Final[dict[type, Callable[[Any, int], pb.View]]] = {**mahjong.VIEWS, **cards.VIEWS}
_OFFER_FIELD: Final = pb.Event.OFFER_FIELD_NUMBER


def _serialised(encode: Callable[[Any], pb.Event]) -> Callable[[Any, int], bytes]:
    return lambda happened, _hand: encode(happened).SerializeToString()


EVENTS: Final[dict[type, Callable[[Any, int], bytes]]] = {
    **mahjong.EVENTS,
    **cards.EVENTS,
    **{kind: _serialised(encode) for kind, encode in common.EVENTS.items()},
}
"""Encoders by the type of what happened: given it and the hand's number, they return an Event without seats."""


def event(happened: Any, hand: int) -> bytes:
    """Return what happened in hand number `hand`, as an Event without seats."""
    return EVENTS[type(happened)](happened, hand)


@lru_cache(maxsize=1024)
def _time_left(milliseconds: int) -> bytes:
    return number_field(2, milliseconds)


def choices(offer: Any) -> bytes:
    """Return what may be chosen: the field of the game's own in an Offer."""
    return _OFFERS[type(offer)](offer)


def offer_event(decision: int, choices: bytes, time_left_ms: int) -> bytes:
    """Return an offer with its choices, as an Event without seats."""
    return message(_OFFER_FIELD, number_field(1, decision) + _time_left(time_left_ms) + choices)


def offer_message(decision: int, offer: Any, time_left_ms: int) -> pb.Offer:
    """Return an offer as it stands in a full view."""
    return pb.Offer.FromString(number_field(1, decision) + _time_left(time_left_ms) + choices(offer))


def hand_view(view: Any, hand: int) -> pb.View:
    """Return the game's part of a full view."""
    return _VIEWS[type(view)](view, hand)
