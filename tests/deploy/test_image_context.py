"""What a checkout holds besides the project: keys, passwords and data reach neither an image nor a commit."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from pathlib import PurePosixPath

import pytest

from tests.support.source import ROOT

PRIVATE = (
    "secrets/table/key.pem",
    "deploy/.env",
    "xuezhan-data/ledger.db",
    "xuezhan-data.secrets/table/deal.json",
    "xuezhan-data-2/ledger.db",
    "elsewhere/ledger.db",
    "elsewhere.secrets/table/deal.json",
)
"""What README.md and deploy/README.md make in a checkout, and the like."""


def reaches_the_builder(path: str) -> bool:
    """As Docker reads the file: the last pattern counts that matches the path or a folder above it."""
    found = True
    places = [str(place) for place in (PurePosixPath(path), *PurePosixPath(path).parents)]
    for line in (ROOT / "deploy/image/Dockerfile.dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        if not line or line.startswith("#"):
            continue
        depth = pattern.count("/")
        matches = (place for place in places if pattern.startswith("**/") or place.count("/") == depth)
        if any(fnmatch(place, pattern) or fnmatch(f"/{place}", pattern.removeprefix("**")) for place in matches if place != "."):
            found = line.startswith("!")
    return found


@pytest.mark.parametrize("path", PRIVATE)
def test_keys_passwords_and_data_in_a_checkout_are_not_sent_to_the_builder(path: str) -> None:
    assert not reaches_the_builder(path)


@pytest.mark.parametrize("path", PRIVATE)
def test_keys_passwords_and_data_in_a_checkout_are_not_committed(path: str) -> None:
    ran = subprocess.run(["git", "check-ignore", "--quiet", "--no-index", path], cwd=ROOT, check=False)
    assert ran.returncode == 0


def test_what_the_installation_and_the_image_copy_is_sent_to_the_builder() -> None:
    install = (ROOT / "deploy/image/install.sh").read_text()
    parts = re.search(r"for part in (.*); do", install)
    assert parts is not None
    copied = re.findall(r"^COPY ([^-]\S*) ", (ROOT / "deploy/image/Dockerfile").read_text(), re.MULTILINE)
    needed = [*parts[1].split(), "requirements/run.txt", "deploy/image/install.sh", *(path for path in copied if path != ".")]
    for path in needed:
        assert (ROOT / path).exists()
        assert reaches_the_builder(path)
    assert reaches_the_builder("services/table/config.py")
    assert not reaches_the_builder("services/table/__pycache__/config.pyc")
