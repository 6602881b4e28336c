"""The life of `up`: start, say so, play the demo if asked, stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator

import click

from xuezhan.cli.embedded import Embedded
from xuezhan.cli.where import Installation


async def until_stopped(embedded: Embedded, *, demo: bool) -> None:
    """Run until SIGINT or SIGTERM, also while starting; a second Ctrl-C does not wait for an orderly end."""
    # Many short turns of the loop beside database threads: the default makes both wait.
    sys.setswitchinterval(0.0005)
    with _stop_signals() as stop:
        life = asyncio.create_task(_live(embedded, demo=demo))
        told = asyncio.create_task(stop.wait())
        await asyncio.wait((life, told), return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    life.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await life


async def _live(embedded: Embedded, *, demo: bool) -> None:
    where = await embedded.start()
    try:
        click.echo(_greeting(where, embedded.metrics), err=True)
        if demo:
            from xuezhan.cli.demo.run import run_demo

            await run_demo(where, embedded.metrics)
        else:
            await asyncio.Event().wait()
    finally:
        await embedded.stop()


@contextlib.contextmanager
def _stop_signals() -> Iterator[asyncio.Event]:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _greeting(where: Installation, metrics: dict[str, str]) -> str:
    parts = ", ".join(f"{name} {address}" for name, address in metrics.items())
    return (
        f"xuezhan is up: matchmaking {where.matchmaking}, table {where.tables[0]}, settlement {where.settlement}\n"
        f"metrics: {parts}; data: {where.data}; process: {os.getpid()}; Ctrl-C ends it"
    )
