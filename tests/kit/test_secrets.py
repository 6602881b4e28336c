import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.kit.secrets import Secrets, SecretsError, load, load_or_create

KEY = "0" * 64
RING = {"current": "k1", "keys": {"k1": KEY}}
GOOD = {"tokens": RING, "items": RING, "deal": RING}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.secrets" / "keys.json"


def write(path: Path, content: str, mode: int = 0o600) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    path.chmod(mode)


def test_fresh_keys_are_for_their_owner_alone_and_last(path: Path) -> None:
    made = load_or_create(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert load_or_create(path) == load(path) == made
    assert [file.name for file in path.parent.iterdir()] == ["keys.json"]


def test_the_three_rings_share_no_key(path: Path) -> None:
    made = load_or_create(path)
    assert len({ring.signing()[1] for ring in (made.tokens, made.items, made.deal)}) == 3


def test_processes_that_start_together_agree_on_one_set_of_keys(path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: load_or_create(path), range(8)))
    assert all(each == made[0] for each in made)


def test_a_secret_is_not_shown_where_a_ring_is_printed(path: Path) -> None:
    made = load_or_create(path)
    assert made.tokens.signing()[1].decode() not in f"{made!r} {made}"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
def test_a_file_that_others_may_read_is_refused(path: Path, mode: int) -> None:
    write(path, json.dumps(GOOD), mode)
    with pytest.raises(SecretsError, match="chmod 600"):
        load(path)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("", "content"),
        ("[]", "content"),
        (json.dumps({"tokens": RING, "items": RING}), "deal"),
        (json.dumps({**GOOD, "more": RING}), "more"),
        (json.dumps({**GOOD, "items": {"current": "k2", "keys": {"k1": KEY}}}), "items"),
        (json.dumps({**GOOD, "items": {"current": "k1", "keys": {"k1": "short"}}}), "items.keys.k1"),
    ],
)
def test_an_unusable_file_is_named_with_the_field_and_no_key(path: Path, content: str, where: str) -> None:
    write(path, content)
    with pytest.raises(SecretsError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert where in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_missing_file_or_folder_is_named(path: Path) -> None:
    with pytest.raises(SecretsError, match=r"keys\.json"):
        load(path)
    path.parent.write_text("a file, not a folder")
    with pytest.raises(SecretsError, match=r"keys\.json"):
        load_or_create(path)


def test_bytes_that_are_no_text_are_refused(path: Path) -> None:
    write(path, "")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SecretsError, match="content"):
        load(path)


def test_what_a_crash_left_behind_is_in_nobodys_way(path: Path) -> None:
    path.parent.mkdir()
    (path.parent / f".keys.json.{os.getpid()}").write_text("half")
    assert isinstance(load_or_create(path), Secrets)
