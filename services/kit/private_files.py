"""Files that are their owner's alone, whatever the umask."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
_OTHERS: Final = 0o077


def make_private(path: Path, mode: int = FILE_MODE) -> bool:
    """Take everybody else's rights from a file or folder that is there. Returns whether others had any. Raises OSError."""
    if not path.exists() or not path.stat().st_mode & _OTHERS:
        return False
    path.chmod(mode)
    return True


def open_private(path: Path) -> int:
    """Return a descriptor of a file, which is made unless it is there. A link is not followed. Raises OSError."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)


def read_unlinked(path: Path) -> str:
    """Read a text file. A link is not followed. Raises OSError, or ValueError for what is no UTF-8."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
        return file.read()


def write_private(path: Path, text: str) -> None:
    """Write a file in place of the one that is there. Raises OSError."""
    draft = path.with_name(f".{path.name}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
