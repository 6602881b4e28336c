"""A connection that is lost right after each of the first messages of a hand, in either direction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.network.players import NAMES, Party, assert_answered, assert_played_once, record
from tests.support.proxy import DOWN, UP, Proxy

MESSAGES = 60


@pytest.mark.parametrize("way", [UP, DOWN])
async def test_a_hand_is_played_whichever_message_is_the_last_of_its_connection(worlds: Callable[..., Any], way: str) -> None:
    w, whole = await worlds()
    begun = asyncio.get_running_loop().time()
    async with AsyncExitStack() as stack:
        parties: list[tuple[Party, Proxy, str]] = []
        for number in range(1, MESSAGES + 1):
            proxy = await stack.enter_async_context(Proxy(whole.target))
            proxy.cut_after[way] = number
            party = await stack.enter_async_context(Party(w, proxy.address))
            opened = await w.open(*NAMES)
            party.sit(opened, 0, 1, 2, 3, seed=number)
            parties.append((party, proxy, opened.table_id))
        for party, proxy, table in parties:
            for player in party.players:
                await player.until(player.done, 90)
            assert not proxy.cut_after, "the connection was lost"
            assert party.streams.broken <= 1
            assert_answered(party.players, begun)
            assert_played_once(await record(w, table), party.players)


@pytest.mark.parametrize("messages", [2, 3, 5])
async def test_a_hand_is_played_over_connections_that_all_are_lost_after_a_few_messages(worlds: Callable[..., Any], messages: int) -> None:
    w, proxy = await worlds()
    begun = asyncio.get_running_loop().time()
    opened = await w.open(*NAMES)
    proxy.cuts_again, proxy.cut_after[DOWN] = True, messages
    async with Party(w, proxy.address) as far, Party(w, f"127.0.0.1:{proxy.target}") as near:
        (ann,) = far.sit(opened, 0)
        others = near.sit(opened, 1, 2, 3)
        for player in (ann, *others):
            await player.until(player.done, 90)
        assert far.streams.broken > 3
        assert_answered([ann, *others], begun)
        assert_played_once(await record(w, opened.table_id), [ann, *others])
