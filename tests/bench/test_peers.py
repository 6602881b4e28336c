"""The group `peers`: it measures where Node and the packages are at hand, and says why where they are not. No test asks npm's registry."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import peers
from bench.options import Options
from bench.peers import node
from tests.support.source import ROOT

QUICK = Options(1, quick=True)


def test_a_quick_run_measures_both_peers_beside_the_table_server(tmp_path: Path) -> None:
    if not node.is_installed():
        pytest.skip("the peers are installed by `make bench ARGS=peers`")
    command = [sys.executable, "-m", "bench", "peers", "--quick", "--json", str(tmp_path / "figures.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((tmp_path / "figures.json").read_text())
    against = {row["what"].rpartition("against ")[2] for row in written["rows"]}
    assert against == {"boardgame.io in memory", "boardgame.io in files", "Colyseus"}
    assert all(row["value"] > 0 and row["ratio"] > 0 for row in written["rows"])
    assert [row["target"] for row in written["rows"]] == [3.0, None, 3.0, None, None, None]
    assert all(one[0]["accepted"] > 0 for one in written["details"]["peers"].values())


@pytest.fixture
def fake_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a program that stands in for npm and for node; nothing is installed."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("npm", "node"):
        (programs / name).write_text("#!/bin/sh\nexit 0\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.defpath}")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    return programs / "npm"


def test_without_node_the_rows_say_so_and_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    rows, _ = peers.run(QUICK)
    assert [(row.value, row.note, row.failed) for row in rows] == [(None, "left out: no node", False)] * 3


def test_without_the_registry_the_rows_say_so_and_nothing_fails(fake_npm: Path) -> None:
    fake_npm.write_text("#!/bin/sh\necho 'npm error code ENOTFOUND' >&2\nexit 1\n")
    rows, _ = peers.run(QUICK)
    assert [(row.note, row.failed) for row in rows] == [("left out: npm's registry cannot be had (ENOTFOUND)", False)] * 3


def test_packages_that_do_not_fit_the_lock_file_are_a_failure(fake_npm: Path) -> None:
    fake_npm.write_text("#!/bin/sh\necho 'npm error code EINTEGRITY' >&2\nexit 1\n")
    rows, _ = peers.run(QUICK)
    assert [row.failed for row in rows] == [True]
    assert "EINTEGRITY" in rows[0].note


def test_an_installation_that_broke_off_is_made_again(fake_npm: Path) -> None:
    count = fake_npm.with_name("count")
    fake_npm.write_text(f"#!/bin/sh\necho once >> {count}\ntest -e {count}.good\n")
    with pytest.raises(node.InstallError):
        node.install()
    count.with_name("count.good").touch()
    assert node.install() == node.install()
    assert count.read_text() == "once\n" * 2, "and not a third time once it is complete"


def test_the_lock_file_holds_the_versions_asked_for() -> None:
    wanted = json.loads((node.SOURCES / "package.json").read_text())["dependencies"]
    assert wanted == {package: node.package_version(package) for package in wanted}
