"""Processes that are measured: each on a core of its own, told what to do by lines of JSON.

The parent asks, the child answers; a child ends when its parent's end of the pipe does. A child pins itself before it makes a thread, so
all its threads are on its core.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

Answer = dict[str, Any]
Handlers = Mapping[str, Callable[..., Awaitable[Answer]]]
"""What a child can be told to do, by name."""
_ROOT: Final = Path(__file__).resolve().parent.parent
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_LINE_BYTES: Final = 1 << 20
_END_SECONDS: Final = 20


class ChildError(Exception):
    """A child did not answer; the message ends with what it printed."""


class Child:
    """A module of this package run as a process on one core. Its first line says that it is ready, and where."""

    def __init__(self, module: str, core: int, log: Path, **settings: Any) -> None:
        command = self._command(module, core, settings)
        self._module = module
        self._log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=_ROOT, text=True)
        try:
            self.ready = self._answer()
        except ChildError:
            self.close()
            raise

    def _command(self, module: str, core: int, settings: Answer) -> list[str]:
        return [sys.executable, "-m", module, str(core), json.dumps(settings)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.close()

    def ask(self, do: str, **given: Any) -> Answer:
        """Let the child do something and return its answer. ChildError if it dies or fails."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **given}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ChildError(self._last_words()) from None
        return self._answer()

    def cpu_seconds(self) -> float:
        """Return the CPU time of all its threads so far, user and system."""
        return cpu_seconds(Path(f"/proc/{self._process.pid}"))

    def resident_bytes(self) -> int:
        """Return the memory it has in use."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text("ascii").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024
        raise ChildError(self._last_words())

    def kill(self) -> None:
        """Kill it: it does nothing more."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close the pipe and wait for its end; kill it if it takes too long."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _answer(self) -> Answer:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ChildError(self._last_words())
        answer: Answer = json.loads(line)
        return answer

    def _last_words(self) -> str:
        return f"{self._module} ended or failed: {self._log.read_text('utf-8', errors='replace')[-3000:]}"


def cpu_seconds(entry: Path) -> float:
    """Return the CPU time, user and system, of a process or thread by its folder under /proc."""
    fields = (entry / "stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def begin() -> Mapping[str, Any]:
    """In a child: take the core, return the settings."""
    os.sched_setaffinity(0, {int(sys.argv[1])})
    settings: Mapping[str, Any] = json.loads(sys.argv[2])
    return settings


async def serve(ready: Answer, handlers: Handlers) -> None:
    """In a child: say that it is ready, then carry out one command after the other until the parent closes the pipe."""
    reader = asyncio.StreamReader(_LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    print(json.dumps(ready), flush=True)
    while line := await reader.readline():
        command = json.loads(line)
        answer = await handlers[command.pop("do")](**command)
        print(json.dumps(answer), flush=True)
