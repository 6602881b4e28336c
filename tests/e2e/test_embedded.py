"""`xuezhan up` under load: every coin and every acknowledged action is where it must be, also when the process is killed meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.installation import Embedded, assert_whole, report

pytestmark = pytest.mark.timeout(300)


def test_fifty_tables_play_two_hands_and_every_wallet_changes_by_its_statement(tmp_path: Path) -> None:
    with Embedded(tmp_path) as up, up.load("--tables", 50, "--hands", 2) as load:
        assert_whole(report(load, seconds=240), hands=100)
        assert up.ledger_check().status == 0


def test_killed_in_the_middle_and_started_again_it_finishes_every_hand_and_loses_no_acknowledged_action(tmp_path: Path) -> None:
    with Embedded(tmp_path) as up, up.load("--tables", 50, "--hands", 2) as load:
        up.play_until(load, 1000)
        up.process.kill()
        up.start()
        found = report(load, seconds=240)
        assert_whole(found, hands=100)
        assert found["streams_broken"] > 0
        assert up.ledger_check().status == 0


def test_told_to_stop_it_ends_cleanly_and_goes_on_with_the_same_wallets(tmp_path: Path) -> None:
    with Embedded(tmp_path) as up:
        with up.load("--tables", 4, "--hands", 1, "--bots", "greedy", "--run", "first") as load:
            assert_whole(report(load, seconds=120), hands=4)
        assert up.process.terminate() == 0
        up.start()
        assert up.ledger_check().status == 0
        with up.load("--tables", 4, "--hands", 1, "--bots", "greedy", "--run", "second") as load:
            assert_whole(report(load, seconds=120), hands=4)
