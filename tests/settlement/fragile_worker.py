"""A real worker that dies as its arguments say: `python -m tests.settlement.fragile_worker STEP FILE` or `... poison TABLE`.

At STEP it makes FILE and hangs until it is killed, but only while FILE is not there yet; or, at `gate`, in the middle of every job until
FILE.open is there. The steps `unburied` and `buried` are those before and after the broker has taken bad messages into the dead queue. With
`poison` it kills itself whenever it works on an item of TABLE.
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from services.kit import logs
from services.kit.publisher import Letter, Publisher
from services.settlement import batch, worker
from services.settlement.config import WorkerSettings


def main(what: str, which: str) -> int:
    logs.configure("info", json_lines=True)
    settings: Any = WorkerSettings()
    file = Path(which)
    if what in {"unburied", "buried"}:
        hang_beside_the_dead(what, file)
    if what == "gate":
        return worker.run(settings, lambda step: wait_at_the_gate(file) if step == "committed" else None)
    if what != "poison":
        return worker.run(settings, lambda step: hang(file) if step == what else None)
    apply: Any = vars(batch)["apply"]

    def fatal(table: Any, book: Any, item: Any, others: Any) -> Any:
        if table.id == which:
            os.kill(os.getpid(), signal.SIGKILL)
        return apply(table, book, item, others)

    vars(batch)["apply"] = fatal
    return worker.run(settings)


def hang_beside_the_dead(what: str, file: Path) -> None:
    dead = Publisher.dead

    def put(self: Publisher, letters: Sequence[Letter]) -> None:
        if what == "unburied":
            hang(file)
        dead(self, letters)
        hang(file)

    Publisher.dead = put  # type: ignore[method-assign]


def wait_at_the_gate(file: Path) -> None:
    file.touch()
    while not file.with_suffix(".open").exists():
        time.sleep(0.01)


def hang(file: Path) -> None:
    if not file.exists():
        file.touch()
        time.sleep(600)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
