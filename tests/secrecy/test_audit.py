"""What the audit of traces takes for the same: seats that come late, or come back, are shown a view in place of what they missed."""

from __future__ import annotations

from typing import Any

from tests.secrecy.audit import audit

Lines = list[dict[str, Any]]


def told(seat: int, first: int, *causes: str) -> Lines:
    """Public events of a table without a hand, numbered from `first` on."""
    lines = [{"event": "stage_settled", "what": {"cause": cause}} for cause in causes]
    return [{"seat": seat, "player": f"p{seat}", "number": first + place, **line} for place, line in enumerate(lines)]


def view(seat: int, number: int) -> Lines:
    return [{"seat": seat, "player": f"p{seat}", "number": 0, "event": "view", "what": {"number": number}}]


ALL = [*view(0, 0), *told(0, 1, "a", "b", "c", "d")]


def test_a_view_stands_for_public_events_that_a_seat_was_not_told() -> None:
    late = [*view(1, 2), *told(1, 3, "c", "d")]
    back = [*view(2, 0), *told(2, 1, "a"), *view(2, 3), *told(2, 4, "d")]
    assert audit([], [*ALL, *late, *back]) == []


def test_a_public_event_that_a_seat_was_not_told_without_a_view_is_found() -> None:
    assert audit([], [*ALL, *view(1, 0), *told(1, 1, "a", "c", "d")]) != []
    assert audit([], [*ALL, *view(1, 2), *told(1, 3, "b", "d")]) != []
