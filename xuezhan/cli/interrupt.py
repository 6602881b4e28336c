"""What Ctrl-C does before and after the command that was asked for begins.

Law: Ctrl-C ends a command without a traceback, also in its first moment, while it still imports what it needs.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130
"""What a shell shows for a program ended by SIGINT."""


def leave(_number: int, _frame: FrameType | None) -> None:
    """End the process at once: nothing is to be undone yet, and a module that is being imported could take an exception for its own."""
    os._exit(INTERRUPTED)


def begin() -> None:
    """The command that was asked for takes over: from now on Ctrl-C is the exception that Python makes of it."""
    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
