"""The data folder of `up`.

Law: a data folder has one owner; whoever comes second is told so and changes nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from services.kit.private_files import FOLDER_MODE, make_private, open_private
from xuezhan.cli.errors import CommandError
from xuezhan.cli.where import RUNNING, check_owner

_OURS: Final = frozenset(
    {
        "lock",
        RUNNING,
        f".{RUNNING}",
        *(f"{part}.db{end}" for part in ("matchmaking", "table", "settlement") for end in ("", "-wal", "-shm")),
    }
)
"""What `up` keeps in the folder."""


@contextlib.contextmanager
def owned(data: Path) -> Iterator[None]:
    """Own a data folder, which is made if need be. CommandError if another process does, or it cannot be made or written to."""
    with usable(data):
        data.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
        check_owner(data)
        _refuse_links(data)
        _close_to_others(data)
        descriptor = open_private(data / "lock")
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 32).decode().strip() or "unknown"
            raise CommandError(f"data: {data} is in use by another `xuezhan up` (process {owner})", 2) from None
        with usable(data):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _refuse_links(data: Path) -> None:
    """What these files lead to, if they are links, would be written to and closed to others."""
    for name in (RUNNING, "lock"):
        if (data / name).is_symlink():
            raise CommandError(f"data: {data / name} is a link, and must be a file: remove it", 2)


def _close_to_others(data: Path) -> None:
    """Make the folder its owner's alone, unless others keep their files in it, too."""
    if not {file.name for file in data.iterdir()} <= _OURS:
        if data.stat().st_mode & 0o077:
            print(
                f"xuezhan: data: {data} is open to others and holds other files; only the files of `up` in it are private", file=sys.stderr
            )
    elif make_private(data, FOLDER_MODE):
        print(f"xuezhan: data: {data} was open to others; it is private now", file=sys.stderr)
    for name in (RUNNING, "lock"):
        if make_private(data / name):
            print(f"xuezhan: data: {data / name} was open to others; it is private now", file=sys.stderr)


@contextlib.contextmanager
def usable(data: Path) -> Iterator[None]:
    """Turn the disk's refusal of what is done to the data folder's own files into a CommandError that names the folder."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"data: {data}: {error.strerror}; --data names another folder", 2) from None
