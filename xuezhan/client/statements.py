"""Statements of a table server (docs/rules/record.md) against what the seat was shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.deal import deck_of
from xuezhan.client.signed import LARGEST, read, same

COMMIT: Final = "xuezhan/commit/1"
DEAL: Final = "xuezhan/deal/1"


@lru_cache(maxsize=64)
def _read(text: str) -> Mapping[str, Any]:
    """Read a statement, once for all seats of a program. ValueError as `signed.read`."""
    return read(text)


def hex_or_null(values: Sequence[bytes]) -> list[str | None]:
    """Return bytes a seat as statements and records have them: hex, or null for none."""
    return [value.hex() if value else None for value in values]


def shown_by(what: pb.HandCommitted, table: str, game: str, seats: Sequence[str | None] | None, installation: str) -> dict[str, Any]:
    """Return what a commitment shows, by the names of its statement. `seats` None and an `installation` of "" are not known."""
    shown: dict[str, Any] = {
        "type": COMMIT,
        "table": table,
        "hand": what.hand,
        "game": game,
        "commitment": what.commitment.hex(),
        "hashes": hex_or_null(what.contribution_hashes),
        "options": json.loads(what.options or "{}"),
        "money": list(what.money),
    }
    if seats is not None:
        shown["seats"] = list(seats)
    if installation:
        shown["installation"] = installation
    if deck_of(game, shown["options"]):
        shown["deck"] = deck_of(game, shown["options"])
    return shown


def commitment_differs(text: str, shown: Mapping[str, Any], seat: int, player: str) -> tuple[str, Mapping[str, Any]]:
    """Return what of a commit statement is not as it was shown ("": nothing), and what it says."""
    try:
        said = _read(text)
    except ValueError as bad:
        return f"the commit statement cannot be read: {bad}", {}
    for name, value in shown.items():
        if not same(said.get(name), value):
            return f"the commit statement has another {name} than was shown", said
    if not all(_whole(said.get(name)) for name in ("at", "base")) or not all(isinstance(said.get(name), str) for name in ("deck", "rules")):
        return "the commit statement lacks at, base, deck or rules", said
    seats = said.get("seats")
    if not isinstance(seats, list) or len(seats) != len(shown["hashes"]) or (player and seats[seat] != player):
        return "the commit statement names others as the players", said
    return "", said


def deal_differs(text: str, commit: Mapping[str, Any], digest: str) -> tuple[str, Mapping[str, Any]]:
    """Return what of a deal statement does not fit the commit statement before it ("": nothing), and what it says."""
    try:
        said = _read(text)
    except ValueError as bad:
        return f"the deal statement cannot be read: {bad}", {}
    given, hashes = said.get("bytes"), commit["hashes"]
    if not same(said.get("type"), DEAL) or any(not same(said.get(name), commit.get(name)) for name in ("installation", "table", "hand")):
        return "the deal statement is about another hand", said
    if said.get("commit") != digest:
        return "the deal statement follows another commit statement", said
    if not isinstance(given, list) or len(given) != len(hashes):
        return "the deal statement has no bytes a seat", said
    for seat, (one, hashed) in enumerate(zip(given, hashes, strict=True)):
        if one is not None and not fits(one, hashed):
            return f"the bytes of seat {seat} are not those behind its hash", said
    if not same(said.get("withheld"), [seat for seat, hashed in enumerate(hashes) if hashed is not None and given[seat] is None]):
        return "the deal statement names others as having withheld", said
    return "", said


def fits(given: object, hashed: object) -> bool:
    """Whether bytes in hex are those behind a hash in hex."""
    try:
        return isinstance(given, str) and hashlib.sha256(bytes.fromhex(given)).hexdigest() == hashed
    except ValueError:
        return False


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST
