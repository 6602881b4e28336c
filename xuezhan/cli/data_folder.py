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
    """Own a data folder, which is made if need be. CommandError if another process does, or it cannot be made."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise CommandError(f"data: {data}: {error.strerror}", 2) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 32).decode().strip() or "unknown"
            raise CommandError(f"data: {data} is in use by another `xuezhan up` (process {owner})", 2) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
