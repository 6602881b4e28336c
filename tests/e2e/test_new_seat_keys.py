"""The ring of seat tokens is changed under live tables: clients get new tokens with their tickets, as after an upgrade, and play on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.kit import make_keys
from tests.e2e.installation import Embedded, assert_whole, report

pytestmark = pytest.mark.timeout(300)


def test_clients_whose_seat_tokens_are_of_a_ring_used_no_more_play_on_with_new_ones(tmp_path: Path) -> None:
    with Embedded(tmp_path) as up, up.load("--tables", 10, "--hands", 2) as load:
        up.play_until(load, 300)
        up.process.kill()
        ring = make_keys.new_ring()
        secret = ring.signing()[1].decode()
        (up.keys / "table" / "seats.json").write_text(json.dumps({"current": ring.current, "keys": {ring.current: secret}}))
        up.start()
        assert_whole(report(load, seconds=240), hands=20)
