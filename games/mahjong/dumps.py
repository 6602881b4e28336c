"""A mahjong hand as plain JSON values and back. A loaded hand goes on exactly as the dumped one would.

What follows from other fields is not dumped: the concealed tiles give their masks, the stages the points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, TypeVar

from games.hand import Action, Claim, Do, Stage
from games.mahjong.concealed import Concealed
from games.mahjong.events import Win
from games.mahjong.fans import How, Part, Value
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.offers import ClaimOffer, ExchangeOffer, Offers, TurnOffer, VoidOffer
from games.mahjong.state import Question, Seat

if TYPE_CHECKING:
    from games.mahjong.hooks import MahjongHooks

H = TypeVar("H", bound=HandState)

_PLAIN: Final = ("phase", "next", "turn", "row", "melded", "shift", "over", "ended")
_SEAT_PLAIN: Final = ("pungs", "river", "void", "barred", "waits", "drawn", "draws", "asked", "out")
_QUESTION_PLAIN: Final = ("source", "tile", "robbing", "kongs")
_OFFERS: Final[dict[str, Callable[..., Offers]]] = {"void": VoidOffer, "exchange": ExchangeOffer, "turn": TurnOffer, "claim": ClaimOffer}
_OFFER_NAMES: Final[dict[Any, str]] = {kind: name for name, kind in _OFFERS.items()}
_OFFER_FIELDS: Final = {kind: tuple(field.name for field in fields(kind)) for kind in (VoidOffer, ExchangeOffer, TurnOffer, ClaimOffer)}


def dump(hand: HandState) -> dict[str, Any]:
    """Return the whole state of a hand as plain JSON values, equal for equal states. It shares nothing with the hand."""
    question = hand.question
    return {
        "wall": list(hand.wall),
        "dealer": hand.dealer,
        "dealer_from": hand.dealer_from,
        **{name: getattr(hand, name) for name in _PLAIN},
        "own": _copied(hand.own),
        "seats": [_dump_seat(seat) for seat in hand.seats],
        "offers": [None if offer is None else _dump_offer(offer) for offer in hand.offers],
        "question": None if question is None else _dump_question(question),
        "stages": [[stage.cause, [list(claim) for claim in stage.claims]] for stage in hand.stages],
    }


def load(kind: type[H], rules: MahjongHooks, dumped: Mapping[str, Any]) -> H:
    """Rebuild a hand of a ruleset."""
    seats = [_load_seat(seat) for seat in dumped["seats"]]
    hand = kind(rules, bytes(dumped["wall"]), dumped["dealer"], dumped["dealer_from"], seats)
    for name in _PLAIN:
        setattr(hand, name, dumped[name])
    hand.own = _copied(dumped["own"])
    hand.offers = [None if offer is None else _load_offer(offer) for offer in dumped["offers"]]
    hand.question = None if dumped["question"] is None else _load_question(dumped["question"])
    for cause, claims in dumped["stages"]:
        stage = Stage(cause, tuple(Claim(*claim) for claim in claims))
        hand.stages.append(stage)
        for payer, payee, multiple in stage.claims:
            hand.totals[payer] -= multiple * rules.point_unit
            hand.totals[payee] += multiple * rules.point_unit
    return hand


def _copied(value: Any) -> Any:
    """Return a copy of a plain JSON value. `copy.deepcopy` takes ten times as long."""
    if isinstance(value, dict):
        return {name: _copied(one) for name, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value


def _dump_seat(seat: Seat) -> dict[str, Any]:
    dumped = {name: getattr(seat, name) for name in _SEAT_PLAIN}
    dumped["river"] = list(seat.river)
    dumped["concealed"] = seat.concealed.tiles()
    dumped["melds"] = [[meld.kind.value, meld.tile, meld.source] for meld in seat.melds]
    dumped["wins"] = [_dump_win(win) for win in seat.wins]
    return dumped


def _load_seat(dumped: Mapping[str, Any]) -> Seat:
    seat = Seat(Concealed(dumped["concealed"]))
    for name in _SEAT_PLAIN:
        setattr(seat, name, dumped[name])
    seat.river = list(dumped["river"])
    seat.melds = [Meld(MeldKind(kind), tile, source) for kind, tile, source in dumped["melds"]]
    seat.wins = [_load_win(win) for win in dumped["wins"]]
    return seat


def _dump_win(win: Win) -> list[Any]:
    value = win.value
    return [win.tile, win.how.value, win.source, [list(part) for part in value.parts], value.fan, value.multiple]


def _load_win(dumped: list[Any]) -> Win:
    tile, how, source, parts, fan, multiple = dumped
    return Win(tile, How(how), source, Value(tuple(Part(*part) for part in parts), fan, multiple))


def _dump_offer(offer: Offers) -> list[Any]:
    values = (getattr(offer, name) for name in _OFFER_FIELDS[type(offer)])
    return [_OFFER_NAMES[type(offer)], *(list(value) if isinstance(value, tuple) else value for value in values)]


def _load_offer(dumped: list[Any]) -> Offers:
    name, *values = dumped
    return _OFFERS[name](*(tuple(value) if isinstance(value, list) else value for value in values))


def _dump_question(question: Question) -> dict[str, Any]:
    return {
        **{name: getattr(question, name) for name in _QUESTION_PLAIN},
        "order": list(question.order),
        "offers": [_dump_offer(question.offers[who]) for who in question.order],
        "answers": [_dump_action(question.answers[who]) for who in sorted(question.answers)],
    }


def _load_question(dumped: Mapping[str, Any]) -> Question:
    order = tuple(dumped["order"])
    offers = dict(zip(order, map(_load_offer, dumped["offers"]), strict=True))
    answers = {action.seat: action for action in map(_load_action, dumped["answers"])}
    return Question(order, offers, answers, **{name: dumped[name] for name in _QUESTION_PLAIN})


def _dump_action(action: Action) -> list[Any]:
    seat, do, tile, tiles, kind, auto = action
    return [seat, do.value, tile, list(tiles), str(kind), auto]


def _load_action(dumped: list[Any]) -> Action:
    seat, do, tile, tiles, kind, auto = dumped
    return Action(seat, Do(do), tile, tuple(tiles), kind, auto)
