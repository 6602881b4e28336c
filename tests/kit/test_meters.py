"""Shares of time and of places."""

import pytest

from services.kit.errors import ExhaustedError
from services.kit.meters import Meter, Meters
from services.kit.shares import Shares


def test_a_user_within_its_share_never_waits_and_one_beyond_it_waits_for_the_rest() -> None:
    meter = Meter()
    assert [meter.use(second, 0.05, 0.05, 0, 60) for second in range(100, 105)] == [1, 1, 1, 1, 1]
    meter = Meter()
    assert [meter.use(second, 0.05, 0.05, 1, 60) for second in range(100, 105)] == [0] * 5
    # Twice its share: a second more each second.
    meter = Meter()
    assert [meter.use(second, 0.1, 0.05, 2, 60) for second in range(100, 105)] == pytest.approx([0, 1, 2, 3, 4])


def test_nobody_waits_longer_than_the_longest() -> None:
    meter = Meter()
    assert [meter.use(0, 1000, 0.05, 2, 5) for _ in range(3)] == [5, 5, 5]
    assert meter.use(7, 0.05, 0.05, 2, 5) == 0


def test_only_so_many_peers_are_remembered_and_the_latest_are() -> None:
    meters = Meters(2)
    first, second = meters.of("a"), meters.of("b")
    assert meters.of("a") is first
    meters.of("c")
    assert meters.of("a") is first
    assert meters.of("b") is not second


def test_a_peer_finds_a_place_as_long_as_it_has_less_than_its_share_and_there_is_one() -> None:
    shares = Shares("places", 5, 0.4)
    shares.enter("a")
    shares.enter("a")
    with pytest.raises(ExhaustedError, match="one address has at most 2 places here") as refused:
        shares.enter("a")
    assert (refused.value.reason, refused.value.retry_seconds) == ("too_many_places", 1)
    shares.enter("b")
    # Parts of ours have no share.
    shares.enter("")
    shares.enter("")
    with pytest.raises(ExhaustedError, match="this server has 5 places"):
        shares.enter("c")
    shares.leave("a")
    shares.enter("c")
    assert sorted(shares._taken.items()) == [("", 2), ("a", 1), ("b", 1), ("c", 1)]
    for peer in ("", "", "a", "b", "c"):
        shares.leave(peer)
    assert not shares._taken
    assert not shares._all


def test_a_share_is_one_place_at_least() -> None:
    shares = Shares("places", 2, 0.01)
    shares.enter("a")
    with pytest.raises(ExhaustedError):
        shares.enter("a")
    shares.enter("b")
