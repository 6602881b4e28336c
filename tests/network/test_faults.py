"""Each fault of a network, while each kind of word is under way, between a client and a real table server.

However it goes: no acknowledged act is lost, none is done twice, every act is answered soon after the way is open, nobody sees a fault of
the server, and nothing of what was lost stays in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.network.players import (
    NAMES,
    Party,
    Player,
    assert_answered,
    assert_played_once,
    record,
    streams_alive,
)
from tests.support.proxy import DOWN, UP, Proxy
from tests.table.play import until

LASTS_SECONDS = 1.0
"""Longer than a server may be silent, in the hurry of these tests."""


def cut(proxy: Proxy) -> None:
    """Connections break, and new ones too."""
    proxy.mend()
    proxy.cut()


def deafen(proxy: Proxy) -> None:
    """Nothing reaches the server, whose words come through."""
    proxy.mend()
    proxy.hold(UP)


def mute(proxy: Proxy) -> None:
    """Nothing comes from the server, which hears everything."""
    proxy.mend()
    proxy.hold(DOWN)


def hold(proxy: Proxy) -> None:
    """Nothing passes, and nothing breaks."""
    proxy.mend()
    proxy.hold()


def delay(proxy: Proxy) -> None:
    """Everything takes long."""
    proxy.mend()
    proxy.delay(0.2)


def lose(proxy: Proxy) -> None:
    """The connections that there are never pass anything again; new ones work."""
    proxy.lose()
    proxy.mend()


async def idle(_ann: Player, _proxy: Proxy) -> None:
    """Nothing is under way."""


async def act(ann: Player, proxy: Proxy) -> None:
    """An act is on its way to the server."""
    proxy.hold(UP)
    ann.answer()
    await until(lambda: proxy.waiting(UP))


async def answer(ann: Player, proxy: Proxy) -> None:
    """The answer to an act is on its way to the player."""
    seat = ann.server_seat
    before = len(seat.accepted or ())
    proxy.hold(DOWN)
    ann.answer()
    await until(lambda: len(seat.accepted or ()) > before and proxy.waiting(DOWN))


async def attach(ann: Player, proxy: Proxy) -> None:
    """A seat that lost its connection is on its way back, with an act."""
    proxy.hold(UP)
    proxy.break_all()
    await until(lambda: not ann.seat.attached)
    ann.answer()
    # More than what HTTP/2 begins with.
    await until(lambda: proxy.waiting(UP) > 300)


@pytest.mark.parametrize("under_way", [idle, act, answer, attach])
@pytest.mark.parametrize("fault", [cut, deafen, mute, hold, delay, lose])
async def test_no_fault_of_a_network_costs_an_act(
    worlds: Callable[..., Any], hurry: None, fault: Callable[[Proxy], None], under_way: Callable[..., Any]
) -> None:
    w, proxy = await worlds(options={"stream_idle_seconds": 0.5})
    tasks = len(asyncio.all_tasks())
    async with Party(w, proxy.address) as far, Party(w, f"127.0.0.1:{proxy.target}") as near:
        opened = await w.open(*NAMES)
        (ann,) = far.sit(opened, 0, waits_at=2)
        others = near.sit(opened, 1, 2, 3)
        # An offer that all have, so that what others do does not end it.
        await ann.until(lambda: ann.offer is not None and ann.offers == 2)
        ann.server_seat = w.hall.find(opened.table_id).seats[0]
        await under_way(ann, proxy)
        fault(proxy)
        await asyncio.sleep(LASTS_SECONDS)
        proxy.mend()
        open_at = asyncio.get_running_loop().time()
        ann.go_on()
        for player in (ann, *others):
            await player.until(player.done)
        assert_answered([ann, *others], open_at)
        assert (said := ann.acts[1].answer) is not None
        assert said.refused == "", "what was under way took effect, and its answer says so"
        assert_played_once(await record(w, opened.table_id), [ann, *others])
        assert far.streams.broken <= 3
    await until(lambda: not w.hall.streams)
    proxy.forget()
    await until(lambda: not proxy.links)
    await until(lambda: len(asyncio.all_tasks()) <= tasks)
    assert w.hall.pool.used == 0
    assert streams_alive() == 0


async def test_a_player_without_a_word_to_say_notices_that_nothing_comes_and_hears_what_was_missed(
    worlds: Callable[..., Any], hurry: None
) -> None:
    """Without a heartbeat nobody would notice: nothing is sent that could fail."""
    w, proxy = await worlds()
    async with Party(w, proxy.address) as far, Party(w, f"127.0.0.1:{proxy.target}") as near:
        opened = await w.open(*NAMES)
        (ann,) = far.sit(opened, 0, waits_at=2)
        near.sit(opened, 1, 2, 3)
        await ann.until(lambda: ann.offers == 2)
        heard = ann.names.count("attached")
        proxy.lose()
        await ann.until(lambda: ann.names.count("attached") > heard, 10)
        assert far.streams.reconnects >= 1
        ann.go_on()
        await ann.until(ann.done)
        assert_played_once(await record(w, opened.table_id), [ann])


async def test_an_idle_stream_is_not_given_up_while_its_server_is_there(worlds: Callable[..., Any], hurry: None) -> None:
    w, proxy = await worlds()
    async with Party(w, proxy.address) as far:
        opened = await w.open(*NAMES)
        players = far.sit(opened, 0, 1, 2, 3, waits_at=1)
        for player in players:
            await player.until(lambda player=player: player.offers)
        await asyncio.sleep(2.0)
        assert (far.streams.broken, far.streams.reconnects, len(proxy.links)) == (0, 0, 1)
