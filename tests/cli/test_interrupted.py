"""Ctrl-C in the first moments of a command, which it spends importing: it ends, and says nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTED_WHILE_IT_IMPORTS = """
import os, signal, sys

class Finder:
    left = int(sys.argv.pop(1))

    def find_spec(self, name, path=None, target=None):
        Finder.left -= 1
        if not Finder.left:
            open("sent", "w").close()
            os.kill(os.getpid(), signal.SIGINT)

sys.argv[0] = "xuezhan"
sys.dont_write_bytecode = True
from xuezhan.cli.start import start
sys.meta_path.insert(0, Finder())
sys.exit(start())
"""


@pytest.mark.parametrize(
    "command", ["tables", "balance alice", "ledger check", "serve settlement", "simulate crazy_xuezhan --hands 1 --seed 1"]
)
def test_a_command_that_is_interrupted_while_it_imports_what_it_needs_ends_without_a_word(command: str, tmp_path: Path) -> None:
    """The signal comes at the first import, and at some of the hundreds after it."""
    sent = 0
    for number in (1, 10, 40, 90, 200, 300, 400, 420):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED_WHILE_IT_IMPORTS, str(number), *command.split()],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith("XUEZHAN_")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if (folder / "sent").exists():
            sent += 1
            assert (done.returncode, done.stderr.strip()) == (130, ""), f"at import {number}: {done.stderr}"
    assert sent >= 3
