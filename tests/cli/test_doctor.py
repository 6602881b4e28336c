"""What the doctor makes of what the parts say: one cause is one sentence, worst first."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from xuezhan.api.part.v1 import part_pb2 as pb
from xuezhan.api.table.v1 import table_pb2 as table
from xuezhan.cli.doctor import ask
from xuezhan.cli.doctor.ask import Asked, State
from xuezhan.cli.doctor.judge import judge
from xuezhan.client import Channels

NOW = 1_800_000_000.0
ROOM = {"game": "kaxinwu", "tier": "coins"}


def figure(name: str, value: float, **labels: str) -> pb.Figure:
    return pb.Figure(name=name, value=value, labels=labels)


def part(role: str, *figures: pb.Figure, version: str = "1", **what: Any) -> Asked:
    """A part that answers with these figures."""
    told = pb.GetPartResponse(role=role, name=f"{role}-1", version=version, figures=figures, faults=what.pop("faults", ()))
    return Asked(role, f"{role}:1", part=told, **what)


def named(*asked: Asked) -> list[str]:
    return [finding.what for finding in judge(asked, NOW)]


@pytest.mark.parametrize(
    ("name", "good", "bad", "what"),
    [
        ("xuezhan_settlement_stuck_tables", 0, 2, "tables_stuck"),
        ("xuezhan_settlement_ledger_imbalance_coins", 0, -5, "ledger_off"),
        ("xuezhan_settlement_ledger_checked_timestamp_seconds", NOW - 900, NOW - 86400, "ledger_unchecked"),
        ("xuezhan_table_set_aside", 0, 1, "tables_set_aside"),
        ("xuezhan_table_rules_missing", 0, 1, "rules_missing"),
        ("xuezhan_table_outbox_oldest_seconds", 20, 129, "coins_unsettled"),
        ("xuezhan_table_lease_valid", 1, 0, "lease_lost"),
        ("xuezhan_table_workers", 1, 0, "no_worker"),
        ("xuezhan_table_workers", -1, 0, "no_worker"),
        ("xuezhan_part_loop_lag_max_seconds", 0.2, 3, "loop_blocked"),
        ("xuezhan_part_disk_free_ratio", 0.5, 0.04, "disk_fills"),
        ("xuezhan_part_player_keys_unusable", 0, 1, "player_keys_unusable"),
        ("xuezhan_matchmaking_oldest_ticket_seconds", 30, 400, "tickets_wait"),
        ("xuezhan_part_certificate_expires_timestamp_seconds", NOW + 30 * 86400, NOW + 86400, "certificate_ends"),
    ],
)
def test_a_figure_that_is_not_as_it_should_be_is_one_sentence(name: str, good: float, bad: float, what: str) -> None:
    assert named(part("table", figure(name, good, **ROOM))) == []
    assert named(part("table", figure(name, good, **ROOM)), part("settlement", figure(name, bad, **ROOM))) in ([what], [])
    assert named(part("table", figure(name, bad, **ROOM))) == [what]


def test_what_follows_from_a_database_or_broker_that_is_away_is_not_told_beside_it() -> None:
    late = figure("xuezhan_table_outbox_oldest_seconds", 300)
    still = figure("xuezhan_table_standing_still", 4, **ROOM)
    lease = figure("xuezhan_table_lease_valid", 0)
    fault = [pb.Fault(what="lease", why="gone")]
    database = part("table", figure("xuezhan_part_database_reachable", 0), late, still, lease, faults=fault, serving=False)
    assert named(database) == ["database_away"]
    broker = part("table", figure("xuezhan_part_broker_connected", 0, link="outcomes"), figure("xuezhan_table_workers", 0), late)
    assert named(broker) == ["broker_away"]
    worker = part("table", figure("xuezhan_part_broker_connected", 1, link="outcomes"), figure("xuezhan_table_workers", 0), late)
    assert named(worker) == ["no_worker"]


def test_the_worst_comes_first_and_each_says_what_to_do() -> None:
    ends = figure("xuezhan_part_certificate_expires_timestamp_seconds", NOW)
    found = judge([part("table", ends), part("settlement", figure("xuezhan_settlement_stuck_tables", 1)), down("matchmaking")], NOW)
    assert [one.what for one in found] == ["part_down", "tables_stuck", "certificate_ends"]
    assert all(one.do and one.says for one in found)


def down(role: str, state: State = State.NOTHING_LISTENS) -> Asked:
    return Asked(role, f"{role}:1", state, detail="no route to host")


def test_parts_that_are_down_frozen_or_cut_off_are_told_apart() -> None:
    well = part("settlement")
    assert named(well, down("table")) == ["part_down"]
    assert named(well, down("table", State.SILENT)) == ["part_frozen"]
    assert named(well, down("table", State.UNREACHABLE)) == ["part_unreachable"]
    assert named(well, Asked("table", "table:1", State.REFUSES, reason="wrong_installation")) == ["wrong_installation"]
    assert named(down("table"), down("settlement"), down("matchmaking")) == ["nothing_runs"]


def test_a_table_server_that_others_miss_is_told_once() -> None:
    lost = [table.TableServer(name="table-2", address="gone:1", state=table.SERVER_STATE_LOST, tables=7)]
    assert named(part("table", servers=lost)) == ["server_lost"]
    assert named(part("table", servers=lost), Asked("table", "gone:1", State.SILENT)) == ["part_frozen"]


def test_versions_and_clocks_that_differ_are_told() -> None:
    assert named(part("table"), part("settlement", version="2")) == ["versions_differ"]
    assert named(part("table", ahead_ms=-1500), part("settlement", ahead_ms=300)) == ["clocks_differ"]
    assert named(part("table", ahead_ms=5000), part("settlement", ahead_ms=5100)) == ["own_clock_differs"]
    assert named(part("table", ahead_ms=600), part("settlement", ahead_ms=-300)) == []
    assert named(part("table", ahead_ms=1500, unsure_ms=600)) == [], "that long the answer took"


def test_a_part_that_does_not_serve_says_why() -> None:
    (one,) = judge([part("settlement", faults=[pb.Fault(what="broker", why="403 ACCESS_REFUSED")], serving=False)], NOW)
    assert one.what == "not_serving"
    assert "broker: 403 ACCESS_REFUSED" in one.says


@pytest.mark.parametrize(("role", "state"), [("table", State.ANSWERS), ("", State.SILENT)])
async def test_a_part_that_has_said_how_it_is_is_not_frozen_though_it_waits_for_its_database(
    monkeypatch: pytest.MonkeyPatch, role: str, state: State
) -> None:
    async def talk(asked: Asked, *_: object) -> None:
        asked.part = pb.GetPartResponse(role=role)
        await asyncio.sleep(60)  # the list of servers

    monkeypatch.setattr(ask, "_talk", talk)
    monkeypatch.setattr(ask, "ANSWER_SECONDS", 0.05)
    listening = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with listening:
        address = f"127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        assert (await ask.ask("table", address, lambda _: "", Channels(0, ""))).state is state
