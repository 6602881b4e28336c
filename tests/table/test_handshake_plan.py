"""What the handshake does next, in a table: seconds on a clock that now shows 100."""

from __future__ import annotations

from math import inf

import pytest

from services.table.handshake_plan import (
    COINS,
    FREE_SEATS,
    HASHES,
    Next,
    Pauses,
    Stand,
    Step,
    Wait,
    Waited,
    bytes_until,
    next_step,
    time_is_up,
)
from services.table.phases import Phase

NOW = 100.0
PAUSES = Pauses(contribution=3, between=8, refill=30, settle=60)


def stand(phase: Phase, what: str = "") -> Stand:
    """`what`: words of "free", "further", "missing"."""
    return Stand(phase, "free" in what, "further" in what, "missing" in what)


GATHERING, REVEALING, BREAK = Phase.GATHERING, Phase.REVEALING, Phase.BREAK


@pytest.mark.parametrize(
    ("at", "waited", "does"),
    [
        (stand(GATHERING), Waited(), Step.COMMIT),
        (stand(GATHERING, "missing"), Waited(), Wait(HASHES, 103)),
        (stand(GATHERING, "missing"), Waited(HASHES, 98, 101), Wait(HASHES, 101)),
        (stand(GATHERING, "missing"), Waited(HASHES, 97, 100), Step.COMMIT),
        (stand(GATHERING, "missing"), Waited(HASHES, 97, 100, reconnect=107), Wait(HASHES, 107)),
        (stand(GATHERING), Waited(HASHES, 97, 100, reconnect=107), Step.COMMIT),
        # Before a further hand there is a break, whoever has answered.
        (stand(GATHERING, "further"), Waited(COINS, 90), Wait(HASHES, 108)),
        (stand(GATHERING, "further missing"), Waited(HASHES, 93, 101), Wait(HASHES, 101)),
        (stand(GATHERING, "further missing"), Waited(HASHES, 92, 100), Step.COMMIT),
        # Free seats are waited for once, whoever comes and goes meanwhile.
        (stand(GATHERING, "free further"), Waited(COINS, 90), Wait(FREE_SEATS, 130)),
        (stand(GATHERING, "free further"), Waited(COINS, 90, refill=110), Wait(FREE_SEATS, 110)),
        (stand(REVEALING), Waited(HASHES, 97), Step.DEAL),
        (stand(REVEALING, "missing"), Waited(HASHES, 97, 103), Wait("bytes", inf)),
        (stand(REVEALING, "missing"), Waited("bytes", 99, 102), Wait("bytes", 102)),
        (stand(REVEALING, "missing"), Waited("late bytes", 99, 101), Wait("late bytes", 101)),
        (stand(BREAK, "further"), Waited(), Wait(COINS, 160)),
        (stand(BREAK, "further"), Waited(COINS, 70, 130), Wait(COINS, 130)),
        (stand(Phase.OPENING), Waited(), Step.NOTHING),
        (stand(Phase.PLAYING), Waited(), Step.NOTHING),
        (stand(Phase.SETTLING), Waited(), Step.NOTHING),
    ],
)
def test_the_next_step(at: Stand, waited: Waited, does: Next) -> None:
    assert next_step(at, PAUSES, waited, NOW) == does


@pytest.mark.parametrize(
    ("at", "waited", "late", "does"),
    [
        (stand(BREAK, "further"), Waited(COINS, 40), 0, Step.CALL_OFF),
        (stand(GATHERING, "free further"), Waited(FREE_SEATS, 70, refill=100), 0, Step.CLOSE_UNFILLED),
        (stand(GATHERING, "missing"), Waited(HASHES, 97), 0, Step.COMMIT),
        (stand(REVEALING, "missing"), Waited("bytes", 97), 0.1, Step.DEAL),
        # The process stood still: what came meanwhile has not been read, and that is waited for once.
        (stand(REVEALING, "missing"), Waited("bytes", 97), 0.3, Wait("late bytes", 101)),
        (stand(REVEALING, "missing"), Waited("late bytes", 99), 0.3, Step.DEAL),
        (stand(Phase.PLAYING), Waited(), 0, Step.NOTHING),
        (stand(Phase.SETTLING), Waited(), 0, Step.NOTHING),
    ],
)
def test_the_step_when_time_is_up(at: Stand, waited: Waited, late: float, does: Next) -> None:
    assert time_is_up(at, PAUSES, waited, NOW, late) == does


@pytest.mark.parametrize(("contribution", "reconnect", "until"), [(3, -inf, 103), (0.5, -inf, 102), (3, 110, 110)])
def test_bytes_are_waited_for_as_long_as_the_room_says_and_clients_need(contribution: float, reconnect: float, until: float) -> None:
    assert bytes_until(PAUSES._replace(contribution=contribution), Waited(reconnect=reconnect), NOW) == until
