"""What the signed statements about a hand may say, rebuilt from its record: nothing but what stands there, and no seed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

COMMON = ("installation", "table", "hand")
COMMITTED = ("game", "rules", "options", "base", "seats", "money", "commitment")


def deck(record: dict[str, Any]) -> str:
    """Return what was shuffled."""
    return "".join(letter for letter in "mps" if f"1{letter}" in record["wall"]) if record["game"] != "crazy_duel" else "cards"


def commitment(record: dict[str, Any]) -> dict[str, Any]:
    """Return the statement before the deal, without its time."""
    found = {name: record[name] for name in (*COMMON, *COMMITTED) if name in record}
    found["base"] = record.get("base", record.get("rate"))
    return found | {"type": "xuezhan/commit/1", "deck": deck(record), "hashes": record["contribution_hashes"]}


def deal(record: dict[str, Any]) -> dict[str, Any]:
    """Return the statement with the deal."""
    found = {name: record[name] for name in (*COMMON, "commit", "withheld")}
    return found | {"type": "xuezhan/deal/1", "bytes": record["contributions"]}


def differs(signed: dict[str, Any], expected: dict[str, Any], name: str) -> str:
    """Compare a statement, as a trace has it, with what it may say. `name`: its SHA-256."""
    text = signed["statement"]
    told = json.loads(text)
    at = told.pop("at", None)
    if expected["type"] == "xuezhan/commit/1" and not isinstance(at, int):
        return f"a commitment without a time: {at}"
    if told != expected:
        return f"stated {told}, where {expected} is due"
    return "" if hashlib.sha256(text.encode()).hexdigest() == name else "another text than the record names"
