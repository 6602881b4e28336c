"""Replaying hand records: `xuezhan verify-record`.

Law: whatever a line holds, it is answered, never raised on. What a record derives from its seed and actions is derived again; what
differs is named.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, Final

from games.deal import commitment
from games.fields import FieldError, mapping
from games.record import Recorder
from games.verify_play import check_deal, check_end, replay
from games.verify_read import MOST_COINS, Before, Name, Trouble, check_bytes, compare, contributions_of, hex_bytes, is_bare, name_of, read

MOST_TABLES: Final = 1_000_000
"""Tables whose hand numbers are compared; a line of another is an error."""


class _Table:
    """What was seen of one table: its hand numbers as sorted ranges, and what the hand that came last leaves to the next."""

    __slots__ = ("last", "seen")

    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []
        self.last: Before | None = None

    def add(self, hand: int) -> str:
        """Note a hand's number. Returns what is wrong with it: seen before, or not next to any seen; "" if nothing is."""
        seen = self.seen
        at = bisect_right(seen, (hand, MOST_COINS))
        low, high = hand, hand
        if at and seen[at - 1][1] >= hand:
            return f"hand: {hand} was seen before"
        first = not seen
        if at < len(seen) and seen[at][0] == hand + 1:
            high = seen.pop(at)[1]
        if at and seen[at - 1][1] == hand - 1:
            at -= 1
            low = seen.pop(at)[0]
        seen.insert(at, (low, high))
        return "" if first or low < high else f"hand: a gap before or after {hand}"


class Verifier:
    """Checks records in order. What the next hand of a table needs of the one before, and who played it, it remembers."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, str], _Table] = {}

    def check(self, line: object) -> dict[str, Any]:
        """Answer one record: `{"ok": true}`, `{"ok": false, "at", "why"}`, or `{"error"}` for a line that is no record."""
        try:
            given = mapping("line", line)
            self._check(given, name_of(given))
        except RecursionError:
            return {"error": "line: nested too deep"}
        except ValueError as bad:
            return {"error": str(bad)}
        except Trouble as trouble:
            return {"ok": False, "at": trouble.at, "why": trouble.why}
        return {"ok": True}

    def _check(self, given: Mapping[str, Any], name: Name) -> None:
        table = self._table(name)
        before, wrong = table.last, table.add(name.hand)
        if wrong.endswith("before"):
            raise Trouble(None, wrong)
        table.last = None
        if is_bare(given):
            _check_bare(given)
        else:
            last = before if before is not None and before.hand == name.hand - 1 else None
            self._play(given, name, last, table, gap=bool(wrong))
        if wrong:
            raise Trouble(None, wrong)

    def _table(self, name: Name) -> _Table:
        key = name.table, name.of
        if key not in self._tables:
            if len(self._tables) >= MOST_TABLES:
                raise FieldError("table", f"more than {MOST_TABLES} tables at a time")
            self._tables[key] = _Table()
        return self._tables[key]

    def _play(self, given: Mapping[str, Any], name: Name, last: Before | None, table: _Table, *, gap: bool) -> None:
        record = read(given, name, last, gap=gap)
        recorder = Recorder(record.rules, record.setup) if record.walled else None
        check_deal(record, recorder)
        if recorder is None:
            return
        replay(record, recorder)
        # What the next hand needs follows from the actions, whatever else the record holds.
        carry = None if record.called_off else recorder.hand.carry()
        if carry:
            table.last = Before(name.hand, carry, given.get("seats"))
        check_end(record, recorder)


def _check_bare(given: Mapping[str, Any]) -> None:
    contributions = contributions_of(given)
    compare(None, "commitment", given.get("commitment"), commitment(hex_bytes("seed", given.get("seed"))))
    check_bytes(given, contributions, dealt=False)


def entropy(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a record that could be read how many seats' bytes are in the shuffle, and which seats withheld theirs."""
    withheld = given.get("withheld")
    return {
        "entropy": sum(one is not None for one in given["contributions"]),
        "withheld": withheld if isinstance(withheld, list) else [],
    }
