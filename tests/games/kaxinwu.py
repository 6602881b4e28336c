"""Boards of 血战卡心五, and its values once more, slowly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from games.hand import Action, Refusal
from games.mahjong.machine import MahjongHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import tile_of
from games.registry import ruleset
from tests.games import board as boards
from tests.games import naive
from tests.games.board import act

FOUR = ruleset("kaxinwu", {})
THREE = ruleset("kaxinwu", {}, 3)
TWO = ruleset("kaxinwu", {}, 2)
MUST = ruleset("kaxinwu", {"must_kong": True})
ALL_SUITS = ruleset("kaxinwu", {"three_suits": True})

JUNK = "1245789p124578s"
"""13 tiles that are not ready and can meld nothing."""
READY = "123456789p1199s"
"""Waits for 1s and 9s, 平胡 1."""
OTHER = "123456789p3388s"
"""Waits for 3s and 8s, 平胡 1."""
LONG = "6p" * 20
"""Enough of a wall that its end is far."""
FIVES = {False: {tile_of("5p"), tile_of("5s")}, True: {tile_of("5m"), tile_of("5p"), tile_of("5s")}}
"""What 卡心五 can be won with, by `three_suits`."""


def board(*hands: str, wall: str, dealer: int = 0, rules: Any = FOUR) -> MahjongHand:
    """A hand in play (tests.games.board); the dealer has drawn the first tile of the wall."""
    return boards.board(*hands, wall=wall, voids="", dealer=dealer, rules=rules)


def serve(hand: MahjongHand) -> list[Action]:
    """Carry out what the server does by itself. Returns what that was."""
    done: list[Action] = []
    while True:
        offer = next((offer for offer in hand.offers if offer is not None and offer.at_once), None)
        if offer is None:
            return done
        action = hand.default(offer.seat)
        assert not isinstance(hand.apply(action), Refusal), action
        done.append(action)


def go(hand: MahjongHand, *moves: str) -> list[Action]:
    """Carry out moves as a table would: after each, the server does what is its own. Returns all that the server did."""
    done = serve(hand)
    for move in moves:
        answer = hand.apply(act(move))
        assert not isinstance(answer, Refusal), f"{move}: {answer}"
        done += serve(hand)
    return done


def did(actions: Sequence[Action]) -> list[str]:
    """What was done, in words: `1 discard`."""
    return [f"{action.seat} {action.do.value}" for action in actions]


def won(hand: MahjongHand, seat: int, place: int = -1) -> list[str]:
    """What a seat won with, last by default: `平胡 1`."""
    return [f"{part.name} {part.fan}" for part in hand.seats[seat].wins[place].value.parts]


def causes(hand: MahjongHand) -> list[str]:
    """The causes of all stages so far, in order."""
    return [stage.cause for stage in hand.stages]


# The values once more.


def readings(tiles: Sequence[int]) -> Iterator[tuple[list[int], list[int], int]]:
    """Every way to read sorted tiles as sets and one pair: runs by their lowest tile, pungs, the pair."""
    for pair in sorted({tile for tile in tiles if tiles.count(tile) >= 2}):
        rest = list(tiles)
        rest.remove(pair)
        rest.remove(pair)
        for runs, pungs in _sets(rest):
            yield runs, pungs, pair


def _sets(tiles: list[int]) -> Iterator[tuple[list[int], list[int]]]:
    if not tiles:
        yield [], []
        return
    first = tiles[0]
    if tiles.count(first) >= 3:
        for runs, pungs in _sets(tiles[3:]):
            yield runs, [first, *pungs]
    if first % 9 < 7 and first + 1 in tiles and first + 2 in tiles:
        rest = tiles[1:]
        rest.remove(first + 1)
        rest.remove(first + 2)
        for runs, pungs in _sets(rest):
            yield [first, *runs], pungs


def fan(
    tiles: Sequence[int], melds: Sequence[Meld], tile: int, fives: set[int], how: str = "", kongs: int = 0, *, check: bool = False
) -> int:
    """N + M of a winning hand, the highest over all readings; `check`: as in 查叫. 0 if it does not win."""
    tiles = sorted(tiles)
    owned = Counter(tiles)
    for meld in melds:
        owned[meld.tile] += meld.size
    ghosts = sum(owned[kind] == 4 for kind in owned) - sum(meld.kind is not MeldKind.PUNG for meld in melds)
    totals = []
    for runs, _, _ in readings(tiles):
        base = 2 if not runs or (tile in fives and tile - 1 in runs) else 1
        totals.append(base + (0 if check else ghosts))
    if not melds and all(count % 2 == 0 for count in Counter(tiles).values()):
        totals.append(2 + sum(count == 4 for count in owned.values()))
    if not totals:
        return 0
    more = int(len({kind // 9 for kind in owned}) == 1)
    if not check:
        more += {"self_draw": min(kongs, 3), "discard": int(kongs > 0), "robbed_kong": 1}.get(how, 0)
    return max(totals) + more


def waits_after_kong(tiles: Sequence[int], melds: Sequence[Meld], tile: int) -> set[int]:
    """What a hand waits for once all its tiles of a kind are a kong."""
    rest = [one for one in tiles if one != tile]
    return set(naive.waits(rest, [*(meld for meld in melds if meld.tile != tile), Meld(MeldKind.CONCEALED_KONG, tile)]))
