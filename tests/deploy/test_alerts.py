"""Each alert fires for its fault, and for no other; it ends with it; a healthy installation raises none, whatever it does."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.alert_cases import (
    BEGIN,
    HEALTHY,
    LONG,
    SHORT,
    STEP_SECONDS,
    TABLES,
    Case,
    Values,
    gone,
    growing,
    growing_since,
    grown_by,
    steady,
)
from tests.support.source import ROOT

RULES = ROOT / "deploy" / "prometheus" / "rules" / "alerts.yml"
LONG_AGO = 11 * 60
"""Seconds after which what is counted over ten minutes is forgotten."""


def fires(alert: str, changed: dict[str, Values], **more: Any) -> Case:
    name = more.pop("name", alert)
    return Case(name, changed, frozenset({alert, *more.pop("also", ())}), **more)


def slow(name: str, rate: float, seconds: float, bounds: Sequence[float]) -> dict[str, Values]:
    """Buckets of observations that take so long from now on."""
    begin = BEGIN - 1

    def bucket(bound: float) -> Values:
        before = growing(rate if bound >= 2.0 or bound >= 0.01 else 0)
        return lambda sample: (before(begin) or 0) + (rate * (sample - begin) * STEP_SECONDS if seconds <= bound else 0)

    return {f'{name}_bucket&le="{bound}"': bucket(bound) for bound in bounds if bound >= (2.0 if bounds is LONG else 0.01)}


def since(first: int, values: Values) -> Values:
    """What is there from a sample on only."""
    return lambda sample: None if sample < first else values(sample - first)


def restarts(sample: int) -> float | None:
    """A part that answers again after fifteen seconds."""
    return None if sample < BEGIN + 3 else 0


def down_for_a_moment(sample: int) -> float:
    return 0 if sample < BEGIN + 3 else 1


CASES = [
    # What stops play or payment.
    fires("PartDown", {'instance="b:7201"': gone, 'up{job="table",instance="b:7201"': steady(0)}),
    fires("PartDown", {'instance="w1:7401"': gone, 'up{job="settlement-worker",instance="w1:7401"': steady(0)}, name="one worker of two"),
    fires("FewerParts", {'instance="b:7201"': gone}, lasts=1200, ends=600, name="a server that was taken away"),
    fires("NoPart", {'job="table"': gone}),
    fires("NoPart", {'job="matchmaking"': gone}, name="NoPart matchmaking"),
    fires("NoPart", {'job="settlement"': gone}, name="NoPart settlement"),
    fires("NoWorker", {'job="settlement-worker"': gone}, name="no worker is known"),
    fires(
        "NoWorker",
        {'job="settlement-worker"': gone, 'up{job="settlement-worker"': steady(0)},
        also=["PartDown"],
        name="no worker answers",
    ),
    fires("NoWorker", {'link="jobs"': steady(0)}, also=["BrokerAway"], name="no worker is connected"),
    fires("PartNotServing", {'serving_faults{job="table",instance="a:7201"': steady(1)}),
    fires("BackgroundDied", {'serving_deaths_total{job="table",instance="a:7201"': grown_by(1)}, ends=LONG_AGO),
    fires("RpcErrors", {'handled_total{job="settlement"&INTERNAL': growing_since(2)}, ends=300),
    fires("LoopBlocked", {'lag_max_seconds{job="table",instance="a:7201"': steady(1.5)}, name="LoopBlocked for a moment"),
    fires("LoopBlocked", {'lag_max_seconds{job="table",instance="a:7201"': steady(30)}),
    fires("PlayerKeysUnusable", {'player_keys_unusable{job="table"': steady(1)}),
    fires("CertificateExpires", {'certificate_expires_timestamp_seconds{job="table",instance="a:7201"': steady(6 * 86400)}),
    fires(
        "DatabaseAway",
        {"database_reachable": steady(0), "lease_valid": steady(0), "outbox_oldest": gone, "seats_connected": steady(0), "ledger_": gone},
        name="the database is away for all",
    ),
    fires("DatabaseAway", {'database_reachable{job="settlement",': steady(0)}, name="the database is away for one part"),
    fires("BrokerAway", {'link="outcomes"': steady(0)}),
    fires("DiskFilling", {"node_filesystem_avail": steady(5e9)}),
    fires("DiskFilling", {"rabbitmq_disk_space_available_bytes": steady(1.5e9)}, name="RabbitMQ's disk"),
    fires(
        "DiskFilling",
        {"disk_free_ratio": steady(0.05)},
        added={'xuezhan_part_disk_free_ratio{job="table",instance="a:7201",what="database"}': steady(0.6)},
        name="a part's own disk",
    ),
    fires("MetricsMissing", {'standing_still{job="table",instance="a:7201"': gone}),
    fires("MetricsMissing", {'queue="xuezhan': gone}, name="RabbitMQ does not tell of its queues"),
    fires("MetricsMissing", {'job="rabbitmq"': gone}, name="RabbitMQ is not scraped"),
    fires("MetricsMissing", {"outbox_oldest": gone}, name="a figure of the database is not read"),
    # Coins.
    fires("CoinsUnsettled", {"outbox_oldest": lambda sample: (sample - BEGIN) * STEP_SECONDS}, name="coins of tables that nobody owns"),
    fires("CoinsUnsettled", {"oldest_item_seconds": steady(70)}),
    fires("CoinsUnsettled", {"oldest_unsettled": steady(70)}, name="coins wait in settlement"),
    fires("SettlementStuck", {"stuck_tables": steady(1)}),
    fires("SettlementRefused", {'refused_total{job="settlement-worker",instance="w1:7401"': grown_by(1)}, ends=LONG_AGO),
    fires("LedgerOff", {"ledger_findings": steady(1)}),
    fires("LedgerUnchecked", {"ledger_checked": steady(-4000)}, lasts=600, by=400),
    Case("a ledger that is checked for the first time", {"ledger_checked": steady(-1e9)}, lasts=180, by=150),
    fires("BadMessages", {'bad_messages_total{job="table",instance="a:7201"': grown_by(1)}, ends=LONG_AGO),
    fires("StaleJobs", {"stale_messages": growing_since(5)}, lasts=1200, by=900, ends=600),
    fires("DeadJobs", {"xuezhan.settlement.dead": steady(1)}),
    # Play.
    fires("LeaseLost", {'lease_valid{job="table",instance="a:7201"': steady(0)}),
    fires("NoActions", {"actions_total": lambda _: 20 * (BEGIN - 1) * STEP_SECONDS}),
    fires("TablesStandStill", {'standing_still{job="table",instance="a:7201"': steady(2)}),
    fires("ActionsSlow", slow("action_durable_seconds", 20, 0.4, SHORT)),
    fires("JournalSlow", slow("journal_commit_seconds", 20, 0.9, SHORT)),
    fires("FairnessFault", {"fairness_faults": grown_by(1)}, ends=LONG_AGO),
    fires("TablesAlarmed", {'alarms_total{job="table",instance="a:7201"': grown_by(1)}, ends=LONG_AGO),
    fires("TablesSetAside", {'set_aside{job="table",instance="a:7201"': steady(1)}),
    fires("RulesMissing", {'rules_missing{job="table",instance="a:7201"': steady(1)}),
    fires("ManySeatsOnAuto", {"seats_on_auto": steady(60)}, lasts=600, by=480),
    fires("StreamsOverflow", {"overflows_total": growing_since(3)}, lasts=900, by=660, ends=600),
    fires("TicketsWaiting", {"tickets_waiting": steady(40), "matches_total": lambda _: (BEGIN - 1) * STEP_SECONDS}),
    fires("TicketsWaiting", slow("match_wait_seconds", 4, 100.0, LONG), by=280, ends=900, name="players wait for more than a minute"),
    fires("SeatingFails", {"seating_failures": growing_since(2)}),
    # What is no fault.
    Case("a healthy installation that plays", {}, lasts=1800, by=1500),
    Case("an idle installation", {"tickets_waiting": steady(0)}, lasts=1200, by=900),
    Case("a broker that is away for a moment", {'link="': lambda sample: 0 if sample < BEGIN + 4 else 1}),
    Case("one slow batch", {'journal_commit_seconds_bucket{job="table",instance="a:7201"&le="0.5"': lambda s: 20 * s * STEP_SECONDS - 100}),
    Case("an untimed room in which nobody acts", {"turn_seconds": steady(0), "actions_total": lambda _: 20 * (BEGIN - 1) * STEP_SECONDS}),
    Case("a room of long turns", {"turn_seconds": steady(300), "actions_total": lambda _: 20 * (BEGIN - 1) * STEP_SECONDS}),
    Case("the last table closes", {"seats_connected": steady(0), "actions_total": lambda _: 20 * (BEGIN - 1) * STEP_SECONDS}),
    Case("a burst of seatings that fail", {"seating_failures": grown_by(30)}),
    Case(
        "a table server is added",
        {},
        added={
            'up{job="table",instance="d:7201"}': lambda sample: None if sample < BEGIN else 1,
            **{
                name.replace(TABLES[0], "d:7201"): since(BEGIN + 5, values)
                for name, values in HEALTHY.items()
                if TABLES[0] in name and not name.startswith("up{")
            },
        },
    ),
    Case("a load run ends", {'job="load"': gone, 'up{job="load"': steady(0)}),
    *(
        Case(
            f"a table server restarts: {instance}",
            {
                f'instance="{instance}"': gone,
                f'up{{job="table",instance="{instance}"': down_for_a_moment,
                f'_total{{job="table",instance="{instance}"': restarts,
            },
            lasts=20,
            by=15,
        )
        for instance in TABLES[:1]
    ),
]


def notation(values: Sequence[float | None]) -> str:
    """Values as promtool reads them."""
    words = []
    for place, value in enumerate(values):
        if value is None:
            words.append("stale" if place and values[place - 1] is not None else "_")
        else:
            words.append(f"{value:.6g}" if abs(value) < 1e6 else repr(value))
    return " ".join(words)


def expects(seconds: int, alerts: Sequence[str]) -> dict[str, Any]:
    return {
        "expr": 'group by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": f"{seconds}s",
        "exp_samples": [{"labels": json.dumps({"alertname": name}).replace('"alertname": ', "alertname="), "value": 1} for name in alerts],
    }


def as_test(case: Case) -> dict[str, Any]:
    begin = BEGIN * STEP_SECONDS
    end = begin + case.lasts
    return {
        "name": case.name,
        "interval": f"{STEP_SECONDS}s",
        "input_series": [{"series": name, "values": notation(values)} for name, values in case.series().items()],
        "promql_expr_test": [
            expects(begin - STEP_SECONDS, []),
            expects(begin + case.by, sorted(case.alerts)),
            expects(end + case.ends, []),
        ],
    }


def promtool(folder: Path, tests: Sequence[dict[str, Any]]) -> None:
    file = folder / "alerts_test.json"
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "15s", "tests": tests}))
    ran = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.usefixtures("require_prometheus")
def test_each_fault_raises_its_alert_and_no_other_and_health_raises_none(tmp_path: Path) -> None:
    promtool(tmp_path, [as_test(case) for case in CASES])


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_every_alert_has_a_case_that_raises_it() -> None:
    assert {alert for case in CASES for alert in case.alerts} == {rule["alert"] for rule in rules()}


def test_every_alert_says_what_it_means_what_to_do_and_where_more_is_written() -> None:
    for rule in rules():
        said = rule["annotations"]
        assert rule["for"]
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert said["summary"]
        assert len(said["summary"]) < 120
        assert said["do"][-1] in ".?"
        assert said["runbook"] == f"docs/runbook/{rule['alert']}.md"
