"""The card game as messages: what happened, what a seat may do, what it may know. A card's number is its kind plus one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from games.crazy_duel.cards import TOP_NAMES
from games.crazy_duel.events import CardsDealt, CardsPassed, CardsPlayed, CardView
from games.crazy_duel.kinds import Play, PlayKind
from games.crazy_duel.offers import CardOffer
from services.table.codec.wire import message
from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import table_pb2 as pb

_KINDS: Final = {kind: cd.PlayKind.Value(f"PLAY_KIND_{kind.name}") for kind in PlayKind}
_CHOICES: Final = pb.Offer.CARDS_FIELD_NUMBER


def _cards(cards: Iterable[int]) -> list[cd.Card.ValueType]:
    return [cast("cd.Card.ValueType", card + 1) for card in cards]


def _play(cards: Iterable[int], play: Play) -> cd.CardPlay:
    return cd.CardPlay(cards=_cards(cards), kind=_KINDS[play.kind], top=TOP_NAMES[play.top], stars=play.stars)


def _dealt(event: CardsDealt, hand: int) -> bytes:
    dealt = cd.CardsDealt(hand=hand, cards=_cards(event.cards), shown=_cards([event.shown])[0], leader=event.leader, counts=event.counts)
    return pb.Event(cards_dealt=dealt).SerializeToString()


def _played(event: CardsPlayed, _hand: int) -> bytes:
    played = cd.CardsPlayed(seat=event.seat, play=_play(event.cards, event.play), left=event.left)
    return pb.Event(cards_played=played).SerializeToString()


def _passed(event: CardsPassed, _hand: int) -> bytes:
    return pb.Event(cards_passed=cd.CardsPassed(seat=event.seat)).SerializeToString()


EVENTS: Final[dict[type, Callable[[Any, int], bytes]]] = {CardsDealt: _dealt, CardsPlayed: _played, CardsPassed: _passed}
"""Encoders by the type of the event, given the event and the number of the hand."""


def _offer(offer: CardOffer) -> bytes:
    laid = offer.to_beat
    choices = cd.CardChoices(may_pass=offer.may_pass, to_beat=_play(laid.cards, laid.play) if laid is not None else None)
    return message(_CHOICES, choices.SerializeToString())


OFFERS: Final[dict[type, Callable[[Any], bytes]]] = {CardOffer: _offer}
"""Encoders of what may be chosen, by the type of the offer."""


def _view(view: CardView, hand: int) -> pb.View:
    laid = view.to_beat
    return pb.View(
        cards=cd.CardView(
            hand=hand,
            counts=view.counts,
            cards=_cards(view.cards),
            to_beat=_play(laid.cards, laid.play) if laid is not None else None,
            to_beat_seat_plus_one=laid.seat + 1 if laid is not None else 0,
            turn_plus_one=view.turn + 1,
            shown=_cards([view.shown])[0],
            leader=view.leader,
            played=[_play(one.cards, one.play) for one in view.played],
            played_by=[one.seat for one in view.played],
            points=view.points,
            hands=[cd.CardHand(cards=_cards(held)) for held in view.hands],
        )
    )


VIEWS: Final[dict[type, Callable[[Any, int], pb.View]]] = {CardView: _view}
"""Encoders of full views, by the type of the view, given the view and the number of the hand."""
