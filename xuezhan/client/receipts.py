"""What a player keeps of the hands they played: the server's signed statements, and what they saw and did themselves.

JSON Lines (docs/rules/record.md): `xuezhan verify-record --receipts FILE` compares them with hand records. A statement proves something to
anybody, the lines of type xuezhan/seen/1 only to those who trust the player's program.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TextIO

from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.acts import card_name, suit_name, tile_name

SEEN: Final = "xuezhan/seen/1"
MOST_LINES: Final = 20_000
"""Lines kept in memory; the oldest go first."""
_STATEMENTS: Final = 256
"""Statements remembered so that one that several seats are shown is kept once."""


Made = tuple[Callable[..., dict[str, Any]], tuple[Any, ...]]
"""How a receipt is written, and of what: most are never read, so that is done when they are."""


class Receipts:
    """Receipts of any number of seats. With a `path` they are written there at once, behind what the file has; else kept in memory."""

    def __init__(self, path: Path | None = None) -> None:
        """OSError if the file cannot be written."""
        self._file: TextIO | None = path.open("a", encoding="utf-8") if path is not None else None
        self._kept: deque[Made] = deque(maxlen=MOST_LINES)
        self._statements: deque[bytes] = deque(maxlen=_STATEMENTS)

    def statement(self, signed: pb.Signed) -> None:
        """Keep a statement as it was received."""
        if signed.signature not in self._statements:
            self._statements.append(signed.signature)
            self._keep(_statement, signed)

    def shown(self, table: str, hand: int, seat: int, player: str, name: str, what: Any) -> None:
        """Keep what a seat was shown: an event of the protocol that is about its own tiles or cards, or the end of a hand."""
        self._keep(_shown, table, hand, seat, player, name, what)

    def acted(self, table: str, hand: int, seat: int, stage: str, act: pb.Act, offer: pb.Offer | None = None) -> None:
        """Keep an act that was `sent` to answer an offer, `accepted` or `refused`."""
        self._keep(_acted, table, hand, seat, stage, act, offer)

    def elsewhere(self, table: str, hand: int, seat: int) -> None:
        """Keep that another program played the seat."""
        self._keep(_elsewhere, table, hand, seat)

    def lines(self) -> Iterator[str]:
        """Yield what is kept in memory, one JSON text a receipt."""
        for write, of in self._kept:
            yield json.dumps(write(*of), ensure_ascii=False)

    def save(self, path: Path) -> None:
        """Write what is kept in memory to a file, behind what it has. OSError if that cannot be done."""
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in self.lines())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _keep(self, write: Callable[..., dict[str, Any]], *of: Any) -> None:
        if self._file is None:
            self._kept.append((write, of))
        elif not self._file.closed:
            self._file.write(json.dumps(write(*of), ensure_ascii=False) + "\n")
            # A program that is killed next has kept what it did.
            self._file.flush()


def _statement(signed: pb.Signed) -> dict[str, Any]:
    return {"key_id": signed.key_id, "signature": signed.signature.hex(), "statement": signed.statement}


def _seen(table: str, hand: int, seat: int, **what: Any) -> dict[str, Any]:
    return {"type": SEEN, "table": table, "hand": hand, "seat": seat, **what}


def _shown(table: str, hand: int, seat: int, player: str, name: str, what: Any) -> dict[str, Any]:
    seen: dict[str, Any]
    match name:
        case "dealt":
            seen = {"player": player, "tiles": tile_names(sorted(what.tiles))}
        case "cards_dealt":
            seen = {"player": player, "cards": card_names(sorted(what.cards))}
        case "drew":
            seen = {"draw": tile_name(what.tile), "left": what.wall_left}
        case "exchanged":
            seen = {"gave": tile_names(what.gave), "got": tile_names(what.got)}
        case _:
            seen = {"seed": what.seed.hex()} | ({"called_off": what.called_off} if what.called_off else {})
    return _seen(table, hand, seat, **seen)


def _acted(table: str, hand: int, seat: int, stage: str, act: pb.Act, offer: pb.Offer | None) -> dict[str, Any]:
    words = act_words(act)
    if offer is not None and offer.mahjong.from_seat_plus_one:
        words |= {"on": tile_name(offer.mahjong.tile), "of": offer.mahjong.from_seat_plus_one - 1}
    return _seen(table, hand, seat, **{stage: words})


def _elsewhere(table: str, hand: int, seat: int) -> dict[str, Any]:
    return _seen(table, hand, seat, elsewhere=True)


def tile_names(tiles: Iterable[int]) -> list[str]:
    """Return tiles in the notation of records."""
    return [tile_name(tile) for tile in tiles]


def card_names(cards: Iterable[int]) -> list[str]:
    """Return cards in the notation of records."""
    return [card_name(card) for card in cards]


def act_words(act: pb.Act) -> dict[str, Any]:
    """Return an act in the notation of hand records, without its seat."""
    words: dict[str, Any] = {"do": pb.Do.Name(act.do).removeprefix("DO_").lower()}
    if act.do == pb.DO_VOID:
        words["suit"] = suit_name(act.suit)
    elif act.do == pb.DO_EXCHANGE:
        words["tiles"] = tile_names(act.tiles)
    elif act.do == pb.DO_PLAY:
        words["cards"] = card_names(act.cards)
        if act.play:
            words["kind"] = cd.PlayKind.Name(act.play).removeprefix("PLAY_KIND_").lower()
    elif act.tile:
        words["tile"] = tile_name(act.tile)
    if act.do == pb.DO_KONG:
        words["kind"] = mj.MeldKind.Name(act.kong).removeprefix("MELD_KIND_").lower()
    return words
