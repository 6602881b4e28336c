"""`up` with a certificate: commands find the CA in its data folder and need no other word."""

from __future__ import annotations

import json
import ssl
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.cli.command import XUEZHAN, xuezhan
from tests.e2e.installation import assert_whole, free_base, report
from tests.support.certificates import Authority
from tests.support.process import Process


def start_up(folder: Path, env: dict[str, str]) -> Process:
    command: list[str | Path] = [XUEZHAN, "up", "--fast", "--data", folder / "data", "--port-base", str(free_base())]
    process = Process(command, log=folder / "up.log", env=env)
    process.start()
    process.wait_ready(lambda: "xuezhan is up" in process.output(), seconds=60)
    return process


def with_tls(authority: Authority) -> dict[str, str]:
    pair = authority.issue()
    return {
        "XUEZHAN_TLS_CERTIFICATE_FILE": str(pair.certificate),
        "XUEZHAN_TLS_KEY_FILE": str(pair.key),
        "XUEZHAN_CA_FILE": str(authority.file),
    }


def test_a_load_plays_over_tls_every_coin_in_its_place_and_the_metrics_speak_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    up = start_up(tmp_path, with_tls(authority))
    try:
        command: list[str | Path] = [XUEZHAN, "load", "--game", "crazy_xuezhan", "--bots", "greedy", "--tables", "4", "--json"]
        with Process([*command, "--data", tmp_path / "data"], log=tmp_path / "load.log") as load:
            assert_whole(report(load, seconds=100), hands=4)
        running = json.loads((tmp_path / "data" / "running.json").read_text())
        context = ssl.create_default_context(cafile=str(authority.file))
        for address in running["metrics"].values():
            with urllib.request.urlopen(f"https://{address}/metrics", timeout=5, context=context) as answer:
                assert b"xuezhan_part_certificate_expires_timestamp_seconds" in answer.read()
        wrong = xuezhan("tables", "--data", tmp_path / "data", env={"XUEZHAN_CA_FILE": str(Authority(tmp_path, "other").file)})
        assert (wrong.status, wrong.out) == (1, "")
        assert wrong.err == (
            f"xuezhan: tls: {running['table']}: its certificate is not signed by the CA in the CA file: name the CA file of that server\n"
        )
    finally:
        up.terminate()


def test_handshakes_that_are_broken_off_by_the_thousand_neither_end_a_server_nor_fill_its_log(tmp_path: Path) -> None:
    up = start_up(tmp_path, with_tls(Authority(tmp_path)))
    try:
        before = len(up.output())
        running = json.loads((tmp_path / "data" / "running.json").read_text())
        flood = [sys.executable, "-m", "tests.support.flood", running["table"], "greetings", "--connections", "100", "--seconds", "4"]
        with Process(flood, log=tmp_path / "flood.log") as broken:
            assert broken.wait(seconds=30) == 0
            assert json.loads(broken.output())["answers"] > 500
        listed = xuezhan("tables", "--data", tmp_path / "data")
        assert (listed.status, up.running) == (0, True), up.output()[-2000:]
        assert len(up.output()) - before < 5_000
    finally:
        up.terminate()


def test_without_a_certificate_it_does_not_mind_the_ca_of_another_installation(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    up = start_up(tmp_path, {"XUEZHAN_CA_FILE": str(authority.file)})
    try:
        assert xuezhan("tables", "--data", tmp_path / "data").status == 0
        lost = xuezhan("tables", "--data", tmp_path / "data", env={"XUEZHAN_CA_FILE": str(authority.file)})
        assert lost.status == 1
        assert lost.err.endswith("it does not speak TLS: leave out the CA file (unset XUEZHAN_CA_FILE)\n")
    finally:
        up.terminate()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"XUEZHAN_TLS_CERTIFICATE_FILE": "server.pem"}, "tls_key_file: it is not set; a certificate and its key go together"),
        (
            {"XUEZHAN_TLS_CERTIFICATE_FILE": "server.pem", "XUEZHAN_TLS_KEY_FILE": "server.key"},
            "ca_file: it is not set; with tls_certificate_file the parts reach one another by TLS, too",
        ),
    ],
)
def test_half_a_configuration_is_one_line_that_names_the_setting(tmp_path: Path, given: dict[str, str], says: str) -> None:
    ran = xuezhan("up", "--data", tmp_path / "data", "--port-base", 0, env=given)
    assert (ran.status, ran.err) == (2, f"xuezhan: {says}\n")
