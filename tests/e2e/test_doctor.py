"""`xuezhan doctor` on whole installations that are broken in one way each: it names that, and nothing else."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import XUEZHAN, Ran, xuezhan
from tests.e2e.installation import FAST_ROOMS, Embedded, Large
from tests.support.certificates import Authority
from tests.support.postgres import Postgres
from tests.support.process import Process, ProcessError, wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    with Large(tmp_path_factory.mktemp("doctor"), postgres, rabbitmq, FAST_ROOMS) as installation:
        yield installation


def doctor(of: Large | Embedded, *options: str) -> Ran:
    """What it says, and that it does not take too long."""
    begun = time.monotonic()
    ran = xuezhan("doctor", *options, *of.where())
    assert time.monotonic() - begun < 20
    return ran


def found(of: Large | Embedded) -> list[dict[str, Any]]:
    ran = doctor(of, "--json")
    assert ran.status == bool(ran.lines), ran
    return ran.lines


def until_found(of: Large | Embedded, *expected: str) -> list[dict[str, Any]]:
    """Ask until it finds what is expected and nothing else: a fault takes a moment to be known."""
    last: list[list[dict[str, Any]]] = [[]]

    def told() -> bool:
        # A part that was frozen says for a minute that it stood still.
        last[0] = [one for one in found(of) if one["what"] != "loop_blocked"]
        return [one["what"] for one in last[0]] == list(expected)

    try:
        wait_until(told, seconds=60, what=f"{expected} found")
    except ProcessError as late:
        raise AssertionError(f"{late}; the last: {json.dumps(last[0])}") from None
    return last[0]


def test_all_is_well_in_one_line(large: Large) -> None:
    until_found(large)
    ran = doctor(large)
    assert (ran.status, ran.out, ran.err) == (0, "all well\n", "")


@pytest.mark.parametrize("part", ["matchmaking", "table", "settlement"])
def test_a_part_that_is_down_is_named_with_its_address(large: Large, part: str) -> None:
    large.kill(part)
    (one,) = until_found(large, "part_down")
    assert one["about"] == [large.addresses[part]]
    assert f"{large.addresses[part]} is down: nothing listens there" in doctor(large).out
    large.start(part)
    until_found(large)


@pytest.mark.parametrize("part", ["table", "settlement"])
def test_a_part_that_is_frozen_is_told_from_one_that_is_down(large: Large, part: str) -> None:
    large.parts[part].signal(signal.SIGSTOP)
    try:
        (one,) = until_found(large, "part_frozen")
    finally:
        large.parts[part].signal(signal.SIGCONT)
    assert one["about"] == [large.addresses[part]]
    until_found(large)


def test_that_no_worker_is_there_is_said_before_any_coin_waits(large: Large) -> None:
    large.kill("worker")
    until_found(large, "no_worker")
    large.start("worker")
    until_found(large)


def test_a_broker_that_is_away_is_one_sentence_and_not_one_of_missing_workers_too(large: Large, rabbitmq: RabbitMQ) -> None:
    rabbitmq.kill()
    try:
        until_found(large, "broker_away")
    finally:
        rabbitmq.start()
    until_found(large)


def test_a_database_that_is_away_is_one_sentence(large: Large, postgres: Postgres) -> None:
    postgres.kill()
    try:
        wait_until(lambda: [len(one["about"]) for one in until_found(large, "database_away")] == [3], seconds=30, what="each part tells")
    finally:
        postgres.start()
    until_found(large)


def test_an_installation_that_does_not_run_is_one_sentence(tmp_path: Path) -> None:
    with Embedded(tmp_path) as up:
        assert found(up) == []
        up.process.kill()
        (one,) = found(up)
    assert (one["what"], len(one["about"])) == ("nothing_runs", 3)


def test_certificates_that_end_soon_are_one_sentence(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    pair = authority.issue(ends=timedelta(days=3))
    env = {
        "XUEZHAN_TLS_CERTIFICATE_FILE": str(pair.certificate),
        "XUEZHAN_TLS_KEY_FILE": str(pair.key),
        "XUEZHAN_CA_FILE": str(authority.file),
    }
    command: list[str | Path] = [XUEZHAN, "up", "--fast", "--data", tmp_path / "data", "--port-base", "0"]
    up = Process(command, log=tmp_path / "up.log", env=env)
    up.start()
    try:
        up.wait_ready(lambda: "xuezhan is up" in up.output(), seconds=60)
        ran = xuezhan("doctor", "--data", tmp_path / "data")
    finally:
        up.terminate()
    (one,) = ran.out.splitlines()[::2]
    assert ran.status == 1
    assert one.startswith("certificates end soon: that of settlement at 127.0.0.1:")
    assert one.count("in 3.0 days") == 3
