"""Tables get another owner because their server hands them over."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest

from services.kit import rpc
from services.kit.errors import UnavailableError
from services.kit.roles import Role
from services.table import store_ownership
from services.table.mailbox import State
from tests.table.play import PLAYERS, Gate, seated, until
from tests.table.several import Servers, attach, midway, plays_to_the_end, rows, run, servers
from tests.table.test_barriers import Barrier
from tests.table.test_lease import expire
from tests.table.world import Rules
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import ClientError
from xuezhan.client.channels import Channels
from xuezhan.client.tables import Tables

__all__ = ["servers"]


async def test_a_drained_servers_tables_go_on_at_another_and_every_stream_is_told_where(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client, b.client() as there:
        opened = await midway(a, client)
        table = a.hall.find("t")
        asked = [seat for seat, at in enumerate(table.deadlines.answers) if at < float("inf")]
        for seat in asked:
            table.deadlines.answers[seat] -= 20
        left = [table.deadlines.answers[seat] - a.hall.now() for seat in asked]
        await a.service._hand_over.run(patient=False)
        moved = (await client.wait_for("moved", 3))[0]
        assert (moved.address, moved.epoch, list(moved.addresses)) == (b.address, 2, [b.address])
        assert {ref for ref, _, event in client.events if event.WhichOneof("what") == "moved"} == {0, 1, 2, 3}
        assert not client.of("detached")
        after = b.hall.find("t")
        assert after.epoch == 2
        assert asked
        for seat, seconds in zip(asked, left, strict=True):
            assert seconds - 5 < after.deadlines.answers[seat] - b.hall.now() <= seconds, "nobody is given their time again"
        await attach(there, opened, epoch=2)
        await plays_to_the_end(there)


async def test_new_tables_are_not_opened_at_a_server_that_drains(servers: Servers) -> None:
    a, b = await servers(2)
    await a.service._hand_over.run(patient=False)
    with pytest.raises(Exception, match="takes no new tables"):
        await a.open(*PLAYERS, table_id="new")
    assert [server.state for server in await run(b, store_ownership.list_servers)] == ["draining", "serving"]


async def test_an_act_that_comes_while_its_table_moves_is_answered_at_the_new_owner(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client, b.client() as there:
        opened = await seated(a, client)
        hand_over = a.service._hand_over
        move, frozen, go = hand_over._move, asyncio.Event(), asyncio.Event()

        async def moving(*args: Any) -> Any:
            frozen.set()
            await go.wait()
            return await move(*args)

        hand_over._move = moving
        drained = asyncio.ensure_future(hand_over.run(patient=False))
        await frozen.wait()
        table = a.hall.find("t")
        assert table.state is State.FROZEN
        void = pb.Input(seat_ref=0, act=pb.Act(decision=client.offers[0].decision, action_id=77, do=pb.DO_VOID, suit=mj.SUIT_M))
        await client.send(void)
        await until(lambda: bool(table.mailbox))
        go.set()
        await drained
        await client.wait_for("moved", 0)
        await client.caught_up()
        assert not client.answers
        await attach(there, opened, epoch=2)
        await there.wait_for("attached", 0)
        answer = await there.act(0, pb.Act(decision=client.offers[0].decision, action_id=77, do=pb.DO_VOID, suit=mj.SUIT_M))
        assert answer.refused == ""


async def test_the_same_id_gets_the_same_answer_at_the_new_owner(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client, b.client() as there:
        opened = await seated(a, client)
        act = pb.Act(decision=client.offers[0].decision, action_id=77, do=pb.DO_VOID, suit=mj.SUIT_M)
        assert (await client.act(0, act)).refused == ""
        await a.service._hand_over.run(patient=False)
        head = b.hall.find("t").head
        await attach(there, opened)
        await there.wait_for("attached", 0)
        assert (await there.act(0, act)).refused == ""
        assert b.hall.find("t").head == head


@pytest.mark.parametrize("late", [set(), {"t", "u"}], ids=["", "neither rested in a first look"])
async def test_a_table_whose_append_is_slow_goes_with_a_later_batch(servers: Servers, late: set[str]) -> None:
    """One at rest does not wait for it."""
    a, b = await servers(2)
    async with a.client() as client:
        await seated(a, client)
        await a.open("p", "q", "r", "s", table_id="u")
        await until(lambda: not a.hall.relay.waiting and not a.hall.find("u").in_flight and not a.hall.find("u").rows)
        gate = Gate(a)
        await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=5, do=pb.DO_VOID, suit=mj.SUIT_M)))
        await until(gate.waiting.is_set)
        a.service._hand_over._late = late
        drained = asyncio.ensure_future(a.service._hand_over.run(patient=False))
        await until(lambda: b.hall.find("u") is not None, seconds=5)
        assert a.hall.find("t") is not None
        gate.let_go()
        await drained
        assert (await client.wait_for("moved", 0))[0].epoch == 2
        assert [answer.refused for answer in client.answers if answer.action_id == 5] == [""]
    assert b.hall.find("t") is not None


@pytest.mark.parametrize("happened", [True, False])
async def test_while_it_is_not_known_whether_a_table_moved_it_stands_still(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, happened: bool
) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        await seated(a, client)
        move, calls = store_ownership.move, []

        def unheard(*args: Any) -> Any:
            calls.append(1)
            if len(calls) > 1 or happened:
                done = move(*args)
                if len(calls) > 1:
                    return done
                args[0].commit()
            raise UnavailableError("database", "the connection broke")

        monkeypatch.setattr(store_ownership, "move", unheard)
        await a.service._hand_over.run(patient=False)
        assert (await client.wait_for("moved", 0))[0].epoch == 2
        assert not client.of("detached")
    assert len(calls) == (1 if happened else 2)
    await until(lambda: b.hall.find("t") is not None)


async def test_a_target_that_is_not_told_finds_the_tables_by_itself(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client, b.client() as there:
        opened = await seated(a, client)

        async def lost(_address: str, _request: Any) -> None:
            raise UnavailableError("unavailable", "the call is lost")

        a.service._hand_over._take_tables = lost
        await a.service._hand_over.run(patient=False)
        assert b.hall.find("t") is None
        # It waits there meanwhile: the row names this server.
        await attach(there, opened, epoch=2)
        await there.wait_for("attached", 0)
        assert b.hall.find("t").epoch == 2


async def test_a_target_that_dies_with_the_tables_is_followed_by_another_and_never_by_the_source(servers: Servers) -> None:
    a, b, c = await servers(3)
    async with a.client() as client:
        await midway(a, client)

    async def dies(_address: str, _request: Any) -> None:
        await b.crash()

    c_serves = c.service._ownership
    targets = a.service._hand_over._targets
    a.service._hand_over._take_tables = dies

    async def only_b() -> Any:
        return [one for one in await targets() if one.name == b.server_name]

    a.service._hand_over._targets = only_b
    await a.service._hand_over.run(patient=False)
    assert c_serves is not None
    await until(lambda: c.hall.find("t") is not None, seconds=20)
    assert c.hall.find("t").epoch == 3
    assert a.hall.find("t") is None


async def test_a_server_that_nobody_can_take_over_from_stops_and_its_tables_wait(servers: Servers) -> None:
    (a,) = await servers(1)
    async with a.client() as client:
        opened = await midway(a, client)
        digest = a.hall.find("t").course.digest()
        await a.stop()
        await client.until(lambda: client.ended)
    await a.start()
    assert (a.hall.find("t").epoch, a.hall.find("t").course.digest()) == (2, digest)
    assert opened.epoch == 1


async def test_stopping_a_server_hands_its_tables_over(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        await midway(a, client)
        await a.stop()
        await client.wait_for("moved", 0)
    assert b.hall.find("t") is not None
    assert b.hall.find("t").epoch == 2


async def test_stopping_a_server_that_drains_breaks_no_batch_off(servers: Servers) -> None:
    a, b = await servers(2)
    await a.open(*PLAYERS, table_id="t")
    take_tables, called, go, told = a.service._hand_over._take_tables, asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def taking(*args: Any) -> None:
        called.set()
        await go.wait()
        await take_tables(*args)
        told.set()

    a.service._hand_over._take_tables = taking
    # What it is not told of it would find by itself.
    b.service._ownership._take_up_missing = lambda *_: asyncio.sleep(0)
    a.service._begin_to_drain()
    await called.wait()
    stopping = asyncio.ensure_future(a.stop())
    await until(lambda: a.service._stopping)
    go.set()
    await stopping
    assert told.is_set()
    assert b.hall.find("t").epoch == 2


async def test_a_hand_over_that_was_broken_off_after_its_commit_leaves_no_table_speaking_at_the_source(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        await midway(a, client)
        barrier = Barrier(a, "move", "after")
        first = asyncio.ensure_future(a.service._hand_over.run(patient=False))
        await barrier.reached.wait()
        first.cancel()
        a.service._ownership._reconcile = lambda: asyncio.sleep(0)
        await a.service._hand_over.run(patient=False)
        moved = (await client.wait_for("moved", 0))[0]
        assert (moved.address, moved.epoch) == (b.address, 2)
        assert not client.of("detached")


async def test_a_server_that_is_told_to_drain_while_it_has_no_lease_drains_when_it_has_one(servers: Servers) -> None:
    a, b = await servers(2)
    await a.open(*PLAYERS, table_id="t")
    a.hall.silence()
    announcing = asyncio.ensure_future(a.service._hand_over.announce())
    await asyncio.sleep(0)
    # As one that asked for its lease before it was told.
    a.hall.open = True
    await asyncio.wait_for(announcing, 10)
    states = {one.name: one.state for one in await run(b, store_ownership.list_servers)}
    assert states == {a.server_name: "draining", b.server_name: "serving"}


async def test_a_server_that_loses_its_lease_while_it_drains_goes_on_until_it_has_no_table(servers: Servers) -> None:
    (a,) = await servers(1)
    async with a.client() as client:
        await midway(a, client)
    draining = asyncio.ensure_future(a.service._hand_over.run(patient=True))
    await until(lambda: a.service._hand_over._announced == a.hall.lease.owner)
    await run(a, expire, a.server_name)
    await until(lambda: a.hall.owns(2))
    await until(lambda: a.hall.find("t") is not None, seconds=10)
    assert not draining.done()
    (b,) = await servers(1)
    await asyncio.wait_for(draining, 20)
    await until(lambda: b.hall.find("t") is not None)
    assert b.hall.find("t").epoch == 3


async def test_an_operator_drains_a_server_and_hears_how_far_it_is(servers: Servers) -> None:
    a, b = await servers(2)
    await a.open(*PLAYERS, table_id="t")
    token = rpc.metadata(a.keys.part(Role.OPERATOR, Role.TABLE))
    async with a.stub() as stub, asyncio.timeout(10):
        with pytest.raises(grpc.aio.AioRpcError, match="this is"):
            await stub.Drain(pb.DrainRequest(server=b.server_name), metadata=token)
        assert (await stub.Drain(pb.DrainRequest(server=a.server_name), metadata=token)).tables == 1
        await until(lambda: b.hall.find("t") is not None)
        assert (await stub.Drain(pb.DrainRequest(server=a.server_name), metadata=token)).tables == 0
    assert (await rows(b))["t"][0] == b.server_name


async def test_hashes_for_the_next_shuffle_go_over_too(servers: Servers) -> None:
    a, b = await servers(2, Rules(contribution=60))
    async with a.client() as client:
        opened = await a.open(*PLAYERS, table_id="t")
        await client.attach(0, opened.tokens[0].token, contribution_hash=b"h" * 32)
        await client.wait_for("attached", 0)
        await a.service._hand_over.run(patient=False)
    seats = b.hall.find("t").seats
    assert (seats[0].hash, seats[0].expected, seats[1].hash, seats[1].expected) == (b"h" * 32, True, b"", True)


async def test_a_seat_that_has_heard_of_a_later_epoch_is_not_served_by_an_older_owner(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        opened = await midway(a, client)
    async with a.client() as late:
        # Keeps it from noticing.
        a.service._ownership._reconcile = lambda: asyncio.sleep(0)
        await run(a, store_ownership.move, a.hall.lease.owner, b.hall.lease.owner, [(a.hall.find("t").num, 1)], 0.1)
        await attach(late, opened, epoch=2)
        moved = (await late.wait_for("moved", 0))[0]
        assert (moved.address, moved.epoch) == (b.address, 2)
        assert not late.of("attached")


async def test_clients_are_told_different_spare_servers(servers: Servers) -> None:
    """Else all clients of a lost server would ask the same two."""
    (a,) = await servers(1)
    for name in "bcdef":
        await run(a, store_ownership.register, store_ownership.Profile(name, f"{name}:1", 10, ()), 60.0)
    a.hall.directory.forget()
    await a.hall.directory.servers()
    told = [a.hall.addresses() for _ in range(100)]
    assert {len(set(addresses)) for addresses in told} == {3}
    assert {addresses[0] for addresses in told} == {a.address}
    assert {address for addresses in told for address in addresses[1:]} == {"b:1", "c:1", "d:1", "e:1", "f:1"}


async def test_who_watches_or_reads_records_elsewhere_is_told_where_the_table_is(servers: Servers) -> None:
    a, b = await servers(2)
    await a.open(*PLAYERS, table_id="t")
    await a.service._hand_over.run(patient=False)
    token, reader = rpc.metadata(a.viewer_token()), rpc.metadata(a.reader_token())
    async with a.stub() as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.Watch(pb.WatchRequest(table_id="t"), metadata=token).read()
        error = rpc.from_rpc(refused.value)
        assert (error.reason, error.metadata["address"]) == ("moved", b.address)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.GetRecord(pb.GetRecordRequest(table_id="t"), metadata=reader)
        assert rpc.from_rpc(refused.value).reason == "moved"
    channels = Channels()
    try:
        watch = Tables(channels, a.address).watch(a.viewer_token(), "t")
        assert (await anext(watch)).WhichOneof("what") == "view"
        await watch.aclose()
        with pytest.raises(ClientError, match="not_over"):
            await Tables(channels, a.address).record_lines(a.reader_token(), "t")
    finally:
        await channels.close()
