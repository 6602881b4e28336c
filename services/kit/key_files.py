"""Files with keys in them: read only where their owner alone may, written so that a loss of power leaves the old one or the new one.

Law: keys, and the folders that they are in, belong to the user of this process or to root. No folder above them lets anybody put others in
their place, unless it is sticky. The owners of those folders are trusted, and their groups where a group may write (a home made with the
umask 002): put keys below no folder of a group that may not have them.

A link is followed, as mounted secrets are links: what counts is the file that it leads to. Only root, who keeps an installation's folders
(`locked`), also looks into those that it gave to the roles' users.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Final

from services.kit.private_files import FOLDER_MODE, open_private
from services.kit.secrets import SecretsError

MAX_BYTES: Final = 1024 * 1024
_OTHERS: Final = 0o077
_OTHERS_WRITE: Final = 0o022
_DRAFT: Final = ".draft-"
_LOCK: Final = ".lock"
_keeping: ContextVar[bool] = ContextVar("keeping", default=False)
"""Whether root keeps an installation's folders of keys."""


def read_secret(path: Path) -> bytes:
    """Read a file that only its owner may read. Raises SecretsError."""
    return _read(path, _OTHERS, "may be read by others: chmod 600")


def read_public(path: Path) -> bytes:
    """Read a file that anybody may read and only its owner may write. Raises SecretsError."""
    return _read(path, _OTHERS_WRITE, "may be written by others: chmod go-w")


def check_beside(path: Path) -> str:
    """Look at a file with a secret in it that is no key of ours: a URL with its password, the key of a certificate.

    Returns what to say of it when others may read it, as a group of administrators may; "" when they may not. Raises SecretsError
    where it is somebody else's, or anybody can put another in its place.
    """
    try:
        info = path.stat()
        _check_way(path)
    except OSError as error:
        raise SecretsError(f"{path}: {error.strerror}") from error
    _check_owner(f"secrets file {path}", path, info)
    return f"secrets file {path} may be read by others: chmod 600 {path}" if info.st_mode & _OTHERS else ""


def check_folder(path: Path) -> None:
    """Check that a folder is this user's, or root's, and its owner's alone. Raises SecretsError."""
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
        info = path.stat()
    except OSError as error:
        raise SecretsError(f"secrets folder {path}: {error.strerror}") from error
    _check_owner(f"secrets folder {path}", path, info)
    _check_way(path)
    return info.st_mode


def _check_owner(what: str, path: Path, info: os.stat_result) -> None:
    if not is_ours(info) and not _keeping.get():
        us = os.geteuid()
        raise SecretsError(f"{what} belongs to user {info.st_uid}, neither to root nor to user {us} who runs this: chown -R {us} {path}")


def is_ours(info: os.stat_result) -> bool:
    """Whether something belongs to the user of this process or to root."""
    return info.st_uid in {0, os.geteuid()}


def _check_way(path: Path) -> None:
    """Check that not anybody can put another file or folder in the place of this one, or of one above it. Raises SecretsError."""
    for way in {path.absolute(), path.resolve()}:
        for folder in way.parents:
            mode = folder.stat().st_mode
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                raise SecretsError(f"secrets {path}: anybody may change what is in {folder}: chmod o-w {folder}")


def _read(path: Path, forbidden: int, complaint: str) -> bytes:
    try:
        with path.open("rb") as file:
            info = os.fstat(file.fileno())
            data = file.read(MAX_BYTES + 1)
        folder = path.parent.stat()
        _check_way(path)
    except OSError as error:
        raise SecretsError(f"secrets file {path}: {error.strerror}") from error
    _check_owner(f"secrets file {path}", path, info)
    _check_owner(f"secrets folder {path.parent}", path.parent, folder)
    if info.st_mode & forbidden:
        raise SecretsError(f"secrets file {path} {complaint} {path}")
    if len(data) > MAX_BYTES:
        raise SecretsError(f"secrets file {path}: it has more than {MAX_BYTES} bytes")
    return data


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Have a folder of keys for oneself, which is made if need be: processes that start together change it one after the other.

    Raises SecretsError where others may change what is in the folder, and OSError.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
    check_parent(folder)
    descriptor = open_private(folder / _LOCK)
    keeping = _keeping.set(os.geteuid() == 0)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        for left in folder.glob(f"{_DRAFT}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield
    finally:
        _keeping.reset(keeping)
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
