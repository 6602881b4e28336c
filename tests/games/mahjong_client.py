"""A client of one seat: it knows what it was told, and compares it with the views it is sent."""

from __future__ import annotations

from dataclasses import dataclass, field

from games.events import PUBLIC, HandOver, StageClaimed
from games.hand import Event
from games.mahjong.events import Dealt, Discarded, Drew, Exchanged, KongAnnounced, KongRobbed, Melded, View, VoidsShown, Won
from games.mahjong.fans import How
from games.mahjong.melds import Meld, MeldKind


@dataclass
class Place:
    """What the client knows of one seat."""

    count: int
    melds: list[Meld] = field(default_factory=list)
    river: list[int] = field(default_factory=list)
    void: int = -1
    wins: list[object] = field(default_factory=list)
    tiles: list[int] = field(default_factory=list)


class Client:
    """Hears events, and holds what follows from them."""

    def __init__(self, seat: int | None, point_unit: int) -> None:
        self.seat = seat
        self.point_unit = point_unit
        self.places: list[Place] = []
        self.points: list[int] = []
        self.left = 0
        self.over = False
        self.last: tuple[int, int] | None = None

    def hear(self, event: Event) -> None:
        getattr(self, event.name)(event)

    def dealt(self, event: Dealt) -> None:
        self.places = [Place(count) for count in event.counts]
        self.points = [0] * len(event.counts)
        self.left = event.left
        self.gain(event.tiles)

    def voids_shown(self, event: VoidsShown) -> None:
        for place, suit in zip(self.places, event.suits, strict=True):
            place.void = suit

    def exchanged(self, event: Exchanged) -> None:
        self.lose(event.gave)
        self.gain(event.got)

    def drew(self, event: Drew) -> None:
        assert (event.tile >= 0) == (event.seat == self.seat)
        self.left = event.left
        self.places[event.seat].count += 1
        self.gain([event.tile] if event.tile >= 0 else [])

    def discarded(self, event: Discarded) -> None:
        self.takes(event.seat, [event.tile])
        self.places[event.seat].river.append(event.tile)
        self.last = (event.seat, event.tile)

    def kong_announced(self, event: KongAnnounced) -> None:
        self.takes(event.seat, [event.tile])

    def kong_robbed(self, event: KongRobbed) -> None:
        """The pung stays; its tile has left the konger's hand when it was announced."""

    def melded(self, event: Melded) -> None:
        meld, place = event.meld, self.places[event.seat]
        if meld.kind is MeldKind.ADDED_KONG:
            place.melds = [one for one in place.melds if one.tile != meld.tile]
        else:
            own = {MeldKind.PUNG: 2, MeldKind.DIRECT_KONG: 3, MeldKind.CONCEALED_KONG: 4}[meld.kind]
            self.takes(event.seat, [meld.tile] * own)
            if own < 4:
                assert self.last == (meld.source, meld.tile)
                assert self.places[meld.source].river.pop() == meld.tile
        place.melds.append(meld)

    def won(self, event: Won) -> None:
        self.places[event.seat].wins.append(event.win)
        if event.win.how is How.SELF_DRAW:
            self.takes(event.seat, [event.win.tile])

    def stage_claimed(self, event: StageClaimed) -> None:
        for payer, payee, multiple in event.stage.claims:
            self.points[payer] -= multiple * self.point_unit
            self.points[payee] += multiple * self.point_unit

    def hand_over(self, event: HandOver) -> None:
        self.over = True
        assert event.points == tuple(self.points)
        for place, tiles in zip(self.places, event.hands, strict=True):
            place.tiles = list(tiles)
            place.count = len(tiles)

    def gain(self, tiles: tuple[int, ...] | list[int]) -> None:
        if self.seat is not None:
            self.places[self.seat].tiles += tiles

    def lose(self, tiles: tuple[int, ...] | list[int]) -> None:
        for tile in tiles:
            assert self.seat is not None
            self.places[self.seat].tiles.remove(tile)

    def takes(self, seat: int, tiles: list[int]) -> None:
        """Tiles leave the concealed part of a seat."""
        self.places[seat].count -= len(tiles)
        if seat == self.seat:
            self.lose(tiles)

    def check(self, view: View) -> None:
        assert view.seat == (PUBLIC if self.seat is None else self.seat)
        assert view.left == self.left
        assert view.points == tuple(self.points)
        assert (view.phase == "over") == self.over
        for who, (seen, place) in enumerate(zip(view.seats, self.places, strict=True)):
            assert (seen.count, seen.melds, seen.river) == (place.count, tuple(place.melds), tuple(place.river))
            assert (seen.void, seen.wins) == (place.void, tuple(place.wins))
            assert seen.tiles == (tuple(sorted(place.tiles)) if who == self.seat or self.over else ())
