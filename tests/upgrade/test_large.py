"""A large installation of release 0.1.0, on PostgreSQL and RabbitMQ, is taken up by the present one."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg

from tests.cli.command import json_lines, xuezhan
from tests.e2e.installation import FAST_ROOMS, Large, report
from tests.support.post import dead_letters, reasons
from tests.support.postgres import Postgres
from tests.support.rabbitmq import RabbitMQ
from tests.upgrade.old import DATA, GAMES, LIVE_TABLES, lay_database, lay_queues


def test_live_hands_go_on_though_old_messages_are_queued(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> None:
    database, broker = lay_database(postgres), rabbitmq.new_vhost()
    queued = lay_queues(broker)
    assert queued
    keys = tmp_path / "secrets"
    keys.mkdir(mode=0o700)
    shutil.copy(DATA / "large" / "keys.json", keys / "keys.json")
    (keys / "keys.json").chmod(0o600)
    made = xuezhan("keys", "--out", keys, env={"XUEZHAN_DEVELOPMENT": "1"})
    assert made.status == 0, made.err
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        done = [row[0] for row in connection.execute("""SELECT id FROM "table".tables WHERE state = 'closed' ORDER BY id""")]
        query = "SELECT player, points FROM settlement.ratings WHERE player LIKE 'load-done-%' ORDER BY player"
        ratings = connection.execute(query).fetchall()
    with Large(tmp_path, postgres, rabbitmq, FAST_ROOMS, database=database, broker=broker, keys=keys) as installation:
        records = installation.records(done)
        assert [len(of_table) for of_table in records] == [1, 1, 1, 1]
        verdicts = xuezhan("verify-record", stdin=json_lines([record for of_table in records for record in of_table]))
        assert [line["ok"] for line in verdicts.lines] == [True] * 4

        load = installation.load(*_LIVE, game=GAMES)
        load.start()
        found = report(load, seconds=110)
        assert found["errors"] == []
        assert found["hands"] == found["records_checked"] >= LIVE_TABLES
        assert (found["records_wrong"], found["acknowledged_missing"], found["coins"]["mismatches"]) == (0, 0, 0)
        assert found["ok"]
        checked = installation.ledger_check()
        assert checked.status == 0, checked.out
        # What the old release had queued is no signed message: the tables send it again.
        assert reasons(dead_letters(broker, queued)) == ["undecodable"] * queued
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        assert connection.execute(query).fetchall() == ratings


_LIVE = ("--run", "live", "--tables", LIVE_TABLES, "--room", "crazy_duel/rating", "--bots", "greedy")
"""The load run whose players were at the tables: they come back to them."""
