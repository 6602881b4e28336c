"""How this command was started: what it tells its user to run next must work as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

NAME: Final = "xuezhan"


@lru_cache(maxsize=1)
def name() -> str:
    """Return what to type for this command: its name where the shell finds it, else the path by which it was started."""
    started = sys.argv[0] if sys.argv else ""
    if Path(started).name != NAME:
        return NAME
    found = shutil.which(NAME)
    return NAME if found is not None and os.path.realpath(found) == os.path.realpath(started) else started


def as_typed(text: str, commands: Iterable[str]) -> str:
    """Return a text in which each `xuezhan COMMAND` is what one has to type here."""
    return re.sub(rf"(?<![\w./@-]){NAME}(?= (?:{'|'.join(map(re.escape, commands))})\b)", lambda _: name(), text)
