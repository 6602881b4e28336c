"""Law: the arrows between the parts point one way. The contracts are in pyproject.toml; this shows that they bite."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.source import ROOT

LINTER = Path(sys.executable).parent / "lint-imports"


def lint(folder: Path) -> tuple[int, str]:
    done = subprocess.run([LINTER, "--no-logo", "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in ("games", "services", "xuezhan"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_the_import_contracts_hold() -> None:
    status, output = lint(ROOT)
    assert status == 0, output


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("games", "services.kit"),
        ("games", "time"),
        ("games", "socket"),
        ("games", "sqlalchemy"),
        ("services.table", "services.settlement"),
        ("services.kit", "services.table"),
        ("services.matchmaking", "xuezhan.client"),
        ("xuezhan.client", "games"),
    ],
)
def test_an_arrow_the_wrong_way_is_found(copy: Path, module: str, imported: str) -> None:
    trespasser = copy / module.replace(".", "/") / "trespasser.py"
    trespasser.write_text(f"import {imported}\n")
    try:
        status, output = lint(copy)
    finally:
        trespasser.unlink()
    assert status == 1
    assert f"{module}.trespasser -> {imported}" in output
