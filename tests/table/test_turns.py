"""The seats of a gateway: one that asks for too much waits alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from services.table import turns
from services.table.turns import Turns
from tests.table.play import seated, until
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

QUIET_SECONDS = 0.2


async def test_a_seat_of_a_gateway_that_asks_too_much_waits_and_the_others_do_not(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client(gateway=True) as gateway:
        await seated(w, gateway)
        before = len(gateway.of("view"))
        for _ in range(20):
            await gateway.send(*[pb.Input(seat_ref=3, resync=pb.Resync())] * 20)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for seat in (0, 1, 2):
            assert not (await gateway.act(seat, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused
        assert loop.time() - begun < QUIET_SECONDS
        assert len(gateway.of("view")) - before < 100, "the rest waits, or is not looked at"
        assert not (await gateway.act(3, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused, "it is played on"


async def test_acts_of_a_seat_beyond_those_that_may_wait_are_refused_and_the_stream_goes_on(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client(gateway=True) as gateway:
        await seated(w, gateway)
        acts = [pb.Input(seat_ref=3, act=pb.Act(decision=9, action_id=number, do=pb.DO_WIN)) for number in range(1, 201)]
        await gateway.send(*acts)
        await gateway.until(lambda: len(gateway.answers) == 200)
        assert {answer.refused for answer in gateway.answers} == {"stale", "too_many"}
        assert not (await gateway.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused
        assert not gateway.ended


async def test_what_a_seat_sent_is_done_in_its_order() -> None:
    done: list[int] = []
    late: list[int] = []
    of_seats = Turns()
    of_seats.slow(b"a", turns._AHEAD_SECONDS)
    for number in range(turns.MOST_WAITING + 5):
        of_seats.take(b"a", lambda number=number: done.append(number), lambda number=number: late.append(number))  # type: ignore[misc]
    of_seats.take(b"b", lambda: done.append(100), lambda: late.append(100))
    assert done == [100], "another seat has its turn at once"
    await until(lambda: len(done) == turns.MOST_WAITING + 1)
    assert done[1:] == list(range(turns.MOST_WAITING))
    assert late == list(range(turns.MOST_WAITING, turns.MOST_WAITING + 5))


async def test_what_waits_for_a_client_that_has_gone_is_forgotten() -> None:
    done: list[int] = []
    of_seats = Turns()
    of_seats.slow(b"a", turns._AHEAD_SECONDS)
    of_seats.take(b"a", lambda: done.append(1), lambda: None)
    of_seats.close()
    await asyncio.sleep(0.05)
    assert done == []
