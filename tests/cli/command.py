"""The command as a user runs it: a process, its output, its exit status."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from xuezhan.cli.main import main

XUEZHAN = Path(sys.executable).with_name("xuezhan")


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def xuezhan(
    *arguments: object, stdin: str | bytes = "", cwd: Path | None = None, env: dict[str, str] | None = None, seconds: float = 60
) -> Ran:
    """Run the command to its end."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    clean = {name: value for name, value in os.environ.items() if not name.startswith("XUEZHAN_")}
    done = subprocess.run(
        [XUEZHAN, *map(str, arguments)],
        input=given,
        capture_output=True,
        cwd=cwd,
        env={**clean, **(env or {})},
        timeout=seconds,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def here(*arguments: object) -> Ran:
    """Run the command in this process, which spares its start; for commands that read no standard input."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(argument) for argument in arguments])
    return Ran(status, out.getvalue(), err.getvalue())


def json_lines(values: Sequence[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)
