"""Plays of 疯狂对杀 read once more, slowly: each joker stands for every rank in turn. Cards as a player writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from random import Random

from games.crazy_duel.cards import PACK, RANKS, parse_cards

ROW = ["9", "10", "J", "Q", "K", "A"]
"""The ranks that can stand in a row."""
ORDER = [*RANKS, "w", "W"]
READ_IN_THIS_ORDER = ["bomb", "bomb_row", "three_jokers", "four_jokers", "straight", "pair_row", "triple_row", "single", "pair", "triple"]

Reading = tuple[str, str, int]
"""Kind, top and stars."""


def cards(text: str) -> tuple[int, ...]:
    """`9S 10H w` as cards."""
    return parse_cards(text)


def ranks_of(held: Sequence[int]) -> list[str]:
    """Return the rank of each card, jokers by their names."""
    return ["w" if card == 28 else "W" if card == 29 else RANKS[card // 4] for card in held]


def exact(ranks: Sequence[str]) -> Iterator[Reading]:
    """Yield what ranks are without any joker."""
    count = Counter(ranks)
    places = sorted(ROW.index(rank) for rank in count if rank in ROW)
    in_a_row = len(places) == len(count) and places == list(range(places[0], places[0] + len(places)))
    sizes = set(count.values())
    if len(count) == 1:
        size, top = len(ranks), ranks[0]
        yield {1: "single", 2: "pair", 3: "triple"}.get(size, "bomb"), top, size if size >= 4 else 0
    if in_a_row:
        top = ROW[places[-1]]
        if sizes == {1} and len(count) in (5, 6):
            yield "straight", top, 0
        if sizes == {2} and 3 <= len(count) <= 6:
            yield "pair_row", top, 0
        if sizes == {3} and 3 <= len(count) <= 6:
            yield "triple_row", top, 0
        if min(sizes) >= 4 and len(count) >= 3:
            yield "bomb_row", top, min(sizes) + len(count)


def alone(jokers: Sequence[str]) -> Reading:
    """Return what jokers are without other cards."""
    top = "W" if "W" in jokers else "w"
    return {1: ("single", top, 0), 2: ("pair", top, 0), 3: ("three_jokers", "W", 6), 4: ("four_jokers", "W", 7)}[len(jokers)]


def strongest(held: Sequence[int]) -> list[Reading]:
    """Return the strongest reading of every kind, in the order in which a play that names none is read."""
    ranks = ranks_of(held)
    jokers = [rank for rank in ranks if rank in "wW"]
    others = [rank for rank in ranks if rank not in "wW"]
    if not others:
        return [alone(jokers)]
    best: dict[str, Reading] = {}
    for stand_in in combinations_with_replacement(RANKS, len(jokers)):
        for reading in exact([*others, *stand_in]):
            kind, top, stars = reading
            old = best.get(kind, (kind, "9", -1))
            if (stars, ORDER.index(top)) >= (old[2], ORDER.index(old[1])):
                best[kind] = reading
    return [best[kind] for kind in READ_IN_THIS_ORDER if kind in best]


def beats(play: Reading, size: int, table: Reading, table_size: int) -> bool:
    """Whether a play follows on another, case by case."""
    if not play[2]:
        return play[0] == table[0] and size == table_size and ORDER.index(play[1]) > ORDER.index(table[1])
    if not table[2]:
        return True
    if play[2] != table[2]:
        return play[2] > table[2]
    if "three_jokers" in (play[0], table[0]):
        return table[0] == "three_jokers" and play[0] != "three_jokers"
    if "four_jokers" in (play[0], table[0]):
        return play[0] == "four_jokers" and table[0] != "four_jokers"
    if size != table_size:
        return size < table_size
    return ORDER.index(play[1]) > ORDER.index(table[1])


def some_cards(random: Random) -> list[int]:
    """Return cards of the pack that are often a play, and sometimes nearly one."""
    pack = random.sample(PACK, len(PACK))
    jokers = [card for card in pack if card >= 28][: random.choice((0, 0, 1, 2, 3, 4))]
    width, length = random.choice(
        ((1, 5), (1, 6), (2, 3), (2, 4), (2, 6), (3, 3), (3, 4), (4, 3), (4, 4), (5, 3), (6, 3), (random.randint(1, 8), 1))
    )
    bottom = random.randint(0, 7 - length)
    natural = [card for rank in range(bottom, bottom + length) for card in [one for one in pack if one // 4 == rank][:width]]
    kept = random.sample(natural, max(1, len(natural) - random.choice((len(jokers), len(jokers), 0, 1))))
    extra = [card for card in pack if card < 28][: random.choice((0, 0, 0, 1))]
    mixed = [*kept, *jokers, *(card for card in extra if kept.count(card) < 2)][:25]
    random.shuffle(mixed)
    return mixed
