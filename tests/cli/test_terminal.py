"""What people see on a terminal, where scripts get tab-separated lines; and hints that work as they are typed."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from tests.cli.command import XUEZHAN, here, xuezhan
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.demo import screen
from xuezhan.cli.demo.player import DemoSeat
from xuezhan.cli.demo.pulse import Pulse
from xuezhan.cli.load.report import show_report
from xuezhan.cli.load.tally import Tally
from xuezhan.cli.watch_screen import Screen


def on_a_terminal(*arguments: str) -> str:
    """What a command writes on a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    subprocess.run([XUEZHAN, *arguments], stdout=theirs, check=True, env={**os.environ, "COLUMNS": "100", "TERM": "dumb"})
    os.close(theirs)
    said = b""
    while True:
        try:
            said += os.read(ours, 4096)
        except OSError:
            # All of it has been read.
            break
    os.close(ours)
    return said.decode()


def drawn(picture: Any) -> str:
    console = Console(file=io.StringIO(), width=100)
    with console.capture() as said:
        console.print(picture)
    return said.get()


def test_rows_are_a_table_on_a_terminal_and_tab_separated_in_a_pipe() -> None:
    seen = on_a_terminal("options", "crazy_xuezhan")
    assert "\t" not in seen
    heading, *rows = [line.rstrip() for line in seen.replace("\r", "").splitlines()]
    assert heading.split() == ["option", "values", "default", "rooms"]
    (cap,) = (row for row in rows if row.startswith("cap"))
    assert cap.index("1 to 15") == rows[0].index("mayou") == heading.index("values")
    piped = xuezhan("options", "crazy_xuezhan")
    assert piped.out.splitlines()[0] == "option\tvalues\tdefault\trooms"


@pytest.mark.parametrize(
    ("game", "line"),
    [
        ("crazy_xuezhan", {"option": "cap", "values": ["1 to 15"], "default": 4, "rooms": {"dianfeng": 5, "wangzhe": 6}}),
        ("crazy_xuezhan", {"option": "phases", "values": ["void_exchange", "exchange_void"], "default": "void_exchange", "rooms": {}}),
        ("happy_sichuan", {"option": "mode", "values": ["xuezhan", "single"], "default": "xuezhan", "rooms": {"single": "single"}}),
        ("crazy_duel", {"option": "rated", "values": ["true", "false"], "default": False, "rooms": {"rating": True}}),
    ],
)
def test_the_options_of_a_game_are_listed_with_their_values_defaults_and_rooms(game: str, line: dict[str, Any]) -> None:
    assert line in here("options", game, "--json").lines


def test_options_are_shown_as_they_are_typed() -> None:
    assert "cap\t1 to 15\t4\tdianfeng 5, wangzhe 6\n" in here("options", "crazy_xuezhan").out
    assert "rated\ttrue, false\tfalse\trating true\n" in here("options", "crazy_duel").out
    unknown = here("options", "chess")
    assert (unknown.status, unknown.out) == (2, "")


def test_a_hint_names_the_command_as_it_was_started(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none")
    path = os.environ["PATH"].replace(str(XUEZHAN.parent), "")
    for started, env in ((str(XUEZHAN), {"PATH": path}), ("xuezhan", {"PATH": f"{XUEZHAN.parent}:{path}"})):
        ran = subprocess.run(
            [XUEZHAN if started != "xuezhan" else started, "tables", "--data", nowhere],
            capture_output=True,
            text=True,
            check=False,
            env=env,
        )
        assert f"start `{started} up`, or name its folder" in ran.stderr
        helped = subprocess.run([XUEZHAN, "drain", "--help"], capture_output=True, text=True, check=True, env=env).stdout
        assert f" {started} drain table-2\n" in helped


def test_a_load_run_that_failed_says_why_before_anything_else(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    tally.error("table 7: hand 1 has no record")
    tally.acknowledged_missing = 2
    show_report({**tally.report(), "games": {}})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "NOT OK: 1 errors, the first: table 7: hand 1 has no record",
        "NOT OK: 2 acknowledged actions are in no record",
    ]
    assert lines[-1] == "NOT OK"
    show_report({**Tally().report(), "games": {}})
    assert "NOT OK" not in capsys.readouterr().out


async def test_a_watched_table_shows_the_time_left_of_a_turn_and_that_its_server_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=100.0)
    watched = Screen("t1", pb.TableSummary(room_id="crazy_xuezhan/mayou", turn_seconds=15, seats=[pb.SeatAssignment(bot=True)] * 4))
    monkeypatch.setattr(watched, "_now", lambda: clock.now)
    monkeypatch.setattr(watched, "_show", lambda: None)
    watched.hear(pb.Event(drew=mj.Drew(seat=2, wall_left=40)))
    clock.now += 4.2
    assert "seat 2: at most 11 s left" in drawn(watched.picture())
    clock.now += 60
    assert "seat 2: at most 0 s left" in drawn(watched.picture())
    watched.hear(pb.Event(discarded=mj.Discarded(seat=2, tile=mj.TILE_1M)))
    assert "left" not in drawn(watched.picture()), "nobody is told whether anybody is asked about a discard"
    watched.away("127.0.0.1:7200 is away")
    assert "127.0.0.1:7200 is away" in drawn(watched.picture())
    watched.hear(pb.Event(drew=mj.Drew(seat=3, wall_left=39)))
    assert "away" not in drawn(watched.picture())


def demo_seats() -> list[DemoSeat]:
    return [DemoSeat(f"demo-{number}", mm.Room(room_id="crazy_xuezhan/mayou", name="麻友")) for number in range(4)]


@pytest.mark.parametrize(("height", "told"), [(24, "1 of 6 tables shown"), (80, "4 of 6 tables shown")])
def test_the_demo_says_how_many_of_all_tables_it_shows(height: int, told: str) -> None:
    assert told in drawn(screen._frame(demo_seats(), Pulse(tables=6), ["help"], 3, height))


async def test_the_demo_leaves_its_last_picture_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(screen, "Console", lambda: Console(file=out, force_terminal=True, width=80, height=30))
    drawing = asyncio.ensure_future(screen.draw(demo_seats(), Pulse(), asyncio.Queue(), "to type: .venv/bin/xuezhan tables"))
    await asyncio.sleep(0)
    async with asyncio.timeout(10):
        while "to type" not in out.getvalue():  # noqa: ASYNC110 - it draws without a word
            await asyncio.sleep(0.01)
    drawing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await drawing
    after = out.getvalue().rpartition("to type")[2]
    assert "\x1b[2K" not in after, "nothing is wiped"
