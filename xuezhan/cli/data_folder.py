"""The data folder of `up`.

Law: a data folder has one owner; whoever comes second is told so and changes nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from xuezhan.cli.errors import CommandError


@contextlib.contextmanager
def owned(data: Path) -> Iterator[None]:
    """Own a data folder, which is made if need be. CommandError if another process does, or it cannot be made or written to."""
    with usable(data):
        data.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
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


@contextlib.contextmanager
def usable(data: Path) -> Iterator[None]:
    """Turn the disk's refusal of what is done to the data folder's own files into a CommandError that names the folder."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"data: {data}: {error.strerror}; --data names another folder", 2) from None
