"""Too much waits for one seat of a stream with many: that seat is shown its table anew, and the others do not notice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from services.kit.meters import Meter
from services.table import pace
from services.table.attach import view_of
from services.table.backlog import Pool
from services.table.codec import wire
from services.table.streams import Limits, Stream
from tests.table.play import PLAYERS, until
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb

SEAT_BYTES = 8 * 1024
_ROUND = pb.Event(seat_changed=pb.SeatChanged(seat=1)).SerializeToString()


@asynccontextmanager
async def stalled(stream: Stream) -> AsyncIterator[None]:
    """Let nothing that waits for the client be written meanwhile."""
    go_on, flush = asyncio.Event(), Stream.flush

    async def stuck(self: Stream, write: Any) -> None:
        if self is stream:
            await go_on.wait()
        await flush(self, write)

    Stream.flush = stuck  # type: ignore[method-assign]
    try:
        yield
    finally:
        Stream.flush = flush  # type: ignore[method-assign]
        go_on.set()


def cut(w: World) -> bool:
    """Whether a seat had to resync."""
    return bool(w.hall.metrics.overflows.labels("seat")._value.get())


async def test_a_flooded_seat_resyncs_and_the_others_of_its_stream_and_table_miss_nothing(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=0.3), options={"seat_bytes": SEAT_BYTES, "auto_pause_ms": 200})
    async with w.client() as gateway:
        await gateway.attach_all(await w.open(*PLAYERS, table_id="t"))
        await gateway.attach_all(await w.open("p", "q", "r", "s", table_id="u"), first_ref=4)
        await gateway.until(lambda: len(gateway.offers) == 8)
        table, other = w.hall.find("t"), w.hall.find("u")
        seat = table.seats[0]
        async with stalled(seat.stream):
            before = list(other.course.counts)
            await gateway.send(*(pb.Input(seat_ref=0, resync=pb.Resync()) for _ in range(40)))
            await until(lambda: cut(w))
            # Its table and the other play on meanwhile, by their timers.
            await until(lambda: other.course.counts[0] > before[0] + 2 and table.course.counts[1] > before[1] + 2)
            assert seat.stream._size < 8 * SEAT_BYTES
        await gateway.wait_for("resync_needed", 0)
        await gateway.caught_up()
        assert {ref for ref, _, event in gateway.events if event.HasField("resync_needed")} == {0}
        for ref in range(1, 8):
            first, numbers = gateway.of("view", ref)[0].number, gateway.numbers(ref)
            assert numbers == list(range(first + 1, first + 1 + len(numbers)))
            assert len(gateway.of("view", ref)) == 1
        seen = len(gateway.of("view", 0))
        await gateway.send(pb.Input(seat_ref=0, resync=pb.Resync()))
        view = (await gateway.wait_for("view", 0, count=seen + 1))[-1]
        assert view.number >= before[0]
        assert w.hall.metrics.overflows.labels("stream")._value.get() == 0


async def test_the_view_of_a_seat_that_was_flooded_is_the_servers(world: Callable[..., Any]) -> None:
    w = await world(options={"seat_bytes": SEAT_BYTES, "auto_pause_ms": 200})
    async with w.client() as gateway:
        await gateway.attach_all(await w.open(*PLAYERS, table_id="t"))
        await gateway.wait_for("offer", 3)
        seat = w.hall.find("t").seats[2]
        async with stalled(seat.stream):
            await gateway.send(*(pb.Input(seat_ref=2, resync=pb.Resync()) for _ in range(40)))
            await until(lambda: cut(w))
        await gateway.wait_for("resync_needed", 2)
        await gateway.caught_up()
        seen = len(gateway.of("view", 2))
        await gateway.send(pb.Input(seat_ref=2, resync=pb.Resync()))
        shown = (await gateway.wait_for("view", 2, count=seen + 1))[-1]
        theirs = view_of(w.hall.find("t"), 2)
        for view in (shown, theirs):
            view.offer.ClearField("time_left_ms")
        assert shown == theirs


class Held:
    """A seat on a stream, and nothing else."""

    def __init__(self, stream: Stream, ref: int) -> None:
        self.ref = ref
        self.name = wire.varint(ref)
        self.live = True
        stream.hold(self)

    def hear(self, *, live: bool) -> None:
        self.live = live

    def end(self) -> None:
        raise NotImplementedError


def stream_of(seats: int, limits: Limits, pool: Pool | None = None) -> tuple[Stream, list[Held], list[str]]:
    overflowed: list[str] = []
    stream = Stream(limits, pool or Pool(), pace.Pace(Meter()), lambda: True, overflowed.append)
    return stream, [Held(stream, ref) for ref in range(seats)], overflowed


async def written(stream: Stream) -> pb.PlayResponse:
    """Return all that waits, as the client reads it."""
    data: list[bytes] = []

    async def write(chunk: bytes) -> None:
        data.append(chunk)

    await stream.flush(write)
    return pb.PlayResponse.FromString(b"".join(data))


def shared(numbers: Iterator[int], *refs: int) -> bytes:
    """An event that several seats may see, each under the next number of its own count."""
    number = next(numbers)
    return wire.counted_event(wire.event_head([wire.varint(ref) for ref in refs]), [number + ref for ref in refs], _ROUND)


async def test_an_event_that_others_share_with_a_flooded_seat_is_theirs_all_the_same() -> None:
    stream, held, overflowed = stream_of(400, Limits(20_000, 2 * 1024 * 1024, 1000, 32 * 1024, 0))
    numbers = iter(range(1, 10_000))
    told = wire.event(held[300].name, b"", pb.Event(moved=pb.Moved(epoch=7)).SerializeToString())
    stream.keep(told)
    stream.put(wire.answer(held[300].name, 5, 1))
    while held[300].live:
        stream.put_all([shared(numbers, 7, 300), *(shared(numbers, 300) for _ in range(19))])
    stream.put(shared(numbers, 7))
    count = next(numbers) - 1
    response = await written(stream)
    assert [number - 7 for event in response.events for ref, number in zip(event.seat_refs, event.numbers, strict=False) if ref == 7] == [
        *range(1, count, 20),
        count,
    ]
    assert [event.WhichOneof("what") for event in response.events if 300 in event.seat_refs] == ["moved", "resync_needed"]
    assert [answer.action_id for answer in response.answers] == [5]
    assert overflowed == ["seat"]
    assert [one.ref for one in held if not one.live] == [300]
    assert stream._pool.used == 0


async def test_a_stream_of_thousands_of_seats_has_room_for_the_views_of_all() -> None:
    stream, held, overflowed = stream_of(4000, Limits(20_000, 2 * 1024 * 1024, 50_000, 32 * 1024, 0))
    view = pb.Event(view=pb.View(money=[2**50] * 250)).SerializeToString()
    assert len(view) > 1800
    for one in held:
        stream.put(wire.event(one.name, b"", view))
    assert not overflowed
    assert len((await written(stream)).events) == 4000


async def test_when_too_much_waits_for_all_clients_a_stream_of_many_seats_has_a_part_for_each() -> None:
    pool = Pool(1_000_000)
    limits = Limits(1000, 4 * 1024 * 1024, 1000, 4 * 1024 * 1024, 0)
    gateway, held, lost = stream_of(90, limits, pool)
    hungry, _, overflowed = stream_of(10, limits, pool)
    chunks = [wire.event(one.name, b"", b"\x22" * 1000) for one in held]
    gateway.put_all((chunks * 2)[:150])
    while not (overflowed or lost):
        hungry.put(wire.event(b"\x00", b"", b"\x22" * 1000))
        gateway.put(b"\x22")
    assert not lost, "it has more than the other, and less than its seats' part"
    gateway.gone()
    hungry.gone()
    assert (pool.used, pool.parts) == (0, 0)


async def test_a_client_that_reads_nothing_leaves_no_more_than_the_bound_of_its_stream_waiting() -> None:
    """However many seats it has, and none of them has much."""
    limits = Limits(1000, 64 * 1024, 1000, 64 * 1024, 0)
    stream, held, overflowed = stream_of(100, limits)
    numbers = iter(range(1, 1_000_000))
    most = 0
    for _ in range(200):
        for one in held:
            stream.put(shared(numbers, one.ref))
            most = max(most, stream._size)
            one.live = True
    assert most <= limits.size + len(held) * 4096
    assert set(overflowed) == {"stream"}
