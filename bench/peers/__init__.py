"""One table server, refereed and durable, against the peers of its kind in Node: boardgame.io and Colyseus.

All servers run on the same core, all generators on another, in turns, with as many tables of four at full load and one action in flight a
table. boardgame.io is authoritative and keeps its matches in its storage, in memory and, as ours are, where they outlive the process;
Colyseus only sends each message on to the four of its room.
"""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Peer:
    """A server of Node that the table server is held against."""

    program: str
    name: str
    package: str
    """Whose version tells."""
    does: str
    target: float | None = None
    stores: bool = False
    """Whether it is given a folder for its matches."""


_PEERS: Final = (
    Peer("boardgame_io", "boardgame.io in memory", "boardgame.io", "authoritative, matches of a hand's length kept in memory", _TARGET),
    Peer("boardgame_io", "boardgame.io in files", "boardgame.io", "the same, matches kept in files, not synced", _TARGET, stores=True),
    Peer("colyseus", "Colyseus", "@colyseus/core", "only sends messages on: no rules, nothing stored"),
)


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    try:
        programs = node.install()
    except node.NotHereError as error:
        return [left_out(GROUP, f"actions a second of CPU against {peer.name}", f"left out: {error}") for peer in _PEERS], {}
    except node.InstallError as error:
        return [failure(GROUP, "installing the peers", error)], {}
    try:
        rounds = _rounds(options, programs, 40 if options.quick else TABLES)
    except ChildError as error:
        return [failure(GROUP, "actions a second of CPU", error)], {}
    return [*_rows(rounds)], rounds


def _rounds(options: Options, programs: Path, tables: int) -> dict[str, list[Figures]]:
    """Let the table server and the peers take turns at full load."""
    rounds: dict[str, list[Figures]] = {"ours": [], **{peer.name: [] for peer in _PEERS}}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(rig.table_server())
        rigs = {"ours": stack.enter_context(rig.loaded(server, tables))}
        rigs |= {peer.name: stack.enter_context(_running(programs, peer, tables)) for peer in _PEERS}
        rigs["ours"].load.ask("spread", most=ACTS_A_HAND)
        for _ in range(options.repeat):
            for name, one in rigs.items():
                rounds[name].append(one.measured("top", warm=options.seconds(1), seconds=options.seconds(4)))
                one.load.ask("hold")
    return rounds


@contextlib.contextmanager
def _running(programs: Path, peer: Peer, tables: int) -> Iterator[rig.Rig]:
    """Start a peer's server and its players."""
    with (
        rig.folder() as data,
        node.NodeChild(
            programs / f"{peer.program}.mjs",
            rig.SERVER_CORE,
            data / "log",
            port=free_port(),
            matches=str(data / "matches") if peer.stores else None,
        ) as server,
        node.NodeChild(programs / "load.mjs", rig.LOAD_CORE, data / "log", tables=tables, acts=ACTS_A_HAND, **server.ready) as load,
    ):
        yield rig.Rig(server, load)


def _rows(rounds: dict[str, list[Figures]]) -> Iterator[Row]:
    a_core, a_second = (
        {name: [one["accepted"] / one[per] for one in found] for name, found in rounds.items()} for per in ("server_cpu", "seconds")
    )
    for peer in _PEERS:
        note = f"{peer.name} {node.package_version(peer.package)} on Node {node.node_version()}: {peer.does}"
        yield _against(f"actions a second of the server's CPU, against {peer.name}", "actions", a_core, peer.name, peer.target, note)
        yield _against(f"... actions/s, against {peer.name}", "actions/s", a_second, peer.name, None, "")


def _against(what: str, unit: str, rates: dict[str, list[float]], name: str, target: float | None, note: str) -> Row:
    ours, theirs = rates["ours"], rates[name]
    against = f"{name} {number(statistics.median(theirs))}"
    return Row(GROUP, what, statistics.median(ours), unit, against, median_ratio(ours, theirs), target, note=note)
