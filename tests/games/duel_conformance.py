"""The conformance suite for 疯狂对杀: a slow referee, hidden worlds, and a client that remembers what it heard."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

from games.crazy_duel.cards import KINDS, PACK, TOP_NAMES
from games.crazy_duel.events import CardsDealt, CardsPassed, CardsPlayed, CardView
from games.crazy_duel.kinds import Laid, PlayKind
from games.crazy_duel.targets import members, possible
from games.events import HandOver, StageClaimed
from games.hand import Action, Do, Event
from tests.games.conformance import Conformance, State
from tests.games.naive_cards import Reading, beats, strongest


def dealt_to(state: State, seat: int) -> list[int]:
    dealt: list[int] = state["wall"][10 + 25 * seat : 35 + 25 * seat]
    return dealt


def played_by(state: State, seat: int) -> Counter[int]:
    return Counter(card for who, _, cards in state["played"] if who == seat for card in cards)


def held_by(state: State, seat: int) -> Counter[int]:
    """What a seat holds: what it was dealt less what it played."""
    held = Counter(dealt_to(state, seat))
    held.subtract(played_by(state, seat))
    assert min(held.values()) >= 0, "more played than dealt"
    return +held


def on_the_table(state: State) -> tuple[Reading, int] | None:
    """The play to beat and its size."""
    if state["leads"]:
        return None
    _, kind, cards = state["played"][-1]
    return next(reading for reading in strongest(cards) if reading[0] == kind), len(cards)


class DuelConformance(Conformance):
    """A room adds `rules`."""

    longest = 2 * 50

    def candidates(self, state: State, seat: int, random: Random) -> Iterable[Action]:
        held = held_by(state, seat)
        cards = sorted(held.elements())
        kinds = ["", *PlayKind]
        yield from (Action(seat, do) for do in Do if do is not Do.LEAVE)
        yield Action(seat, Do.PASS, tiles=tuple(cards or [0])[:1])
        yield Action(seat, Do.PLAY, 3, tiles=tuple(cards[:1]))
        yield Action(seat, Do.PLAY, tiles=tuple(random.sample(PACK, 2)))
        yield Action(seat, Do.PLAY, tiles=(KINDS,))
        yield Action(seat, Do.PLAY, tiles=tuple(cards[:1]), kind="pung")
        yield from (Action(seat, Do.PLAY, tiles=(card,)) for card in set(cards))
        for _ in range(4):
            some = random.sample(cards, min(len(cards), random.randint(1, 6)))
            yield Action(seat, Do.PLAY, tiles=tuple(some), kind=random.choice(kinds))
        plays = members(possible([held[card] for card in range(KINDS)]))
        for target in random.sample(plays, min(len(plays), 8)):
            yield Action(
                seat,
                Do.PLAY,
                tiles=target.cards([held[card] for card in range(KINDS)]),
                kind=random.choice((target.play.kind, random.choice(kinds))),
            )

    def legal(self, state: State, action: Action) -> bool:
        if state["ended"] or state["turn"] != action.seat or action.tile != -1:
            return False
        table = on_the_table(state)
        if action.do is Do.PASS:
            return table is not None and not action.tiles and not action.kind
        if action.do is not Do.PLAY or not action.tiles or action.kind not in ("", *PlayKind):
            return False
        if Counter(action.tiles) - held_by(state, action.seat):
            return False
        found = [reading for reading in strongest(action.tiles) if action.kind in ("", reading[0])]
        return any(table is None or beats(reading, len(action.tiles), *table) for reading in found)

    def check_state(self, hand: Any, state: State) -> None:
        assert Counter(state["wall"]) == Counter(PACK)
        for seat in range(2):
            held = held_by(state, seat)
            assert hand.left[seat] == held.total()
            assert hand.cards(seat) == tuple(sorted(held.elements()))
            stars = [
                next(found for found in strongest(cards) if found[0] == kind)[2] for who, kind, cards in state["played"] if who == seat
            ]
            assert hand.best[seat] == max(stars, default=0)
            assert (hand.offers[seat] is None) == (hand.over or hand.turn != seat)
        assert hand.over == (0 in hand.left)

    def another_world(self, state: State, seat: int | None, random: Random) -> State:
        """Deal anew what was put away and what others still hold; the shown card stays where it is."""
        world = copy.deepcopy(state)
        places = list(range(10))
        for other in range(2):
            if other == seat or state["ended"]:
                continue
            seen = played_by(state, other)
            first = 10 + 25 * other
            mine = [state["shown"]] if first <= state["shown"] < first + 25 else []
            for place in (*mine, *(place for place in range(first, first + 25) if place not in mine)):
                card = state["wall"][place]
                if seen[card]:
                    seen[card] -= 1
                elif place not in mine:
                    places.append(place)
        pool = [state["wall"][place] for place in places]
        random.shuffle(pool)
        for place, card in zip(places, pool, strict=True):
            world["wall"][place] = card
        world["asked"] = [count if who == seat else 0 for who, count in enumerate(state["asked"])]
        return world

    def check_event(self, event: Event, seat: int | None, before: State, after: State) -> None:
        assert isinstance(event, CardsPlayed | CardsPassed | StageClaimed | HandOver)
        if isinstance(event, CardsPlayed):
            assert after["played"][-1] == [event.seat, event.play.kind, list(event.cards)]
            assert event.left == held_by(after, event.seat).total()

    def new_client(self, seat: int | None) -> DuelClient:
        return DuelClient(seat)


class DuelClient:
    """Hears events, and holds what follows from them."""

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self.cards: Counter[int] = Counter()
        self.counts = [0, 0]
        self.turn = -1
        self.shown = -1
        self.leader = -1
        self.to_beat: Laid | None = None
        self.played: list[Laid] = []
        self.points = [0, 0]
        self.hands: tuple[tuple[int, ...], ...] = ()

    def hear(self, event: Event) -> None:
        getattr(self, event.name)(event)

    def cards_dealt(self, event: CardsDealt) -> None:
        assert len(event.cards) == (0 if self.seat is None else 25)
        self.cards = Counter(event.cards)
        self.counts = list(event.counts)
        self.shown = event.shown
        self.turn = self.leader = event.leader
        if self.seat is not None:
            assert event.shown in event.cards or event.leader != self.seat

    def cards_played(self, event: CardsPlayed) -> None:
        assert event.seat == self.turn
        if self.to_beat is not None:
            assert beats(reading(event.play), event.play.size, reading(self.to_beat.play), self.to_beat.play.size)
        self.to_beat = Laid(event.seat, event.cards, event.play)
        self.played.append(self.to_beat)
        self.counts[event.seat] -= len(event.cards)
        assert event.left == self.counts[event.seat]
        if event.seat == self.seat:
            assert not Counter(event.cards) - self.cards
            self.cards -= Counter(event.cards)
        self.turn = 1 - event.seat

    def cards_passed(self, event: CardsPassed) -> None:
        assert event.seat == self.turn
        assert self.to_beat is not None
        self.to_beat = None
        self.turn = 1 - event.seat

    def stage_claimed(self, event: StageClaimed) -> None:
        for payer, payee, multiple in event.stage.claims:
            self.points[payer] -= multiple
            self.points[payee] += multiple

    def hand_over(self, event: HandOver) -> None:
        assert event.points == tuple(self.points)
        self.turn = -1
        self.hands = event.hands

    def check(self, view: CardView) -> None:
        assert view.cards == tuple(sorted(self.cards.elements()))
        assert view.counts == tuple(self.counts)
        assert (view.turn, view.shown, view.leader) == (self.turn, self.shown, self.leader)
        assert (view.to_beat, view.played) == (self.to_beat, tuple(self.played))
        assert (view.points, view.hands) == (tuple(self.points), self.hands)


def reading(play: Any) -> Reading:
    return play.kind.value, TOP_NAMES[play.top], play.stars
