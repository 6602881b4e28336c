"""What the servers that tests start have in common."""

import shutil
import tempfile
from pathlib import Path
from typing import Self

from tests.support.process import Process, free_port


class Server:
    """What the servers share: a folder, a port, a process that may be stopped, killed and started again on the same data."""

    start_seconds = 60.0

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix=f"xuezhan-{type(self).__name__.lower()}-"))
        self.process: Process | None = None

    @classmethod
    def missing(cls) -> str | None:
        """What must be installed first; None when nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start it, on the data it had, and wait until it serves."""
        if self.process is None:
            self.process = self._prepare()
        self.process.start()
        self.process.wait_ready(self._ready, seconds=self.start_seconds)

    def stop(self) -> None:
        """Stop it in its orderly way."""
        if self.process is not None:
            self.process.terminate()

    def kill(self) -> None:
        """SIGKILL it with everything it started."""
        assert self.process is not None
        self.process.kill()

    def restart_after_kill(self) -> None:
        """SIGKILL it and start it again on what it had written."""
        self.kill()
        self.start()

    def restart(self) -> None:
        """Stop it in its orderly way and start it again."""
        self.stop()
        self.start()

    def _prepare(self) -> Process:
        raise NotImplementedError

    def _ready(self) -> bool:
        raise NotImplementedError
