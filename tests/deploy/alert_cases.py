"""An installation as Prometheus sees it, in health and with each fault: what the tests of the alerts are made of.

Time goes in samples of five seconds. In every case all is well for three minutes, then something is wrong, and then all is well again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

STEP_SECONDS: Final = 5
BEGIN: Final = 3 * 60 // STEP_SECONDS
"""The sample with which the fault begins."""

Values = Callable[[int], float | None]
"""The value of each sample; None: there is no series then."""


def steady(value: float) -> Values:
    return lambda _: value


def growing(rate: float) -> Values:
    """A counter that grows by so much a second."""
    return lambda sample: rate * sample * STEP_SECONDS


def grown_by(amount: float) -> Values:
    """A counter that grew by so much as the fault began."""
    return lambda sample: amount if sample >= BEGIN else 0


def growing_since(rate: float) -> Values:
    """A counter that grows by so much a second from the beginning of the fault."""
    return lambda sample: rate * max(0, sample - BEGIN) * STEP_SECONDS


def clock(late_seconds: float) -> Values:
    """A moment so many seconds ago; the time of the tests begins at 0."""
    return lambda sample: sample * STEP_SECONDS - late_seconds


def gone(_sample: int) -> None:
    """There is no such series."""
    return


def _of_part(job: str, instance: str, links: Sequence[str] = ()) -> dict[str, Values]:
    at = f'job="{job}",instance="{instance}"'
    found = {
        f"up{{{at}}}": steady(1),
        f"xuezhan_part_database_reachable{{{at}}}": steady(1),
        f'xuezhan_part_serving_faults{{{at},what="database"}}': steady(0),
        f'xuezhan_part_serving_deaths_total{{{at},what="database"}}': steady(0),
        f"xuezhan_part_certificate_expires_timestamp_seconds{{{at}}}": steady(90 * 86400),
    }
    for link in links:
        found[f'xuezhan_part_broker_connected{{{at},link="{link}"}}'] = steady(1)
        found[f'xuezhan_part_bad_messages_total{{{at},kind="items",reason="unsigned"}}'] = steady(0)
    if job != "settlement-worker":
        found[f"xuezhan_part_loop_lag_max_seconds{{{at}}}"] = steady(0.03)
        found[f"xuezhan_part_player_keys_unusable{{{at}}}"] = steady(0)
        call = f'{at},grpc_service="s",grpc_method="Call"'
        found[f'grpc_server_handled_total{{{call},grpc_code="OK"}}'] = growing(10)
        found[f'grpc_server_handled_total{{{call},grpc_code="INTERNAL"}}'] = steady(0)
    return found


def _histogram(name: str, labels: str, rate: float, seconds: float, bounds: Sequence[float]) -> dict[str, Values]:
    """A histogram of so many observations a second, each of so many seconds."""
    found = {f'{name}_bucket{{{labels},le="{bound}"}}': growing(rate if seconds <= bound else 0) for bound in bounds}
    return found | {f'{name}_bucket{{{labels},le="+Inf"}}': growing(rate), f"{name}_count{{{labels}}}": growing(rate)}


SHORT: Final = (0.01, 0.1, 0.25, 0.5, 1.0, 5.0)
LONG: Final = (1.0, 30.0, 60.0, 120.0)
ROOM: Final = 'game="crazy_xuezhan",tier="mayou"'


def _table(instance: str) -> dict[str, Values]:
    at = f'job="table",instance="{instance}"'
    room = f"{at},{ROOM}"
    return {
        **_of_part("table", instance, ["outcomes"]),
        f"xuezhan_table_lease_valid{{{at}}}": steady(1),
        f"xuezhan_table_turn_seconds{{{room}}}": steady(15),
        f"xuezhan_table_seats_connected{{{room}}}": steady(100),
        f"xuezhan_table_seats{{{room}}}": steady(100),
        f"xuezhan_table_seats_on_auto{{{room}}}": steady(3),
        f"xuezhan_table_standing_still{{{room}}}": steady(0),
        f"xuezhan_table_actions_total{{{room}}}": growing(20),
        f"xuezhan_table_outbox_oldest_seconds{{{at}}}": steady(0.4),
        f"xuezhan_table_oldest_item_seconds{{{at}}}": steady(0.4),
        f"xuezhan_table_set_aside{{{at}}}": steady(0),
        f"xuezhan_table_rules_missing{{{at}}}": steady(0),
        f'xuezhan_table_alarms_total{{{at},what="replay_failed"}}': steady(0),
        f'xuezhan_table_overflows_total{{{at},of="stream"}}': steady(0),
        **_histogram("xuezhan_table_action_durable_seconds", at, 20, 0.01, SHORT),
        **_histogram("xuezhan_table_journal_commit_seconds", at, 20, 0.01, SHORT),
    }


def _settlement(job: str, instance: str) -> dict[str, Values]:
    at = f'job="{job}",instance="{instance}"'
    found = {
        **_of_part(job, instance, ["jobs"] if job == "settlement-worker" else []),
        f"xuezhan_settlement_oldest_unsettled_seconds{{{at}}}": steady(0),
        f"xuezhan_settlement_stuck_tables{{{at}}}": steady(0),
    }
    if job == "settlement-worker":
        found[f'xuezhan_settlement_refused_total{{{at},reason="body"}}'] = steady(0)
        found[f"xuezhan_settlement_stale_messages_total{{{at}}}"] = steady(0)
    else:
        found[f"xuezhan_settlement_ledger_checked_timestamp_seconds{{{at}}}"] = clock(300)
        found[f'xuezhan_settlement_ledger_findings{{{at},check="zero_sum"}}'] = steady(0)
    return found


def _matchmaking(instance: str) -> dict[str, Values]:
    at = f'job="matchmaking",instance="{instance}"'
    return {
        **_of_part("matchmaking", instance),
        f"xuezhan_matchmaking_tickets_waiting{{{at},{ROOM}}}": steady(3),
        f"xuezhan_matchmaking_matches_total{{{at},{ROOM}}}": growing(1),
        f'xuezhan_matchmaking_seating_failures_total{{{at},step="open",reason="full"}}': steady(0),
        **_histogram("xuezhan_matchmaking_match_wait_seconds", f"{at},{ROOM}", 4, 2.0, LONG),
    }


def _machines() -> dict[str, Values]:
    broker, node = 'job="rabbitmq",instance="r:15692"', 'job="node",instance="n:9100"'
    disk = f'{node},mountpoint="/",fstype="ext4"'
    return {
        f"up{{{broker}}}": steady(1),
        f'rabbitmq_queue_messages{{{broker},queue="xuezhan.settlement"}}': steady(2),
        f'rabbitmq_queue_messages{{{broker},queue="xuezhan.settlement.dead"}}': steady(0),
        f"rabbitmq_disk_space_available_bytes{{{broker}}}": steady(50e9),
        f"rabbitmq_disk_space_available_limit_bytes{{{broker}}}": steady(1e9),
        f"up{{{node}}}": steady(1),
        f"node_filesystem_avail_bytes{{{disk}}}": steady(50e9),
        f"node_filesystem_size_bytes{{{disk}}}": steady(100e9),
    }


TABLES: Final = ("a:7201", "b:7201", "c:7201")
HEALTHY: Final[Mapping[str, Values]] = {
    **_matchmaking("m1:7101"),
    **_matchmaking("m2:7101"),
    **{name: values for instance in TABLES for name, values in _table(instance).items()},
    **_settlement("settlement", "s:7301"),
    **_settlement("settlement-worker", "w1:7401"),
    **_settlement("settlement-worker", "w2:7401"),
    **_machines(),
    'up{job="load",instance="l:9400"}': steady(1),
    'xuezhan_client_fairness_faults_total{job="load",instance="l:9400",fault="other_deal"}': steady(0),
}
"""Every series that an alert asks for, of an installation that plays."""


@dataclass
class Case:
    """Something that happens: what is different while it lasts, and which alerts it raises and how soon, if any.

    `changed`: by a part of the name of series. `lasts`: seconds. `by`: seconds after the beginning by which exactly `alerts` fire. `ends`:
    seconds after the end by which none does.
    """

    name: str
    changed: Mapping[str, Values]
    alerts: frozenset[str] = frozenset()
    lasts: int = 180
    by: int = 120
    ends: int = 120
    added: Mapping[str, Values] = field(default_factory=dict)

    def series(self) -> dict[str, list[float | None]]:
        """The values of every series."""
        samples = BEGIN + (self.lasts + self.ends) // STEP_SECONDS + 2
        end = BEGIN + self.lasts // STEP_SECONDS
        found: dict[str, list[float | None]] = {}
        used: set[str] = set()
        for name, healthy in {**HEALTHY, **self.added}.items():
            values = [healthy(sample) for sample in range(samples)]
            for part, changed in self.changed.items():
                if all(piece in name for piece in part.split("&")):
                    used.add(part)
                    values[BEGIN:end] = [changed(sample) for sample in range(BEGIN, end)]
                    if "_total" in name or "_bucket" in name or "_count" in name:
                        values[end:] = _goes_on(values, end, healthy)
            found[name] = values
        assert used == set(self.changed), f"{self.name}: no series of {set(self.changed) - used}"
        return found


def _goes_on(values: Sequence[float | None], end: int, healthy: Values) -> list[float | None]:
    """A counter goes on from where it was: as fast as in health."""
    last = values[end - 1]
    if last is None:
        return [healthy(sample) for sample in range(end, len(values))]
    return [last + (healthy(sample) or 0) - (healthy(end - 1) or 0) for sample in range(end, len(values))]
