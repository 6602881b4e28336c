"""What a player keeps of the hands they played: the server's signed statements, and what they saw and did themselves.

JSON Lines (docs/rules/record.md): `xuezhan verify-record --receipts FILE` compares them with hand records. A statement proves something to
anybody, the lines of type xuezhan/seen/1 only to those who trust the player's program.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
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


class Receipts:
    """Receipts of any number of seats. With a `path` they are written there at once, behind what the file has; else kept in memory."""

    def __init__(self, path: Path | None = None) -> None:
        """OSError if the file cannot be written."""
        self._file: TextIO | None = path.open("a", encoding="utf-8") if path is not None else None
        self._kept: deque[dict[str, Any]] = deque(maxlen=MOST_LINES)
        self._statements: deque[bytes] = deque(maxlen=_STATEMENTS)

    def statement(self, signed: pb.Signed) -> None:
        """Keep a statement as it was received."""
        if signed.signature not in self._statements:
            self._statements.append(signed.signature)
            self._keep({"key_id": signed.key_id, "signature": signed.signature.hex(), "statement": signed.statement})

    def seen(self, table: str, hand: int, seat: int, **what: Any) -> None:
        """Keep what a seat saw or did in a hand."""
        self._keep({"type": SEEN, "table": table, "hand": hand, "seat": seat, **what})

    def lines(self) -> Iterator[str]:
        """Yield what is kept in memory, one JSON text a receipt."""
        for kept in self._kept:
            yield json.dumps(kept, ensure_ascii=False)

    def save(self, path: Path) -> None:
        """Write what is kept in memory to a file, behind what it has. OSError if that cannot be done."""
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in self.lines())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _keep(self, receipt: dict[str, Any]) -> None:
        if self._file is None:
            self._kept.append(receipt)
        elif not self._file.closed:
            self._file.write(json.dumps(receipt, ensure_ascii=False) + "\n")
            # A program that is killed next has kept what it did.
            self._file.flush()


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
