"""How often a player may call: as often as the settings say in every window of their length, and told when again."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from services.kit import limits, powers
from services.kit.errors import ExhaustedError
from services.kit.limit_settings import LimitSettings
from services.kit.limits import Limits


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def refused(made: Limits, method: str, player: str = "ann", peer: str = "192.0.2.1") -> tuple[str, float] | None:
    """The limit that refuses a call and after how long to call again; None: it is let through."""
    try:
        made.hit(method, player, peer)
    except ExhaustedError as error:
        return error.metadata["limit"], round(error.retry_seconds, 3)
    return None


def test_in_every_window_a_player_may_call_so_often_and_is_told_when_again(clock: Clock) -> None:
    made = Limits(LimitSettings(limit_tickets="3 per 10 seconds"), clock)
    for second in (0, 1, 4):
        clock.now = 1000 + second
        assert refused(made, "CreateTicket") is None
    assert refused(made, "CreateTicket") == ("tickets", 6)
    clock.now = 1009
    assert refused(made, "CreateTicket") == ("tickets", 1)
    clock.now = 1010
    assert refused(made, "CreateTicket") is None
    assert refused(made, "CreateTicket") == ("tickets", 1)


def test_a_refused_call_does_not_make_the_wait_longer(clock: Clock) -> None:
    made = Limits(LimitSettings(limit_tickets="1 per 10 seconds"), clock)
    assert refused(made, "CreateTicket") is None
    for second in range(1, 10):
        clock.now = 1000 + second
        assert refused(made, "CreateTicket") == ("tickets", 10 - second)
    clock.now = 1010
    assert refused(made, "CreateTicket") is None


def test_players_and_kinds_of_calls_are_counted_apart(clock: Clock) -> None:
    made = Limits(LimitSettings(limit_tickets="1 per minute", limit_cancels="1 per minute", limit_calls="1 per minute"), clock)
    assert [refused(made, "CreateTicket", player) for player in ("ann", "bob")] == [None, None]
    assert [refused(made, method) for method in ("CancelTicket", "ListRooms", "GetRecord", "Watch", "GetBalance")] == [None] * 5
    assert [refused(made, method) for method in ("SomethingNew", "SomethingElse")] == [None, ("calls", 60)]
    assert refused(made, "CreateTicket") == ("tickets", 60)


def test_all_players_of_one_address_are_counted_together_too(clock: Clock) -> None:
    made = Limits(LimitSettings(limit_address="5 per minute"), clock)
    assert [refused(made, "ListRooms", f"p{number}") for number in range(6)] == [None] * 5 + [("address", 60)]
    assert refused(made, "ListRooms", "p7", "192.0.2.2") is None


def test_only_so_many_callers_are_remembered(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST_CALLERS", 3)
    made = Limits(LimitSettings(limit_tickets="1 per minute"), clock)
    assert [refused(made, "CreateTicket", f"p{number}") for number in range(5)] == [None] * 5
    assert len(made._windows["tickets"].storage._calls) == 3  # type: ignore[attr-defined]
    assert refused(made, "CreateTicket", "p4") == ("tickets", 60)
    assert refused(made, "CreateTicket", "p0") is None, "it called longest ago"


@pytest.mark.parametrize("rate", ["", "often", "5", "-1 per second", "5 per fortnight"])
def test_a_rate_that_cannot_be_read_is_unusable_configuration(rate: str) -> None:
    with pytest.raises(ValidationError, match="limit_tickets"):
        LimitSettings(limit_tickets=rate)


def test_every_method_that_has_a_limit_of_its_own_is_one_that_players_may_call() -> None:
    players = {method for methods in powers.SERVICES.values() for method, who in methods.items() if who.players}
    assert limits.NAMES.keys() <= players
