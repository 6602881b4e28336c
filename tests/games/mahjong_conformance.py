"""The conformance suite for games of the mahjong machine."""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

from games.events import HandOver
from games.hand import Action, Do, Event
from games.mahjong.events import Dealt, Discarded, Drew, Exchanged, KongAnnounced, KongRobbed, Melded, Won
from games.mahjong.melds import MeldKind
from games.mahjong.offers import TurnOffer
from tests.games.conformance import Conformance, State
from tests.games.mahjong_client import Client
from tests.games.mahjong_referee import Referee

KONGS = (MeldKind.DIRECT_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG)


class MahjongConformance(Conformance):
    """A game adds `referee`, and its `rules`."""

    referee: type[Referee] = Referee

    def candidates(self, state: State, seat: int, random: Random) -> Iterable[Action]:
        tiles = range(-1, 28)
        yield from (Action(seat, Do.DISCARD, tile) for tile in tiles)
        yield from (Action(seat, Do.KONG, tile, kind=kind) for tile in tiles for kind in KONGS)
        yield from (Action(seat, do) for do in Do if do is not Do.LEAVE or not self.rules.may_leave)
        yield from (Action(seat, Do.VOID, suit) for suit in range(-1, 4))
        yield from (Action(seat, do, 3) for do in (Do.PUNG, Do.WIN, Do.PASS))
        yield from (Action(seat, Do.KONG, 3, kind="pung"), Action(seat, Do.DISCARD, 3, (3,)), Action(seat, Do.DISCARD, 3, (), "added_kong"))
        held = state["seats"][seat]["concealed"]
        triples = list(itertools.combinations(held, 3))
        yield from (Action(seat, Do.EXCHANGE, tiles=tiles) for tiles in random.sample(triples, min(len(triples), 40)))
        yield from (Action(seat, Do.EXCHANGE, tiles=tuple(random.choices(range(-1, 28), k=size))) for size in (0, 2, 3, 3, 4))
        yield Action(seat, Do.EXCHANGE, 1, tiles=tuple(held[:3]))

    def legal(self, state: State, action: Action) -> bool:
        return self.referee(state).allows(action)

    def check_state(self, hand: Any, state: State) -> None:
        assert every_tile(state) == Counter(hand.rules.ordered()), "108 tiles, each where it should be, and once"
        for seat, held in enumerate(state["seats"]):
            total = len(held["concealed"]) + 3 * len(held["melds"])
            assert total == (14 if isinstance(hand.offers[seat], TurnOffer) else 13), seat
            assert hand.seats[seat].pungs == sum(1 << tile for kind, tile, _ in held["melds"] if kind == "pung")
            if total == 13 and state["phase"] == len(hand.rules.phases):
                assert hand.seats[seat].waits == hand.rules.waits(hand.seats[seat]), "the waits kept are those of the tiles held"

    def another_world(self, state: State, seat: int | None, random: Random) -> State:
        """Deal all tiles that the seat cannot see anew, and change the answers of others."""
        world = copy.deepcopy(state)
        others = [held["concealed"] for who, held in enumerate(world["seats"]) if who != seat]
        pool = [tile for concealed in others for tile in concealed] + world["wall"][world["next"] :]
        random.shuffle(pool)
        for concealed in others:
            concealed[:] = [pool.pop() for _ in concealed]
            if max(Counter(concealed).values(), default=0) > 4:
                return state
        world["wall"][world["next"] :] = pool
        world["shift"] = world["shift"] if world["phase"] else random.randrange(4)
        question = world["question"]
        if question is not None:
            question["answers"] = [answer for answer in question["answers"] if answer[0] == seat or random.random() < 0.5]
            question["order"], question["offers"] = question["order"][:1], question["offers"][:1]
        world["offers"] = [offer if who == seat else None for who, offer in enumerate(world["offers"])]
        for who, held in enumerate(world["seats"]):
            if who != seat:
                held |= {"waits": 0, "asked": 0, "drawn": -1}
        return world

    def check_event(self, event: Event, seat: int | None, before: State, after: State) -> None:
        own = set() if seat is None else {*before["seats"][seat]["concealed"], *after["seats"][seat]["concealed"]}
        assert told(event) <= own | open_tiles(before) | open_tiles(after) or isinstance(event, HandOver)
        if isinstance(event, HandOver):
            assert after["over"]
        if isinstance(event, Drew) and event.tile >= 0:
            assert event.seat == seat

    def new_client(self, seat: int | None) -> Client:
        return Client(seat, self.rules.point_unit)


def told(event: Event) -> set[int]:
    """The tiles that an event names."""
    match event:
        case Dealt():
            tiles = event.tiles
        case Exchanged():
            tiles = event.gave + event.got
        case Drew() | Discarded() | KongAnnounced() | KongRobbed():
            tiles = (event.tile,)
        case Melded():
            tiles = (event.meld.tile,)
        case Won():
            tiles = (event.win.tile,)
        case _:
            tiles = ()
    return set(tiles) - {-1}


def open_tiles(state: State) -> set[int]:
    """The tiles that everybody can see."""
    seen = set()
    for held in state["seats"]:
        seen |= {*held["river"], *(tile for _, tile, _ in held["melds"]), *(win[0] for win in held["wins"])}
    question = state["question"]
    return seen | ({question["tile"]} if question is not None and question["source"] >= 0 else set())


def every_tile(state: State) -> Counter[int]:
    """Count all tiles wherever they lie."""
    tiles = Counter(state["wall"][state["next"] :])
    robbed = set()
    for held in state["seats"]:
        tiles.update(held["concealed"] + held["river"])
        for kind, tile, _ in held["melds"]:
            tiles[tile] += 3 if kind == "pung" else 4
        for tile, how, source, *_ in held["wins"]:
            if how == "self_draw":
                tiles[tile] += 1
            elif how == "robbed_kong":
                robbed.add((source, tile))
    tiles.update(tile for _, tile in robbed)
    question = state["question"]
    if question is not None and question["robbing"]:
        tiles[question["tile"]] += 1
    return tiles
