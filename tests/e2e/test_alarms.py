"""The alarm drill: under load nothing is heard for ten minutes; then each fault raises its own alert within two minutes, and no wrong one.

Each fault is a test of its own: `pytest -m drill tests/e2e/test_alarms.py -k "worker_killed"`. A fault that stands in the results
(XUEZHAN_ALARMS_RESULTS) is not tried again; XUEZHAN_ALARMS_QUIET_SECONDS shortens the ten minutes.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from tests.e2e import alarms
from tests.e2e.alarms import Watched
from tests.e2e.installation import FAST_ROOMS
from tests.support.netns import Network

pytestmark = [pytest.mark.timeout(1200), pytest.mark.drill, pytest.mark.usefixtures("require_prometheus")]

QUIET_SECONDS: Final = float(os.environ.get("XUEZHAN_ALARMS_QUIET_SECONDS", "600"))
WORKERS: Final = ("worker", "worker-2")
MATCHMAKING: Final = ("matchmaking", "matchmaking-2")
PLAY_STOPS: Final = {"NoActions", "CoinsUnsettled", "TablesStandStill", "PartNotServing", "LeaseLost", "ActionsSlow", "JournalSlow"}
COINS_STOP: Final = {"CoinsUnsettled", "NoActions", "TablesStandStill", "PartNotServing", "NoWorker"}
"""Tables wait between hands for their coins, so play stops too in the end."""
SEATING_STOPS: Final = {"TicketsWaiting", "SeatingFails", "NoActions", "PartNotServing"}
Act = Callable[[Watched], None]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    if (missing := Network.missing()) is not None:
        pytest.skip(f"needs {missing}")
    hosts = [*alarms.HOSTS]
    with (
        Network(hosts, ("main", "database", "broker")) as network,
        Watched(tmp_path_factory.mktemp("alarms"), network, FAST_ROOMS) as installation,
    ):
        yield installation
        installation.load.terminate()
        if alarms.RESULTS.exists():
            alarms.tell_players(installation.traces)


def each(names: tuple[str, ...], what: str) -> Act:
    """Let the same happen to several parts."""

    def act(watched: Watched) -> None:
        for name in names:
            part = watched.large.parts[name]
            {"kill": part.kill, "freeze": part.freeze, "thaw": part.thaw}[what]()

    return act


def start(*names: str) -> Act:
    """Start parts again."""

    def act(watched: Watched) -> None:
        for name in names:
            watched.large.start(name)

    return act


def cut(*names: str) -> Act:
    """Cut parts off, or a server."""

    def act(watched: Watched) -> None:
        for name in names:
            watched.cut_off(name)

    return act


def heal(watched: Watched) -> None:
    watched.network.heal()


def server(name: str, what: str) -> Act:
    """Let something happen to PostgreSQL or RabbitMQ."""

    def act(watched: Watched) -> None:
        of = {"postgres": watched.postgres, "rabbitmq": watched.rabbitmq}[name]
        assert of.process is not None
        {"kill": of.kill, "start": of.start, "freeze": of.process.freeze, "thaw": of.process.thaw}[what]()

    return act


def fill_disk(watched: Watched) -> None:
    """RabbitMQ is told to leave more of its disk free than there is: it takes no messages, as on a disk that is full."""
    watched.rabbitmq.control("set_disk_free_limit", "50000GB")


def empty_disk(watched: Watched) -> None:
    watched.rabbitmq.control("set_disk_free_limit", "50MB")


FAULTS: Final[dict[str, tuple[str, set[str], Act, Act]]] = {
    "PostgreSQL killed": ("DatabaseAway", PLAY_STOPS, server("postgres", "kill"), server("postgres", "start")),
    "PostgreSQL stopped": ("DatabaseAway", PLAY_STOPS, server("postgres", "freeze"), server("postgres", "thaw")),
    "PostgreSQL cut off": ("DatabaseAway", PLAY_STOPS, cut("database"), heal),
    "RabbitMQ killed": ("BrokerAway", COINS_STOP | {"PartDown"}, server("rabbitmq", "kill"), server("rabbitmq", "start")),
    "RabbitMQ stopped": ("BrokerAway", COINS_STOP | {"PartDown"}, server("rabbitmq", "freeze"), server("rabbitmq", "thaw")),
    "RabbitMQ cut off": ("BrokerAway", COINS_STOP, cut("broker"), heal),
    "workers killed": ("NoWorker", COINS_STOP | {"PartDown"}, each(WORKERS, "kill"), start(*WORKERS)),
    "workers stopped": ("NoWorker", COINS_STOP | {"PartDown"}, each(WORKERS, "freeze"), each(WORKERS, "thaw")),
    "workers cut off": ("NoWorker", COINS_STOP | {"PartDown", "BrokerAway", "DatabaseAway"}, cut(*WORKERS), heal),
    "a table server killed": ("PartDown", set(), each(("table",), "kill"), start("table")),
    "a table server stopped": ("PartDown", {"LeaseLost", "LoopBlocked"}, each(("table",), "freeze"), each(("table",), "thaw")),
    "a table server cut off": ("PartDown", {"LeaseLost", "DatabaseAway", "BrokerAway"}, cut("table"), heal),
    "matchmaking killed": ("PartDown", SEATING_STOPS, each(MATCHMAKING, "kill"), start(*MATCHMAKING)),
    "matchmaking stopped": ("PartDown", SEATING_STOPS | {"LoopBlocked"}, each(MATCHMAKING, "freeze"), each(MATCHMAKING, "thaw")),
    "matchmaking cut off": ("PartDown", SEATING_STOPS | {"DatabaseAway"}, cut(*MATCHMAKING), heal),
    "settlement killed": ("PartDown", SEATING_STOPS, each(("settlement",), "kill"), start("settlement")),
    "settlement stopped": ("PartDown", SEATING_STOPS | {"LoopBlocked"}, each(("settlement",), "freeze"), each(("settlement",), "thaw")),
    "settlement cut off": ("PartDown", SEATING_STOPS | {"DatabaseAway"}, cut("settlement"), heal),
    # It takes no messages then, and a part that publishes one hears nothing: the page of BrokerAway says so.
    "RabbitMQ's disk full": ("DiskFilling", COINS_STOP | {"BrokerAway"}, fill_disk, empty_disk),
    "the loop of a table server frozen": (
        "LoopBlocked",
        {"LeaseLost", "TablesStandStill"},
        lambda watched: watched.large.parts["table"].signal(signal.SIGUSR1),
        lambda _watched: None,
    ),
}
"""By name: the alert that must come, those that may because they are true too, what happens, and how it is mended."""


def test_nothing_is_heard_while_all_is_well(watched: Watched) -> None:
    if alarms.kept("none"):
        pytest.skip("in the results already")
    watched.quiet(120)
    assert watched.during(QUIET_SECONDS) == set()
    alarms.keep(alarms.Heard("none", "none", QUIET_SECONDS, [], 0, 0, 0, "play goes on"))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda name: name.replace(" ", "_"))
def test_a_fault_raises_its_own_alert_within_two_minutes_and_no_wrong_one(watched: Watched, fault: str) -> None:
    if alarms.kept(fault):
        pytest.skip("in the results already")
    alert, may, act, mend = FAULTS[fault]
    found = watched.hear(fault, alert, may, lambda: act(watched), lambda: mend(watched))
    print(found)
    alarms.keep(found)
