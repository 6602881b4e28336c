"""Where a seat is attached next, decided without a network and without waiting."""

from __future__ import annotations

import pytest

from xuezhan.client import ClientError
from xuezhan.client.route import LOST_SECONDS, MOST_SECONDS, STRAY_SECONDS, Do, Route, Step

GONE = ClientError("unavailable", "gone", "UNAVAILABLE", passing=True)


def route(*addresses: str, patience: float = 30, epoch: int = 0, may_ask: bool = False) -> Route:
    return Route("a", patience, addresses, epoch, may_ask=may_ask, uniform=lambda _low, high: high)


def at(route: Route, step: Step) -> str:
    """Do what a step says."""
    assert step.do is Do.ATTACH
    route.at = step.address
    return step.address


def test_a_connection_that_ends_after_it_worked_is_made_again_to_the_same_server_first() -> None:
    one = route("b", "c")
    assert at(one, one.lost(0, GONE, here=True)) == "a"
    assert at(one, one.lost(1, GONE, here=False)) == "b"


def test_a_silent_servers_seats_go_to_another_server_first_and_to_each_before_one_is_asked_twice() -> None:
    one = route("a", "b", "c")
    seen = [at(one, one.lost(now, GONE, ["d"], here=False)) for now in range(8)]
    assert seen == ["b", "c", "d", "a", "b", "c", "d", "a"]


def test_a_seat_without_another_server_comes_back_to_its_own() -> None:
    one = route()
    assert [at(one, one.lost(now, GONE, here=False)) for now in range(3)] == ["a"] * 3


def test_pauses_grow_with_every_failure_up_to_a_bound_and_begin_anew_once_attached() -> None:
    one = route(patience=1000)
    pauses = [one.lost(0, GONE, here=False).seconds for _ in range(8)]
    assert pauses[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses[-1] == MOST_SECONDS
    assert one.attached(0)
    assert one.lost(0, GONE, here=False).seconds == 0.1


def test_pauses_differ_from_client_to_client() -> None:
    assert len({Route("a", 30).lost(0, GONE, here=True).seconds for _ in range(10)}) > 1


def test_a_seat_is_given_up_when_its_patience_is_over_and_not_before() -> None:
    one = route(patience=10)
    assert one.lost(0, GONE, here=True).do is Do.ATTACH
    assert one.lost(9, GONE, here=False).do is Do.ATTACH
    end = one.lost(10, GONE, here=False)
    assert (end.do, end.error.reason if end.error else "") == (Do.END, "unreachable")


def test_a_table_that_moved_is_followed_at_once() -> None:
    one = route("b")
    step = one.moved(0, "c", 2)
    assert (at(one, step), step.seconds <= 0.1, one.epoch) == ("c", True, 2)


def test_a_lower_epoch_is_what_a_former_owner_says_and_sends_the_seat_elsewhere() -> None:
    one = route("b", epoch=3)
    assert one.outdated(2)
    assert not one.outdated(3)
    assert not one.outdated(0), "a server of an earlier release says none"
    assert at(one, one.moved(0, "x", 2)) == "b"
    assert one.epoch == 3


def test_a_former_owner_that_attaches_a_seat_is_left() -> None:
    one = route(epoch=3)
    assert not one.attached(2)
    assert one.attached(3)
    assert one.attached(0)


def test_a_server_that_sends_the_seat_back_to_the_owner_it_lost_is_believed() -> None:
    """It may have been the connection, and not the server."""
    one = route("b")
    assert at(one, one.lost(0, GONE, here=False)) == "b"
    assert at(one, one.moved(1, "a", 1)) == "a"


def test_an_owner_that_cannot_be_reached_is_left_alone_for_a_while_and_the_server_that_names_it_is_asked_again() -> None:
    """It may have died: until its lease ends the others name it as the owner."""
    one = route("b")
    assert at(one, one.lost(0, GONE, here=True)) == "a"
    assert at(one, one.lost(0.1, GONE, here=False, worked=False)) == "b"
    for now in (0.5, 1.0, 1.5, 2.0):
        step = one.moved(now, "a", 1)
        assert (at(one, step), 0.25 <= step.seconds <= 0.5) == ("b", True)
    assert at(one, one.moved(2.2, "a", 1)) == "a", "or it could not be reached, and can now"
    assert at(one, one.lost(2.3, GONE, here=False, worked=False)) == "b"
    assert at(one, one.moved(2.4, "c", 2)) == "c"


def test_pauses_stay_short_while_any_server_answers() -> None:
    one = route("b", patience=1000)
    for now in range(20):
        at(one, one.lost(now, GONE, here=False, worked=False))
        one.at = "b"
        assert one.moved(now + 0.5, "a", 1).seconds <= 0.5
        assert one.lost(now + 0.6, GONE, here=False).seconds <= 0.5


def test_a_seat_that_waits_for_an_owner_asks_the_same_server_again_within_half_a_second() -> None:
    one = route("b")
    at(one, one.lost(0, GONE, here=False))
    for now in range(20):
        step = one.wait(now, 0.25)
        assert (at(one, step), 0.25 <= step.seconds <= 0.5) == ("b", True)
    assert one.wait(31, 0.25).do is Do.END


@pytest.mark.parametrize("said", [0.0, 0.3, 0.5, 1000.0])
def test_what_a_server_says_of_how_long_to_wait_is_kept_to_within_bounds(said: float) -> None:
    assert 0.25 <= route().wait(0, said).seconds <= 6.25


def test_the_ticket_is_asked_when_no_server_was_reached_for_some_seconds_and_not_all_the_time() -> None:
    one = route("b", may_ask=True)
    asked = []
    for tenth in range(int(30 * LOST_SECONDS)):
        step = one.lost(tenth / 10, GONE, here=False)
        at(one, step)
        if step.ask:
            asked.append(tenth / 10)
    assert asked[0] == pytest.approx(LOST_SECONDS, abs=0.5)
    assert len(asked) <= 3


def test_a_server_that_cannot_attach_the_seat_now_is_asked_again_with_the_ticket_beside_it_and_then_another_is() -> None:
    one = route("b", may_ask=True)
    steps = [one.refused(now / 10, "unavailable") for now in range(3)]
    assert [(step.do, step.address, step.ask) for step in steps] == [
        (Do.ATTACH, "a", True),
        (Do.ATTACH, "a", False),
        (Do.ATTACH, "b", False),
    ]
    two = route("b")
    assert [at(two, two.refused(now, "unavailable")) for now in range(4)] == ["a", "a", "b", "a"]


@pytest.mark.parametrize("reason", ["expired", "unknown_table"])
def test_a_fresh_token_or_place_is_asked_of_the_ticket_and_without_one_the_seat_ends(reason: str) -> None:
    assert route(may_ask=True).refused(0, reason).do is Do.ASK
    end = route().refused(0, reason)
    assert (end.do, end.error.reason if end.error else "") == (Do.END, reason)


@pytest.mark.parametrize("reason", ["left", "closed", "bad_token", "foreign_seat", "attached_elsewhere", "too_many_seats", ""])
def test_other_refusals_end_the_seat(reason: str) -> None:
    end = route("b", may_ask=True).refused(0, reason, "CODE")
    assert (end.do, end.error.reason if end.error else "") == (Do.END, reason or "detached")


def test_an_attach_of_its_own_that_comes_late_does_not_end_the_seat_but_another_program_does() -> None:
    one = route()
    one.stray(0)
    assert one.refused(1, "attached_elsewhere").do is Do.ATTACH
    assert one.refused(2, "attached_elsewhere").do is Do.END
    one.stray(3)
    assert one.refused(3 + STRAY_SECONDS, "attached_elsewhere").do is Do.END


def test_where_the_ticket_finds_the_seat_it_is_tried_first() -> None:
    one = route("b")
    at(one, one.lost(0, GONE, here=False))
    one.found("x", ("y",), 5)
    one.at = "x"
    assert one.epoch == 5
    assert at(one, one.lost(1, GONE, here=True)) == "x"
    assert at(one, one.lost(2, GONE, here=False)) == "y"
