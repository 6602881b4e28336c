"""Law: the tests of the house see the same files in a checkout and in an unpacked archive."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.source import ROOT, listed_by_git, listed_by_tree

PATTERNS = [(), ("*.py",), ("tests/*.py",), ("docs",), ("*.py", ":!*/migrations/versions/*"), (":!tests",)]
GENERATED = [
    ".venv/lib/module.py",
    ".venv/.run",
    "xuezhan/api/table/v1/table_pb2.py",
    "games/__pycache__/deal.cpython-311.pyc",
    ".mypy_cache/3.11/cache.json",
    ".hypothesis/unicode_data/codec.json.gz",
    ".coverage",
    "xuezhan.egg-info/PKG-INFO",
    "xuezhan-data/table.db",
    "bench/results/1.json",
    "deploy/.env",
]
WRITTEN = ["games/deal.py", "docs/rules/deal.md", "services/table/migrations/versions/0001_tables.py", "tests/api/table.py", "run/.env"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")
@pytest.mark.parametrize("patterns", PATTERNS)
def test_the_checkout_and_its_tree_list_the_same_files(patterns: tuple[str, ...]) -> None:
    listed = listed_by_tree(ROOT, patterns)
    assert listed == listed_by_git(ROOT, patterns)
    assert listed


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("patterns", PATTERNS)
def test_what_is_generated_or_cached_is_in_neither_list(tmp_path: Path, patterns: tuple[str, ...]) -> None:
    shutil.copy(ROOT / ".gitignore", tmp_path)
    for name in GENERATED + WRITTEN:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    listed = listed_by_tree(tmp_path, patterns)
    assert listed == listed_by_git(tmp_path, patterns)
    assert not {tmp_path / name for name in GENERATED} & set(listed)
    if not patterns:
        assert {path.relative_to(tmp_path).as_posix() for path in listed} == {".gitignore", *WRITTEN}
