"""A Celery worker in a process on one core: the project's own, or one whose task does nothing."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any, Final

from celery import Celery

from bench import processes
from services.kit import logs
from services.settlement import worker
from services.settlement.config import WorkerSettings

NO_OP: Final = "bench.no_op"
_done = 0


def no_op_app(url: str) -> Celery:
    """Return a Celery application as for work that must not be lost: quorum queue, late acknowledgement, confirmed publishing."""
    app = Celery("bench", broker=url, set_as_current=False)
    app.conf.update(
        task_acks_late=True,
        task_ignore_result=True,
        task_default_queue_type="quorum",
        task_serializer="json",
        accept_content=["json"],
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={"confirm_publish": True},
    )
    return app


def _run_no_op(url: str) -> None:
    app = no_op_app(url)

    def no_op(**_: Any) -> None:
        global _done  # noqa: PLW0603 - the task and the count are in one process and thread
        _done += 1

    app.task(name=NO_OP, shared=False, acks_late=True, ignore_result=True)(no_op)
    app.Worker(pool="solo", concurrency=1, without_gossip=True, without_mingle=True, without_heartbeat=True, quiet=True).start()


async def _count() -> dict[str, Any]:
    return {"done": _done}


def _listen() -> None:
    """Answer the parent, and end with it. What is under way then is nobody's."""
    asyncio.run(processes.serve({}, {"count": _count}))
    os._exit(0)


def main() -> None:
    """Run as a child of the bench."""
    given = processes.begin()
    logs.configure("warning")
    threading.Thread(target=_listen, daemon=True).start()
    if "database_url" not in given:
        _run_no_op(given["broker_url"])
        return
    worker.run(
        WorkerSettings(
            database_url=given["database_url"],
            broker_url=given["broker_url"],
            secrets=Path(given["secrets"]),
            development=True,
            metrics_port=0,
            log_level="warning",
        )
    )


if __name__ == "__main__":
    main()
