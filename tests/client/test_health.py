"""Whether a server is still there, judged without a network and without waiting."""

from __future__ import annotations

from xuezhan.client.health import LOOK_SECONDS, SILENCE_SECONDS, Health


def looks(health: Health, begin: float, end: float) -> list[float]:
    """Look as often as a stream does; return when the server was found silent."""
    found, now = [], begin
    while now <= end:
        if health.silent(now):
            found.append(now)
        now += LOOK_SECONDS
    return found


def test_a_server_that_beats_and_then_says_nothing_for_three_seconds_is_silent() -> None:
    health = Health(0)
    health.heard(1, beats=True)
    assert not looks(health, 1, 3.5)
    assert looks(health, 4, 4)


def test_whatever_comes_is_a_sign_of_life() -> None:
    health = Health(0)
    health.heard(0, beats=True)
    for second in range(1, 20):
        health.heard(second)
        assert not looks(health, second, second + 0.5)


def test_a_server_that_sends_no_heartbeats_may_be_silent() -> None:
    """One of an earlier release."""
    health = Health(0)
    health.heard(1)
    assert not looks(health, 1, 600)


def test_a_program_that_was_stopped_itself_reads_first_what_came_meanwhile() -> None:
    health = Health(0)
    health.heard(1, beats=True)
    assert not looks(health, 1, 2)
    assert not health.silent(60), "stopped for a minute"
    assert not health.overdue(1.5, 60, hurry=True)
    assert looks(health, 60.5, 60 + SILENCE_SECONDS) == [63]
    assert health.overdue(1.5, 63, hurry=True)


def test_what_is_not_answered_in_three_seconds_is_overdue_and_without_hurry_in_six() -> None:
    health = Health(0)
    assert not health.overdue(1, 3.9, hurry=True)
    assert health.overdue(1, 4, hurry=True)
    assert not health.overdue(1, 6.9, hurry=False)
    assert health.overdue(1, 7, hurry=False)


def test_what_a_server_may_hold_back_is_overdue_only_after_that() -> None:
    health = Health(0)
    assert not health.overdue(1, 8.4, hurry=True, held_seconds=4.5)
    assert health.overdue(1, 8.5, hurry=True, held_seconds=4.5)
    assert not health.overdue(1, 11.4, hurry=False, held_seconds=4.5)
    assert health.overdue(1, 11.5, hurry=False, held_seconds=4.5)


def test_a_server_that_did_something_since_is_not_deaf() -> None:
    health = Health(0)
    assert health.deaf(5)
    health.reacted(6)
    assert not health.deaf(5)
    assert health.deaf(7)
