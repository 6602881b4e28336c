"""Players for hands that are to go a certain way (tests.table.staged): they see all tiles and help one another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from random import Random
from typing import Any

from games.hand import Action, Bot, Do
from games.mahjong.melds import MeldKind
from games.mahjong.offers import ClaimOffer, TurnOffer
from games.mahjong.tiles import tiles_in
from tests.table.staged import asked

P, S = 1, 2
"""Suits."""
Winning = Callable[[Any, Any], bool]
"""Whether to take a win: the hand and the offer."""


def never(_hand: Any, _offer: Any) -> bool:
    return False


def wins_with(hand: Any, seat: int) -> list[list[str]]:
    """The parts of each win of a seat."""
    return [[part.id for part in win.value.parts] for win in hand.seats[seat].wins]


class Bots:
    """Bots of the project, who may be told to win never, or to go (`leaving`: who goes now)."""

    def __init__(
        self, number: int, kinds: Iterable[Callable[[Random], Bot]], leaving: Callable[[Any], list[int]] | None = None, *, win: bool = True
    ) -> None:
        self.bots = [kind(Random(f"{number} {seat}")) for seat, kind in enumerate(kinds)]
        self.leaving = leaving
        self.win = win
        self.gone: set[int] = set()

    def __call__(self, hand: Any) -> Action:
        for seat in self.leaving(hand) if self.leaving else ():
            if seat not in self.gone:
                self.gone.add(seat)
                return Action(seat, Do.LEAVE)
        seat = asked(hand)
        action = self.bots[seat].choose(hand, seat)
        if action.do is not Do.WIN or self.win:
            return action
        offer = hand.offers[seat]
        if isinstance(offer, ClaimOffer):
            return Action(seat, Do.PASS)
        return Action(seat, Do.DISCARD, offer.tile if offer.discards >> offer.tile & 1 else offer.discards.bit_length() - 1)


class Mind:
    """Claims nothing and throws by `keeps`: the tile that sorts first."""

    def __init__(self, number: int, win: Winning = never, kong: Collection[int] = ()) -> None:
        self.random = Random(number)
        self.win = win
        self.kong = kong

    def __call__(self, hand: Any) -> Action:
        seat = asked(hand)
        offer = hand.offers[seat]
        if isinstance(offer, ClaimOffer | TurnOffer) and offer.win and self.win(hand, offer):
            return Action(seat, Do.WIN)
        if isinstance(offer, ClaimOffer):
            return self.claim(hand, offer)
        if not isinstance(offer, TurnOffer) or not offer.discards:
            default: Action = hand.default(seat)
            return default
        if seat in self.kong and offer.kongs():
            tile, kind = offer.kongs()[0]
            return Action(seat, Do.KONG, tile, kind=kind)
        return Action(
            seat, Do.DISCARD, min(tiles_in(offer.discards), key=lambda tile: (self.keeps(hand, seat, tile), self.random.random()))
        )

    def claim(self, hand: Any, offer: ClaimOffer) -> Action:
        """Answer a claim that is not won."""
        if offer.seat in self.kong and offer.kong and self.melds(offer.seat, offer.tile):
            return Action(offer.seat, Do.KONG, offer.tile, kind=MeldKind.DIRECT_KONG)
        if offer.pung and self.melds(offer.seat, offer.tile):
            return Action(offer.seat, Do.PUNG)
        passed: Action = Action(offer.seat, Do.PASS) if offer.may_pass else hand.default(offer.seat)
        return passed

    def melds(self, seat: int, tile: int) -> bool:
        """Whether a seat that may meld this tile does."""
        return False

    def keeps(self, hand: Any, seat: int, tile: int) -> Any:
        """How much a seat wants to keep a tile."""
        raise NotImplementedError


class Feeding(Mind):
    """Some collect pungs, each in the suit it is given, if any; the others throw what these can meld."""

    def __init__(self, number: int, collect: Mapping[int, int | None], win: Winning = never, kong: Collection[int] = ()) -> None:
        super().__init__(number, win, kong)
        self.collect = collect

    def fits(self, seat: int, tile: int) -> bool:
        return self.collect[seat] in {None, tile // 9}

    def melds(self, seat: int, tile: int) -> bool:
        return seat in self.collect and self.fits(seat, tile)

    def keeps(self, hand: Any, seat: int, tile: int) -> Any:
        counts = hand.seats[seat].concealed.counts
        if seat in self.collect:
            return self.fits(seat, tile), counts[tile]
        fed = any(hand.seats[one].concealed.counts[tile] >= 2 and self.fits(one, tile) for one in self.collect)
        return not fed, -counts[tile]


class Pairing(Mind):
    """Seat 0 collects pairs of one suit; the others throw that suit."""

    def keeps(self, hand: Any, seat: int, tile: int) -> Any:
        counts = hand.seats[seat].concealed.counts
        return (tile // 9 == P, counts[tile] % 2 == 0, counts[tile] != 1) if seat == 0 else (tile // 9 != P, -counts[tile])


class Running(Mind):
    """Seat 0 collects runs of one suit; the others throw that suit."""

    def keeps(self, hand: Any, seat: int, tile: int) -> Any:
        counts = hand.seats[seat].concealed.counts
        if seat:
            return tile // 9 != P, -counts[tile]
        near = sum(counts[other] for other in range(tile - 2, tile + 3) if other // 9 == tile // 9 and other < len(counts))
        return tile // 9 == P, counts[tile] >= 2, near


class Melding(Mind):
    """Everybody melds what they can."""

    def melds(self, seat: int, tile: int) -> bool:
        return True

    def keeps(self, hand: Any, seat: int, tile: int) -> Any:
        return hand.seats[seat].concealed.counts[tile]


class Bombing:
    """A duel: the leader lays their lowest card, the other a bomb of so many stars, and all they have; the leader passes."""

    def __init__(self, stars: int) -> None:
        self.stars = stars

    def __call__(self, hand: Any) -> Action:
        seat = asked(hand)
        default: Action = hand.default(seat)
        cards = self._bomb(hand.cards(seat)) if seat != hand.leader and hand.table is not None else ()
        return Action(seat, Do.PLAY, tiles=cards, kind="bomb") if cards else default

    def _bomb(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        jokers = tuple(card for card in cards if card >> 2 == 7)
        for rank in range(7):
            alike = tuple(card for card in cards if card >> 2 == rank)
            if len(alike) <= self.stars <= len(alike) + len(jokers):
                return alike + jokers[: self.stars - len(alike)]
        return ()
