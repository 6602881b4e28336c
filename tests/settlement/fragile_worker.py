"""A real worker that dies as its arguments say: `python -m tests.settlement.fragile_worker STEP FILE` or `... poison TABLE`.

At STEP it makes FILE and hangs until it is killed, but only while FILE is not there yet. With `poison` it kills itself whenever it
works on an item of TABLE.
"""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from services.kit import logs
from services.settlement import batch, worker
from services.settlement.config import WorkerSettings


def main(what: str, which: str) -> int:
    logs.configure("info", json_lines=True)
    settings: Any = WorkerSettings()
    if what != "poison":
        return worker.run(settings, lambda step: hang(Path(which)) if step == what else None)
    apply: Any = vars(batch)["apply"]

    def fatal(table: Any, book: Any, item: Any, others: Any) -> Any:
        if table.id == which:
            os.kill(os.getpid(), signal.SIGKILL)
        return apply(table, book, item, others)

    vars(batch)["apply"] = fatal
    return worker.run(settings)


def hang(file: Path) -> None:
    if not file.exists():
        file.touch()
        time.sleep(600)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
