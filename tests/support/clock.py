"""A machine's clock that a test sets: processes that were started with it go by another time of the day, and jump with it.

    clock = Clock()
    Process(..., env=clock.environment)
    clock.jump(3600)  # an hour ahead, in the middle of whatever they do

The monotonic clock stays, as when somebody sets a machine's clock.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Self

SOURCE = Path(__file__).with_name("clock.c")


class Clock:
    """How far the clock of some processes is ahead."""

    def __init__(self) -> None:
        # Where any user may read: PostgreSQL runs as one.
        self._folder = Path(tempfile.mkdtemp(prefix="xuezhan-clock-"))
        self._folder.chmod(0o755)
        self._file = self._folder / "seconds"
        self._file.write_bytes((0).to_bytes(8, "little", signed=True))
        library = self._folder / "clock.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", library, SOURCE, "-ldl"], check=True)
        self.environment = {"LD_PRELOAD": str(library), "XUEZHAN_TEST_CLOCK": str(self._file)}

    @classmethod
    def missing(cls) -> str | None:
        """What must be installed first; None when nothing."""
        return None if shutil.which("gcc") else "a C compiler (Debian: apt-get install gcc libc6-dev)"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)

    def jump(self, seconds: int) -> None:
        """Set the clock so far ahead of this machine's (negative: behind it)."""
        with self._file.open("r+b") as file:
            file.write(seconds.to_bytes(8, "little", signed=True))
