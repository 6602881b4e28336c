"""A check of the whole ledger in a process of its own: one line a check on its standard output.

Law: neither its statements nor what it computes take time of the service.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from services.settlement import check

COMMAND: Final[Sequence[str]] = (sys.executable, "-m", __spec__.name)
_NICE: Final = 10


class Checked(NamedTuple):
    """A check that was made: about what it found something, and in words. `imbalance`: coins that the whole ledger has too many."""

    check: str
    imbalance: int
    findings: list[tuple[str, str]]


def question(url: str, held_seconds: int = check.HELD_SECONDS) -> str:
    """Return what the process is told on its standard input: the password stands neither in a command line nor in the environment."""
    return json.dumps({"url": url, "held_seconds": held_seconds}) + "\n"


def read(line: str) -> Checked:
    """Read a line of the process."""
    name, imbalance, findings = json.loads(line)
    return Checked(name, imbalance, [(about, text) for about, text in findings])


def main() -> None:
    """Check the ledger that standard input names."""
    os.nice(_NICE)
    asked: dict[str, Any] = json.loads(sys.stdin.readline())
    with check.one_moment(asked["url"]).begin() as connection:
        imbalance = check.imbalance(connection)
        for name, findings in check.each(connection, held_seconds=asked["held_seconds"]):
            line = Checked(name, imbalance, [(finding.about, finding.text) for finding in findings])
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
