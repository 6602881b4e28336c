"""Every time of a table stands in one place, stands still when it is told to, and goes over to another server as what remains of it."""

from __future__ import annotations

from math import inf

import pytest

from services.table.deadlines import NEVER, Deadlines


def running() -> Deadlines:
    """Of three seats two are asked, at 100 s; the handshake waits for coins since 90 s."""
    deadlines = Deadlines(3)
    deadlines.ask(0, 100, 15)
    deadlines.ask(2, 100, 20)
    deadlines.waits_for, deadlines.waits_since, deadlines.phase = "coins", 90, 150
    return deadlines


def test_the_next_time_is_the_earliest_of_all() -> None:
    deadlines = running()
    assert deadlines.next() == 115
    deadlines.window = 100.6
    assert deadlines.next() == 100.6
    deadlines.window, deadlines.tokens = inf, 101
    assert deadlines.next() == 101
    deadlines.tokens = inf
    deadlines.nobody_is_asked()
    assert deadlines.next() == 150
    assert Deadlines(4).next() == inf


def test_while_the_times_stand_still_only_the_claim_window_ends() -> None:
    deadlines = running()
    deadlines.stop(105)
    assert deadlines.next() == inf
    deadlines.window = 105.6
    assert deadlines.next() == 105.6


def test_nobody_loses_time_while_the_times_stand_still() -> None:
    deadlines = running()
    deadlines.tokens = 500
    deadlines.stop(105)
    deadlines.stop(107)
    deadlines.go_on(109)
    deadlines.go_on(200)
    assert deadlines.answers == [119, inf, 124]
    assert deadlines.asked_at[0] == 104
    assert (deadlines.waits_since, deadlines.phase, deadlines.refill) == (94, 154, inf)
    assert deadlines.tokens == 500, "a token ends when it says"


def test_another_server_goes_on_with_what_remains() -> None:
    deadlines = running()
    deadlines.stop(110)
    remaining = deadlines.remaining(110.4)
    assert remaining.answers == [5_000, NEVER, 10_000]
    assert (remaining.waits_for, remaining.waited, remaining.phase, remaining.refill) == ("coins", 20_000, 40_000, NEVER)
    there = Deadlines(3)
    there.restore(remaining, 7)
    assert there.answers == [12, inf, 17]
    assert there.asked_at[0] == there.asked_at[2] == -3
    assert (there.waits_for, there.waits_since, there.phase, there.refill) == ("coins", -13, 47, inf)
    assert there.remaining(7) == remaining


def test_what_is_over_has_no_time_left_when_it_goes_over() -> None:
    deadlines = running()
    assert deadlines.remaining(117).answers == [0, NEVER, 3_000]


@pytest.mark.parametrize("left", [0.15, inf, 60])
def test_players_have_time_to_find_the_server_that_waits_for_their_bytes(left: float) -> None:
    """However little the former owner had left for them."""
    deadlines = running()
    deadlines.waits_for, deadlines.phase = "bytes", 100 + left
    there = Deadlines(3)
    there.restore(deadlines.remaining(100), 7)
    there.let_players_come(17)
    assert there.phase == (67 if left == 60 else 17)


def test_players_are_not_waited_for_where_the_table_waits_for_coins() -> None:
    deadlines = running()
    deadlines.let_players_come(500)
    assert (deadlines.phase, deadlines.reconnect) == (150, 500)
