"""`up` as a user sees it: everything in one process, from an empty folder to settled coins, ended by Ctrl-C."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import XUEZHAN, Ran, here, xuezhan
from tests.support.process import Process, wait_until
from xuezhan import client as documented
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.servers import ask_any


class Up:
    """A running `xuezhan up` in a folder."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.data = folder / "data"
        command: list[str | Path] = [XUEZHAN, "up", "--data", self.data, "--port-base", "0", *options]
        self.process = Process(command, log=folder / "up.log")

    def start(self) -> None:
        begins = self.process.output().count("xuezhan is up") if self.process.log.exists() else 0
        self.process.start()
        self.process.wait_ready(lambda: self.process.output().count("xuezhan is up") > begins, seconds=60)

    @property
    def running(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.data / "running.json").read_text())
        return found

    def run(self, *arguments: object) -> Ran:
        return here(*arguments, "--data", self.data)

    def interrupt(self) -> int:
        self.process.signal(signal.SIGINT)
        return self.process.wait(seconds=30)


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    started = Up(tmp_path_factory.mktemp("up"), "--fast")
    started.start()
    yield started
    started.process.terminate()


@pytest.fixture(scope="module")
def loaded(up: Up) -> dict[str, Any]:
    """The report of a load run with traces."""
    ran = up.run("load", "--game", "crazy_xuezhan", "--tables", 4, "--bots", "greedy", "--json", "--traces", up.data.parent / "traces")
    assert ran.status == 0, ran
    report: dict[str, Any] = ran.lines[-1]
    return report


def test_a_load_run_plays_whole_hands_and_finds_every_coin(up: Up, loaded: dict[str, Any]) -> None:
    assert (loaded["tables"], loaded["hands"], loaded["records_checked"]) == (4, 4, 4)
    assert (loaded["error_count"], loaded["acknowledged_missing"], loaded["records_wrong"]) == (0, 0, 0)
    assert loaded["actions_accepted"] == loaded["actions_sent"] > 100
    coins = loaded["coins"]
    assert coins["won"] == coins["lost"] > 0
    assert (coins["change"], coins["stated_change"], coins["mismatches"]) == (0, 0, 0)
    assert up.run("ledger", "check").status == 0


def test_all_games_are_played_at_once_and_every_coin_is_found(up: Up) -> None:
    """Seats that leave within a hand included: escapes, and winners who go."""
    games = ("crazy_xuezhan", "happy_sichuan", "kaxinwu", "crazy_duel")
    ran = up.run("load", "--game", ",".join(games), "--tables", 8, "--hands", 2, "--leave", 0.03, "--json")
    assert ran.status == 0, ran
    (report,) = ran.lines
    assert set(report["games"]) == set(games)
    assert {game: part["tables"] >= 2 and part["hands"] >= 4 for game, part in report["games"].items()} == dict.fromkeys(games, True)
    assert report["hands"] == report["records_checked"] == sum(part["hands"] for part in report["games"].values())
    assert up.run("ledger", "check").status == 0


def test_a_rating_room_changes_ratings_and_titles_and_no_coins(up: Up) -> None:
    ran = up.run("load", "--game", "crazy_duel", "--room", "rating", "--tables", 1, "--hands", 2, "--run", "rated", "--json")
    assert ran.status == 0, ran
    balances = [up.run("balance", f"load-rated-{number}", "--json").lines[0] for number in (0, 1)]
    assert {balance["wallet"] for balance in balances} == {1_000_000}
    ratings = [balance["ratings"][0] for balance in balances]
    assert 0 < sum(rating["points"] for rating in ratings) <= 160, "two hands of newcomers: the first loser had nothing to lose"
    assert all(rating == {"game": "crazy_duel", "points": rating["points"], "title": title(rating["points"])} for rating in ratings)
    assert "crazy_duel" in up.run("balance", "load-rated-0").out


def title(rating: int) -> str:
    return "小星" if rating < 100 else "一星"


def test_traces_hold_what_each_client_was_sent_numbered_without_a_gap(up: Up, loaded: dict[str, Any]) -> None:
    files = sorted((up.data.parent / "traces").iterdir())
    assert len(files) == loaded["tables"]
    for file in files:
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        assert {line["seat"] for line in lines} == {0, 1, 2, 3}
        for seat in range(4):
            numbers = [line["number"] for line in lines if line["seat"] == seat and line.get("number")]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_the_records_of_a_table_are_replayed_and_proven(up: Up, loaded: dict[str, Any]) -> None:
    table = next((up.data.parent / "traces").iterdir()).stem
    records = up.run("replay", table)
    assert records.status == 0
    assert [line["ok"] for line in xuezhan("verify-record", stdin=records.out).lines] == [True]
    unknown = up.run("replay", "nobody-knows-it")
    assert (unknown.status, unknown.err.count("\n")) == (1, 1)


def test_a_players_coins_are_what_their_statement_says(up: Up, loaded: dict[str, Any]) -> None:
    trace = next((up.data.parent / "traces").iterdir()).read_text().splitlines()[0]
    player = json.loads(trace)["player"]
    (balance,) = up.run("balance", player, "--json").lines
    lines = up.run("statement", player, "--json").lines
    assert balance["wallet"] == sum(line["coins"] for line in lines) == lines[0]["balance"]
    (visit,) = up.run("statement", player, "--visits", "--json").lines
    assert visit["net"] == sum(line["coins"] for line in lines if line["table"])
    table = up.run("balance", player).out.splitlines()
    assert table[0] == "player\twallet\tat_stake\tmatch\tfrozen\tratings"
    assert table[1].split("\t")[:2] == [player, str(balance["wallet"])]


def test_a_deposit_moves_coins_once_a_key(up: Up) -> None:
    first = up.run("deposit", "dora", 500, "--key", "order-1", "--json").lines[0]
    again = up.run("deposit", "dora", 500, "--key", "order-1", "--json").lines[0]
    assert (first["wallet"], first["repeated"], again["wallet"], again["repeated"]) == (500, False, 500, True)
    other = up.run("deposit", "dora", 501, "--key", "order-1")
    assert (other.status, other.err.count("\n")) == (1, 1)


def test_the_bot_of_the_documentation_plays_a_hand(up: Up) -> None:
    assert up.run("deposit", "botty", 100_000, "--key", "botty").status == 0
    token = up.run("token", "botty").out.strip()
    code = re.search(r"argument:\n\n(.*?)\n\n`Client`", documented.__doc__ or "", re.DOTALL)
    assert code is not None
    script = textwrap.dedent(code[1])
    assert len([line for line in script.splitlines() if line.strip()]) <= 20
    script = script.replace("127.0.0.1:7100", up.running["matchmaking"])
    done = subprocess.run([sys.executable, "-c", script, token], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^hand over, points \[[-0-9, ]*\]$", done.stdout, re.MULTILINE), "and no fault behind the points"
    assert "refused" not in done.stdout


def test_a_player_whose_program_is_started_anew_goes_on_with_the_ticket_they_have(up: Up) -> None:
    assert up.run("deposit", "anew", 100_000, "--key", "anew").status == 0
    token = up.run("token", "anew").out.strip()

    async def play(room: str) -> tuple[str, str]:
        async with documented.Client(up.running["matchmaking"]) as client:
            seat = await client.play(token, room)
            return seat.table_id, (await client.tickets.create_or_find(token, room)).ticket_id

    first = asyncio.run(play("crazy_xuezhan/mayou"))
    assert asyncio.run(play("crazy_xuezhan/mayou")) == first
    with pytest.raises(documented.ClientError) as refused:
        asyncio.run(play("crazy_xuezhan/wangzhe"))
    assert (refused.value.reason, refused.value.more["ticket_id"]) == ("active", first[1])


def test_a_live_table_is_listed_and_can_be_watched(up: Up) -> None:
    with Process(
        [XUEZHAN, "load", "--game", "crazy_xuezhan", "--tables", "2", "--think", "0.1", "--data", up.data], log=up.data.parent / "load.log"
    ) as load:
        listed: list[Any] = []

        def playing() -> bool:
            listed[:] = up.run("tables", "--json", "--room", "crazy_xuezhan/mayou").lines
            return any(table["state"] == "open" and table["phase"] for table in listed)

        wait_until(playing, seconds=60, what="a live table")
        table = next(table["table"] for table in listed if table["state"] == "open")
        watched = up.run("watch", table, "--json")
        assert load.wait(seconds=90) == 0
    assert watched.status == 0
    assert watched.lines[0]["event"] == "view"
    assert watched.lines[-1]["event"] == "table_closed"
    assert {line["what"]["seat"] for line in watched.lines if line["event"] == "discarded"} == {0, 1, 2, 3}
    assert not any(line["what"].get("tiles") for line in watched.lines if line["event"] in {"dealt", "exchanged"})
    late = up.run("watch", table)
    assert (late.status, late.out, late.err.count("\n")) == (1, "", 1)
    assert f"`xuezhan replay {table}`" in late.err, "it has just ended"
    assert up.run("tables").out.startswith("table\troom\tstate\t")
    assert up.run("servers").out.startswith("name\taddress\tstate\ttables\tseats\tlease_seconds\ntable-1\t")
    wait_until(lambda: up.run("servers", "--json").lines[0]["tables"] == 0, seconds=30, what="the end of the other table, too")
    (server,) = up.run("servers", "--json").lines
    assert (server["state"], 0 < server["lease_seconds"] <= 5) == ("serving", True)
    nowhere = up.run("tables", "--server", "table-9")
    assert (nowhere.status, nowhere.out, "no table server 'table-9'" in nowhere.err) == (1, "", True)
    unknown = up.run("tables", "--room", "nosuch")
    assert (unknown.status, unknown.out) == (1, "")
    assert "there is no room 'nosuch'" in unknown.err


def test_a_table_server_that_does_not_answer_hides_no_table_of_the_others(up: Up, monkeypatch: pytest.MonkeyPatch) -> None:
    async def with_one_away(*where: Any) -> list[pb.TableServer]:
        return [pb.TableServer(name="gone", address="127.0.0.1:1", state=pb.SERVER_STATE_SERVING), *await ask_any(*where)]

    for module in ("tables", "watch"):
        monkeypatch.setattr(f"xuezhan.cli.{module}.ask_any", with_one_away)
    with Process([XUEZHAN, "load", "--game", "crazy_xuezhan", "--tables", "1", "--data", up.data], log=up.data.parent / "load.log") as load:
        found: list[Ran] = []

        def listed() -> bool:
            found[:] = [up.run("tables", "--json")]
            return bool(found[0].lines)

        wait_until(listed, seconds=60, what="a live table")
        watched = up.run("watch", found[0].lines[0]["table"], "--json")
        load.wait(seconds=90)
    assert found[0].status == 1
    assert found[0].err.startswith("xuezhan: 127.0.0.1:1 does not answer: ")
    assert found[0].err.count("\n") == 1
    assert (watched.status, watched.lines[0]["event"]) == (0, "view")
    assert (up.run("tables", "--server", "gone").status, up.run("tables", "--server", "table-1").status) == (1, 0)


def test_up_says_which_process_it_is(up: Up) -> None:
    assert f"process: {up.process.pid};" in up.process.output()


def test_a_second_up_on_the_same_data_is_refused_in_one_line(up: Up) -> None:
    ran = xuezhan("up", "--data", up.data, "--port-base", "0")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert f"process {up.process.pid}" in ran.err
    assert up.process.running


def test_the_data_folder_holds_no_secret(up: Up) -> None:
    keys = up.data.with_name("data.secrets")
    assert not [path for path in (keys, *keys.rglob("*")) if path.stat().st_mode & 0o077]
    (secret,) = json.loads((keys / "table" / "deal.json").read_text())["keys"].values()
    assert not any(secret.encode() in file.read_bytes() for file in up.data.iterdir())


def test_the_demo_plays_settles_ends_with_ctrl_c_and_goes_on_with_the_same_wallets(tmp_path: Path) -> None:
    demo = Up(tmp_path, "--demo", "--fast")
    demo.start()
    demo.process.wait_ready(lambda: "settled at table" in demo.process.output(), seconds=90)
    addresses = demo.running
    assert demo.interrupt() == 0
    assert "Traceback" not in demo.process.output()
    for name in ("matchmaking", "table", "settlement"):
        host, port = addresses[name].split(":")
        with socket.socket() as probe:
            assert probe.connect_ex((host, int(port))) != 0
    settled = re.findall(r"(demo-\d) [+-]\d+, wallet (\d+)", demo.process.output())
    demo.start()
    try:
        statement = demo.run("statement", settled[-1][0], "--json").lines
    finally:
        demo.process.terminate()
    assert int(settled[-1][1]) in {line["balance"] for line in statement}
    assert sum(line["cause"] == "deposit" for line in statement) == 1
