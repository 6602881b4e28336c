"""Where the command begins: nothing else is imported before Ctrl-C has an answer."""

from __future__ import annotations

import signal

from xuezhan.cli.interrupt import INTERRUPTED, leave


def start() -> int:
    """Run the command and return its exit status."""
    signal.signal(signal.SIGINT, leave)
    try:
        from xuezhan.cli.main import main

        return main()
    except KeyboardInterrupt:
        # While it said what had gone wrong.
        return INTERRUPTED
