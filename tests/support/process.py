"""Child processes for tests: ready when they say so, killable like a lost machine, gone when the tests are."""

import contextlib
import itertools
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

POLL_SECONDS = 0.02
_PORTS = range(20_000, 32_000)
_turns = itertools.count(os.getpid() * 1009)
"""Test runs beside each other begin in different places."""


class ProcessError(AssertionError):
    """A child did not do what it was started for; the message ends with what it printed."""


def free_port(ports: Sequence[int] = _PORTS, used: Sequence[int] = (0,)) -> int:
    """A TCP port of the loopback address that nobody listens on now; or a number to which `used` are added for such ports.

    Below the ports that the system gives to outgoing connections: so it is still free when a server that was killed begins again.
    """
    for turn in itertools.islice(_turns, len(ports)):
        port = ports[turn % len(ports)]
        with contextlib.suppress(OSError), contextlib.ExitStack() as probes:
            for offset in used:
                probes.enter_context(socket.socket()).bind(("127.0.0.1", port + offset))
            return port
    raise ProcessError(f"no free port in {ports}")


def wait_until(ready: Callable[[], bool], *, seconds: float, what: str) -> None:
    """Return once `ready` answers True; ProcessError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise ProcessError(f"{what}: not within {seconds} s")
        time.sleep(POLL_SECONDS)


class Process:
    """A command in a session of its own, its output in a file.

    A guard process holds the other end of a pipe from here: when this process dies in whatever way, the pipe closes and the guard
    kills the command.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        user: str | None = None,
    ) -> None:
        """Describe the process: `env` is added to the environment, `user` runs it as another user (root only)."""
        self.command = [str(part) for part in command]
        self.log = log
        self._env = dict(env or {})
        self._cwd = cwd
        self._user = user
        self._child: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.terminate()

    @property
    def pid(self) -> int:
        """The id of the running process."""
        assert self._child is not None, f"{self.command[0]} was not started"
        return self._child.pid

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._child is not None and self._child.poll() is None

    def start(self) -> None:
        """Start it; its output is appended to the log."""
        assert not self.running, f"{self.command[0]} runs already"
        with self.log.open("ab") as output:
            self._child = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self._env},
                cwd=self._cwd,
                user=self._user,
                group=self._user,
                extra_groups=None if self._user is None else [],
                start_new_session=True,
            )
        script = f"cat; kill -s KILL -- -{self.pid}"
        self._guard = subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)

    def wait_ready(self, ready: Callable[[], bool], *, seconds: float) -> None:
        """Return once `ready` answers True; ProcessError with the end of the log when the process ends first or takes longer."""

        def ready_or_dead() -> bool:
            return not self.running or ready()

        try:
            wait_until(ready_or_dead, seconds=seconds, what=f"{self.command[0]} ready")
            if not self.running:
                raise ProcessError(f"{self.command[0]} ended with status {self.wait(seconds=1)}")
        except ProcessError as error:
            self.kill()
            raise ProcessError(f"{error}\n{self.output()[-4000:]}") from None

    def output(self) -> str:
        """Everything it has printed so far, all starts together."""
        return self.log.read_text(errors="replace")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process itself."""
        os.kill(self.pid, number)

    def freeze(self) -> None:
        """Stop it and everything it started, as when its machine hangs: connections stay open."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let what was frozen go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: int) -> None:
        for pid in (self.pid, *descendants(self.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def wait(self, *, seconds: float) -> int:
        """Wait until it ends by itself; its exit status (negative: the signal)."""
        assert self._child is not None, f"{self.command[0]} was not started"
        status = self._child.wait(seconds)
        self._dismiss_guard()
        return status

    def terminate(self, *, seconds: float = 20) -> int:
        """Ask it to end (SIGTERM) and wait; killed when it does not in time. Returns the exit status."""
        if self.running:
            self.signal(signal.SIGTERM)
            try:
                return self.wait(seconds=seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        self._dismiss_guard()
        return self._child.returncode if self._child is not None else 0

    def kill(self) -> None:
        """SIGKILL it and everything it started, as when its machine is lost."""
        if not self.running:
            self._dismiss_guard()
            return
        started = [self.pid, *descendants(self.pid)]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        for pid in started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.wait(seconds=10)

    def _dismiss_guard(self) -> None:
        if self._guard is not None:
            self._guard.kill()
            self._guard.wait()
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            self._guard = None


def descendants(pid: int) -> list[int]:
    """Ids of all processes that descend from `pid` now."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    todo = [pid]
    while todo:
        direct = children.get(todo.pop(), [])
        found += direct
        todo += direct
    return found
