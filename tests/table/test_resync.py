"""Counted events, full views, coming back, and streams that are too slow."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest
from grpc import aio

from services.table.codec import wire
from services.table.outlet import RING
from tests.table.play import Gate, seated, until
from tests.table.world import Rules
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb


async def test_each_seats_events_are_numbered_without_a_gap(world: Callable[..., Any]) -> None:
    """Over one stream or over one for each, whatever the others were asked or answered."""
    w = await world()
    async with w.client() as all_in_one:
        await seated(w, all_in_one)
        await all_in_one.play(random.Random(5), lambda: bool(all_in_one.of("table_closed", 0)))
        for ref in range(4):
            numbers = all_in_one.numbers(ref)
            first = all_in_one.of("view", ref)[0].number
            assert numbers == list(range(first + 1, first + 1 + len(numbers)))


async def test_a_client_that_comes_back_gets_what_followed(world: Callable[..., Any]) -> None:
    """From the last number it saw, while that is kept; with no view."""
    w = await world()
    async with w.client() as client, w.client() as other:
        opened = await seated(w, client)
        await other.attach(1, opened.tokens[1].token)
        last = (await other.wait_for("view"))[0].number
        await client.attach(1, opened.tokens[1].token)
        await other.wait_for("detached")
        await client.play(random.Random(5), lambda: len(client.of("discarded", 0)) > 3)
        await other.attach(1, opened.tokens[1].token, last)
        await other.until(lambda: len(other.numbers(1)) > 3)
        assert other.numbers(1)[0] == last + 1
        assert len(other.of("view")) == 1
        theirs = {number: event.WhichOneof("what") for ref, number, event in client.events if ref == 1 and number}
        assert {n: e.WhichOneof("what") for _, n, e in other.events if n in theirs} == {
            n: theirs[n] for n in other.numbers(1) if n in theirs
        }


async def test_numbers_that_are_no_longer_kept_or_never_were_get_a_full_view(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(5), lambda: client.numbers(0)[-1:] > [RING + 2])
        await until(lambda: not w.hall.find("t").in_flight)
        for count, number in enumerate((1, 100_000, 0), 2):
            await client.send(pb.Input(seat_ref=0, resync=pb.Resync(last_number=number)))
            views = await client.wait_for("view", 0, count=count)
            assert views[-1].number == w.hall.find("t").course.counts[0]


async def test_a_view_shows_its_own_tiles_and_the_counts_of_the_others(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(6), lambda: len(client.of("discarded", 0)) > 5)
        await client.send(pb.Input(seat_ref=2, resync=pb.Resync()))
        view = (await client.wait_for("view", 2, count=2))[-1].mahjong
        assert view.seats[2].concealed
        assert not any(view.seats[other].concealed for other in (0, 1, 3))
        assert all(seat.concealed_count for seat in view.seats)


async def test_a_seat_attached_elsewhere_hears_so_and_nothing_more(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as first, w.client() as second:
        opened = await seated(w, first)
        await second.attach(5, opened.tokens[2].token)
        await second.wait_for("view", 5)
        assert (await first.wait_for("detached", 2))[0].reason == "attached_elsewhere"
        heard = len([event for event in first.events if event[0] == 2])
        assert (await first.act(2, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == "not_attached"
        assert (await second.act(5, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == ""
        await first.caught_up()
        assert len([event for event in first.events if event[0] == 2]) == heard


async def test_the_same_seat_under_another_name_on_one_stream_has_the_new_name(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client)
        await client.attach(300, opened.tokens[0].token)
        await client.wait_for("view", 300)
        assert (await client.wait_for("detached", 0))[0].reason == "attached_elsewhere"
        assert (await client.act(300, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == ""


async def test_a_name_given_to_another_seat_leaves_the_first_without_a_stream(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client)
        await client.attach(0, opened.tokens[1].token)
        await client.until(lambda: len(client.of("attached", 0)) == 2)
        table = w.hall.find("t")
        assert table.seats[0].stream is None
        assert table.seats[1].attachment.name == wire.varint(0)
        assert (await client.act(1, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == "not_attached"


async def test_a_client_that_does_not_read_is_not_read_and_holds_nobody_up(world: Callable[..., Any]) -> None:
    """Its answers fill its own queue; then its requests wait. Another table is played meanwhile."""
    w = await world(options={"stream_bytes": 65_536})
    async with w.client() as stalled, w.client() as client:
        opened = await w.open("p", "q", "r", "s", table_id="stalled")
        await stalled.attach_all(opened)
        await stalled.wait_for("view", 3)
        bad = pb.Act(decision=1, action_id=3, do=pb.DO_WIN)
        await stalled.act(0, bad)
        stream = next(iter(w.hall.find("stalled").seats)).stream
        write = asyncio.Event()
        flush = type(stream).flush

        async def stuck(self: Any, to: Any) -> None:
            if self is stream:
                await write.wait()
            await flush(self, to)

        type(stream).flush = stuck
        try:
            for _ in range(20):
                await stalled.send(*(pb.Input(seat_ref=0, act=bad) for _ in range(200)))
            await seated(w, client, "good")
            await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0)))
            assert stream._size < 65_536
            write.set()
            await stalled.until(lambda: len(stalled.answers) == 4001)
        finally:
            type(stream).flush = flush


async def test_watchers_see_the_public_view_and_nothing_else(world: Callable[..., Any]) -> None:
    from services.kit import rpc

    w = await world()
    events: list[pb.Event] = []
    async with w.client() as client, w.stub() as stub:
        await seated(w, client)
        call = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(w.viewer_token()))

        async def follow() -> None:
            async for response in call:
                events.extend(response.events)

        watching = asyncio.ensure_future(follow())
        await until(lambda: events)
        await client.play(random.Random(5), lambda: bool(client.of("table_closed", 0)))
        await asyncio.wait_for(watching, 10)
    view, *rest = events
    assert not any(seat.concealed for seat in view.view.mahjong.seats)
    assert [event.numbers[0] for event in rest] == list(range(view.view.number + 1, view.view.number + 1 + len(rest)))
    assert not any(event.drew.tile for event in rest if event.WhichOneof("what") == "drew")
    assert not any(event.WhichOneof("what") in {"offer", "attached"} for event in rest)
    assert rest[-1].WhichOneof("what") == "table_closed"


async def test_watchers_of_a_room_with_a_delay_see_everything_later(world: Callable[..., Any]) -> None:
    from services.kit import rpc

    w = await world(rules=Rules(delay=0.4))
    arrived: list[tuple[float, str]] = []
    loop = asyncio.get_running_loop()
    async with w.client() as client, w.stub() as stub:
        await seated(w, client)
        started = loop.time()
        call = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(w.viewer_token()))

        async def follow() -> None:
            async for response in call:
                arrived.extend((loop.time() - started, event.WhichOneof("what") or "") for event in response.events)

        watching = asyncio.ensure_future(follow())
        await until(lambda: w.hall.find("t").outlet.watchers)
        for ref in range(4):
            await client.act(ref, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))
        shown = loop.time() - started
        await until(lambda: any(what == "voids_shown" for _, what in arrived))
        call.cancel()
        await asyncio.wait([watching])
    assert arrived[0][1] == "view"
    assert arrived[0][0] >= 0.4
    assert next(at for at, what in arrived if what == "voids_shown") >= 0.4
    assert shown < 0.4 or next(at for at, what in arrived if what == "voids_shown") >= shown


async def test_a_client_that_asks_for_view_after_view_waits_for_them_itself(world: Callable[..., Any]) -> None:
    """What is dear and not needed delays its own stream, not the table."""
    w = await world(options={"seat_bytes": 1024 * 1024})
    async with w.client() as greedy, w.client() as client:
        await seated(w, greedy)
        await greedy.send(*(pb.Input(seat_ref=0, resync=pb.Resync()) for _ in range(200)))
        await greedy.wait_for("view", 0, count=201)
        started = asyncio.get_running_loop().time()
        await greedy.send(pb.Input(seat_ref=1, act=pb.Act(decision=1, action_id=3, do=pb.DO_WIN)))
        await seated(w, client, "u")
        assert (await client.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == ""
        await greedy.until(lambda: bool(greedy.answers))
        assert asyncio.get_running_loop().time() - started > 0.5


async def test_wrong_tokens_one_after_the_other_slow_their_own_stream(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        started = asyncio.get_running_loop().time()
        await client.send(*(pb.Input(seat_ref=ref, attach=pb.Attach(token="x")) for ref in range(300)))
        await client.wait_for("detached", count=300)
        await client.send(pb.Input(seat_ref=1, act=pb.Act(decision=1, action_id=3, do=pb.DO_WIN)))
        await client.until(lambda: bool(client.answers))
        assert asyncio.get_running_loop().time() - started > 0.4


async def test_what_all_watchers_of_a_table_see_is_encoded_once(world: Callable[..., Any]) -> None:
    class Watcher:
        def __init__(self) -> None:
            self.heard: list[bytes] = []

        def event(self, data: bytes, _now: float) -> None:
            self.heard.append(data)

    w = await world()
    async with w.client() as client:
        await seated(w, client)
        one, other = w.hall.find("t").outlet.watchers = [Watcher(), Watcher()]
        await client.play(random.Random(5), lambda: len(client.of("discarded", 0)) > 3)
        assert len(one.heard) > 3
        assert list(map(id, one.heard)) == list(map(id, other.heard))


async def test_one_player_does_not_take_every_watchers_place(world: Callable[..., Any]) -> None:
    from services.kit import rpc
    from services.kit.errors import ExhaustedError

    w = await world()
    async with w.client() as client, w.stub() as stub:
        await seated(w, client)
        request = pb.WatchRequest(table_id="t")
        greedy = rpc.metadata(w.keys.player("greedy"))
        calls = [stub.Watch(request, metadata=greedy) for _ in range(16)]
        for call in calls:
            await call.read()
        with pytest.raises(aio.AioRpcError) as refused:
            await stub.Watch(request, metadata=greedy).read()
        error = rpc.from_rpc(refused.value)
        assert (type(error), error.reason) == (ExhaustedError, "too_many_watches")
        other = stub.Watch(request, metadata=rpc.metadata(w.keys.player("other")))
        assert (await other.read()).events


async def test_a_watcher_that_goes_before_it_was_shown_anything_is_not_kept(world: Callable[..., Any]) -> None:
    from services.kit import rpc

    w = await world()
    async with w.client() as client, w.stub() as stub:
        await seated(w, client)
        gate = Gate(w)
        try:
            await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M)))
            await until(gate.waiting.is_set)
            call = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(w.viewer_token()))
            await until(lambda: w.hall.watchers)
            call.cancel()
            await until(lambda: not w.hall.watchers)
        finally:
            gate.let_go()
        await client.until(lambda: bool(client.answers))
        await client.act(1, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))
        assert not w.hall.find("t").outlet.watchers
