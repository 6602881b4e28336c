"""One table server, refereed and durable, against the peers of its kind in Node: boardgame.io and Colyseus.

All servers run on the same core, all generators on another, in turns, with as many tables of four at full load and one action in flight a
table. boardgame.io is authoritative and keeps its matches in its storage; Colyseus only sends each message on to the four of its room.
"""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench import rig
from bench.options import Options
from bench.peers import node
from bench.processes import ChildError
from bench.report import Row, failure, left_out, number
from bench.rounds import median_ratio
from bench.table import ACTS_A_HAND, TABLES
from tests.support.process import free_port

GROUP: Final = "peers"
_TARGET: Final = 3.0
"""Against boardgame.io, by CPU time of the server."""

Figures = dict[str, Any]
_PEERS: Final = {
    "boardgame_io": ("boardgame.io", "boardgame.io", "authoritative, matches of a hand's length kept in memory", _TARGET),
    "colyseus": ("Colyseus", "@colyseus/core", "only sends messages on: no rules, nothing stored", None),
}
"""By program: the name, the package whose version tells, what it does, the target."""


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    try:
        programs = node.install()
    except node.NotHereError as error:
        return [left_out(GROUP, f"actions a second of CPU against {peer[0]}", f"left out: {error}") for peer in _PEERS.values()], {}
    except node.InstallError as error:
        return [failure(GROUP, "installing the peers", error)], {}
    try:
        rounds = _rounds(options, programs, 40 if options.quick else TABLES)
    except ChildError as error:
        return [failure(GROUP, "actions a second of CPU", error)], {}
    return [*_rows(rounds)], rounds


def _rounds(options: Options, programs: Path, tables: int) -> dict[str, list[Figures]]:
    """Let the table server and the peers take turns at full load."""
    rounds: dict[str, list[Figures]] = {"ours": [], **{program: [] for program in _PEERS}}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(rig.table_server())
        rigs = {"ours": stack.enter_context(rig.loaded(server, tables))}
        rigs |= {program: stack.enter_context(_peer(programs, program, tables)) for program in _PEERS}
        rigs["ours"].load.ask("spread", most=ACTS_A_HAND)
        for _ in range(options.repeat):
            for name, one in rigs.items():
                rounds[name].append(one.measured("top", warm=options.seconds(1), seconds=options.seconds(4)))
                one.load.ask("hold")
    return rounds


@contextlib.contextmanager
def _peer(programs: Path, program: str, tables: int) -> Iterator[rig.Rig]:
    """Start a peer's server and its players."""
    with (
        rig.folder() as data,
        node.NodeChild(programs / f"{program}.mjs", rig.SERVER_CORE, data / "log", port=free_port()) as server,
        node.NodeChild(programs / "load.mjs", rig.LOAD_CORE, data / "log", tables=tables, acts=ACTS_A_HAND, **server.ready) as load,
    ):
        yield rig.Rig(server, load)


def _rows(rounds: dict[str, list[Figures]]) -> Iterator[Row]:
    a_core, a_second = (
        {name: [one["accepted"] / one[per] for one in found] for name, found in rounds.items()} for per in ("server_cpu", "seconds")
    )
    for program, (name, package, does, target) in _PEERS.items():
        note = f"{name} {node.package_version(package)} on Node {node.node_version()}: {does}"
        yield _against(f"actions a second of the server's CPU, against {name}", "actions", name, a_core, program, target, note)
        yield _against(f"... actions/s, against {name}", "actions/s", name, a_second, program, None, "")


def _against(what: str, unit: str, name: str, rates: dict[str, list[float]], program: str, target: float | None, note: str) -> Row:
    ours, theirs = rates["ours"], rates[program]
    against = f"{name} {number(statistics.median(theirs))}"
    return Row(GROUP, what, statistics.median(ours), unit, against, median_ratio(ours, theirs), target, note=note)
