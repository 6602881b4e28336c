"""Files with keys in them: read only where their owner alone may, written so that a loss of power leaves the old one or the new one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from services.kit.secrets import SecretsError

MAX_BYTES: Final = 1024 * 1024
_OTHERS: Final = 0o077
_OTHERS_WRITE: Final = 0o022
_DRAFT: Final = ".draft-"
_LOCK: Final = ".lock"


def read_secret(path: Path) -> bytes:
    """Read a file that only its owner may read. Raises SecretsError."""
    return _read(path, _OTHERS, "may be read by others: chmod 600")


def read_public(path: Path) -> bytes:
    """Read a file that anybody may read and only its owner may write. Raises SecretsError."""
    return _read(path, _OTHERS_WRITE, "may be written by others: chmod go-w")


def check_folder(path: Path) -> None:
    """Check that a folder is its owner's alone. Raises SecretsError."""
    if _mode(path) & _OTHERS:
        raise SecretsError(f"secrets folder {path} may be read by others: chmod 700 {path}")


def check_parent(path: Path) -> None:
    """Check that only its owner can change what is in a folder of folders. Raises SecretsError."""
    if _mode(path) & _OTHERS_WRITE:
        raise SecretsError(f"secrets folder {path} may be changed by others: chmod go-w {path}")


def _mode(path: Path) -> int:
    try:
        if not path.is_dir():
            raise SecretsError(f"secrets folder {path}: there is no such folder")
        return path.stat().st_mode
    except OSError as error:
        raise SecretsError(f"secrets folder {path}: {error.strerror}") from error


def _read(path: Path, forbidden: int, complaint: str) -> bytes:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SecretsError(f"secrets file {path}: {error.strerror}") from error
    if mode & forbidden:
        raise SecretsError(f"secrets file {path} {complaint} {path}")
    if len(data) > MAX_BYTES:
        raise SecretsError(f"secrets file {path}: it has more than {MAX_BYTES} bytes")
    return data


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Have a folder of keys for oneself, which is made if need be: processes that start together change it one after the other."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        for left in folder.glob(f"{_DRAFT}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield
    finally:
        os.close(descriptor)


def write(path: Path, data: bytes) -> None:
    """Write a file of the owner's alone, in place of the one that is there. Call it under `locked`."""
    draft = path.with_name(f"{_DRAFT}{secrets.token_hex(8)}")
    _write_new(draft, data)
    draft.replace(path)
    sync_folder(path.parent)


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder with its files, by their paths in it: all of them or none. Call it under `locked`."""
    draft = path.with_name(f"{_DRAFT}{secrets.token_hex(8)}")
    draft.mkdir(mode=0o700)
    for name, data in files.items():
        file = draft / name
        for parent in reversed(file.relative_to(draft).parents):
            (draft / parent).mkdir(exist_ok=True, mode=0o700)
        _write_new(file, data)
    for folder, _, _ in os.walk(draft):
        sync_folder(Path(folder))
    draft.rename(path)
    sync_folder(path.parent)


def _write_new(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make names in a folder survive a loss of power as the files' content does."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
