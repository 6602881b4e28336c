"""What a load run exports: each fault of fairness from 0 on, and counted as soon as a player sees it."""

from __future__ import annotations

import random
import urllib.request
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.figures import written
from tests.support.process import free_port
from xuezhan.cli.errors import CommandError
from xuezhan.cli.load.figures import exported
from xuezhan.cli.load.player import LoadPlayer
from xuezhan.cli.load.tally import Tally
from xuezhan.client import Fault, FaultName, Heard

NAME = "xuezhan_client_fairness_faults_total"


def scrape(port: int) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        return {sample.labels["fault"]: sample.value for family in families for sample in family.samples if sample.name == NAME}


def test_each_fault_begins_at_0_and_is_counted_once_when_a_player_sees_it() -> None:
    assert NAME in written()
    tally, client, port = Tally(), SimpleNamespace(), free_port()
    brain: Any = SimpleNamespace(hear=lambda _heard: None)
    player = LoadPlayer("ann", "", client, tally, lambda: brain, random=random.Random(1))  # type: ignore[arg-type]
    seat: Any = SimpleNamespace(faults=[], table_id="t")
    heard = Heard(1, "seat_taken", None)
    with exported(port, lambda: [tally]):
        player._listen(seat, heard)
        assert scrape(port) == dict.fromkeys(FaultName, 0)
        seat.faults.append(Fault(FaultName.OTHER_DEAL, 1, "another deal"))
        player._listen(seat, heard)
        player._listen(seat, heard)
        assert scrape(port) == {**dict.fromkeys(FaultName, 0), FaultName.OTHER_DEAL: 1}
        with pytest.raises(CommandError, match="--metrics-port"), exported(port, list):
            pass
    assert not tally.good
