"""Answers to offers: what may be done, as messages ready to be sent.

Tiles, suits and cards go by their numbers in `xuezhan.api.table.v1` (`Tile.TILE_5P`); `tile_name` and `tile_named` translate "5p",
`card_name` and `card_named` "10S".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import Final

from xuezhan.api.table.v1 import cards_pb2, mahjong_pb2, table_pb2

TILES_IN_SUIT = 9
_JOKERS: Final = {"w": "SMALL_JOKER", "W": "BIG_JOKER"}
_JOKER_NAMES: Final = {word: name for name, word in _JOKERS.items()}
_CARD_WORDS: Final = {int(number): word.removeprefix("CARD_") for word, number in cards_pb2.Card.items() if number}
_CARD_NAMES: Final = {number: _JOKER_NAMES.get(word, word) for number, word in _CARD_WORDS.items()}


def tile_name(tile: int) -> str:
    """Return "5p" for TILE_5P; "" for none."""
    return mahjong_pb2.Tile.Name(mahjong_pb2.Tile.ValueType(tile)).removeprefix("TILE_").lower() if tile else ""


def tile_named(name: str) -> mahjong_pb2.Tile.ValueType:
    """Return TILE_5P for "5p". Raises ValueError for anything else."""
    return mahjong_pb2.Tile.Value(f"TILE_{name.upper()}")


def tiles_named(text: str) -> list[int]:
    """Return the tiles of a text in runs, "123m55p". Raises ValueError for anything else."""
    tiles: list[int] = []
    run = ""
    for letter in text:
        if letter.isdigit():
            run += letter
        else:
            tiles += [tile_named(rank + letter) for rank in run]
            run = ""
    if run:
        raise ValueError(f"{run!r} has no suit")
    return tiles


def card_name(card: int) -> str:
    """Return "10S" for CARD_10S, "w" and "W" for the jokers; "" for none."""
    return _CARD_NAMES.get(card, "")


def card_named(name: str) -> cards_pb2.Card.ValueType:
    """Return CARD_10S for "10S". Raises ValueError for anything else."""
    return cards_pb2.Card.Value(f"CARD_{_JOKERS.get(name, name)}")


def suit_name(suit: int) -> str:
    """Return "m", "p" or "s"; "" for none."""
    return ("", "m", "p", "s")[suit]


def suit_of(tile: int) -> mahjong_pb2.Suit.ValueType:
    """Return the suit of a tile."""
    return mahjong_pb2.Suit.ValueType((tile - 1) // TILES_IN_SUIT + 1)


def void(suit: int) -> table_pb2.Act:
    """定缺: name the void suit."""
    return table_pb2.Act(do=table_pb2.DO_VOID, suit=mahjong_pb2.Suit.ValueType(suit))


def exchange(tiles: Iterable[int]) -> table_pb2.Act:
    """换三张: give three tiles of one suit."""
    return table_pb2.Act(do=table_pb2.DO_EXCHANGE, tiles=[mahjong_pb2.Tile.ValueType(tile) for tile in tiles])


def discard(tile: int) -> table_pb2.Act:
    """Discard a tile."""
    return table_pb2.Act(do=table_pb2.DO_DISCARD, tile=mahjong_pb2.Tile.ValueType(tile))


def kong(tile: int, kind: int) -> table_pb2.Act:
    """杠: declare a kong of one kind."""
    return table_pb2.Act(do=table_pb2.DO_KONG, tile=mahjong_pb2.Tile.ValueType(tile), kong=mahjong_pb2.MeldKind.ValueType(kind))


def pung() -> table_pb2.Act:
    """碰: claim the discard for a pung."""
    return table_pb2.Act(do=table_pb2.DO_PUNG)


def win() -> table_pb2.Act:
    """胡: win."""
    return table_pb2.Act(do=table_pb2.DO_WIN)


def skip() -> table_pb2.Act:
    """过: pass."""
    return table_pb2.Act(do=table_pb2.DO_PASS)


def play(cards: Iterable[int], kind: int = 0) -> table_pb2.Act:
    """Play cards; `kind` says how they are meant where they can be read in several ways."""
    return table_pb2.Act(
        do=table_pb2.DO_PLAY,
        cards=[cards_pb2.Card.ValueType(card) for card in cards],
        play=cards_pb2.PlayKind.ValueType(kind),
    )


def leave() -> table_pb2.Act:
    """Escape, in games where that has a meaning within the hand."""
    return table_pb2.Act(do=table_pb2.DO_LEAVE)


def legal(choices: mahjong_pb2.MahjongChoices) -> list[table_pb2.Act]:
    """Return every answer that a mahjong offer allows."""
    found = [void(suit) for suit in choices.void_suits]
    found += [exchange(tiles) for tiles in exchanges(choices.exchange_from)]
    if choices.may_win:
        found.append(win())
    found += [kong(choice.tile, choice.kind) for choice in choices.kongs]
    if choices.may_pung:
        found.append(pung())
    found += [discard(tile) for tile in choices.discards]
    if choices.may_pass:
        found.append(skip())
    return found


def exchanges(tiles: Iterable[int]) -> list[tuple[int, ...]]:
    """Return every way to give three tiles of one suit out of these."""
    held = Counter(tiles)
    return [
        three
        for three in combinations_with_replacement(sorted(held), 3)
        if len({suit_of(tile) for tile in three}) == 1 and all(held[tile] >= number for tile, number in Counter(three).items())
    ]
