"""Sets of seats, as courses hold them."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from services.table.seat_set import NOBODY, SeatSet

SEATS = st.sets(st.integers(0, 7))


@given(SEATS, SEATS, st.integers(0, 7))
def test_seats_are_a_set_that_rows_hold_as_a_number(some: set[int], others: set[int], seat: int) -> None:
    one, other = SeatSet.of(some), SeatSet.of(others)
    assert (list(one), len(one), bool(one)) == (sorted(some), len(some), bool(some))
    assert (list(one | other), list(one & other), list(one - other)) == (
        sorted(some | others),
        sorted(some & others),
        sorted(some - others),
    )
    assert (seat in one, list(one.put(seat)), list(one.put(seat, there=False))) == (
        seat in some,
        sorted(some | {seat}),
        sorted(some - {seat}),
    )
    assert SeatSet(json.loads(json.dumps({"seats": one}))["seats"]) == one


def test_nobody_is_in_the_empty_set() -> None:
    assert (list(NOBODY), NOBODY == 0, repr(SeatSet.of([0, 2]))) == ([], True, "SeatSet.of([0, 2])")
