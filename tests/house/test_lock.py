"""Law: an environment is what the lock files say, byte for byte, on every machine."""

import re
import tomllib
from typing import Any

import pytest

from tests.support.source import ROOT

PINNED = re.compile(r"^([a-z0-9-]+)==(\S+) \\$", re.MULTILINE)
NAME = re.compile(r"^[A-Za-z0-9._-]+")
LOCKS = {"run": ["build"], "dev": ["build", "dev"], "bench": ["bench"]}


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


def text(lock: str) -> str:
    return (ROOT / "requirements" / f"{lock}.txt").read_text()


def pinned(lock: str) -> dict[str, str]:
    return dict(PINNED.findall(text(lock)))


def wanted(lock: str) -> set[str]:
    lines = [*project()["dependencies"], *(line for extra in LOCKS[lock] for line in project()["optional-dependencies"][extra])]
    return {match[0].lower().replace("_", "-") for line in lines if (match := NAME.match(line))}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_everything_that_the_project_asks_for(lock: str) -> None:
    assert wanted(lock) - set(pinned(lock)) == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_of_a_lock_is_a_version_with_hashes(lock: str) -> None:
    for block in re.split(r"\n(?=\S)", text(lock).strip()):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if lines:
            assert PINNED.match(lines[0] + "\n"), lines[0]
            assert all(line.strip().startswith("--hash=sha256:") for line in lines[1:]), lines
            assert len(lines) > 1, lines


@pytest.mark.parametrize("lock", ["dev", "bench"])
def test_what_is_tested_and_measured_is_what_runs(lock: str) -> None:
    shared = pinned("run").keys() & pinned(lock).keys()
    assert {name for name in shared if pinned("run")[name] != pinned(lock)[name]} == set()
    assert lock == "bench" or shared == pinned("run").keys()
