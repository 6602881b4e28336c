"""A claim window that is longer than a client's patience: the server holds the answers back, and is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.network.players import Party
from tests.table.world import Rules
from xuezhan.client import health

NAMES = ("ann", "bob", "cem", "dee")


async def test_a_claim_whose_answer_waits_for_a_long_window_costs_no_seat_its_connection(worlds: Callable[..., Any], hurry: None) -> None:
    """As a window of 3 s and more is to a client that does not hurry."""
    w, proxy = await worlds(rules=Rules(window=1200))
    async with Party(w, proxy.address) as party:
        players = party.sit(await w.open(*NAMES), 0, 1, 2, 3)

        def waited() -> float:
            return max((one.answered_at - one.sent_at for player in players for one in player.acts if one.answered_at), default=0.0)

        async with asyncio.timeout(60):
            while waited() <= health.SILENCE_SECONDS * 1.5:
                players[0].changed.clear()
                await players[0].changed.wait()
        assert [player.names.count("attached") for player in players] == [1] * 4
        assert (party.streams.reconnects, party.streams.broken) == (0, 0)
