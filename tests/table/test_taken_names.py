"""An attach that is refused under a name that another seat has: that seat goes on, and nobody may believe that it ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from services.table.store_ownership import Profile, register
from tests.table.play import Gate, seated, until
from tests.table.test_refusals import bad_tokens
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

VOID = pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M)


async def refused(client: Any, token: str) -> tuple[str, str]:
    """Attach under the name 0, and return what was said to that."""
    before = len(client.answers)
    await client.attach(0, token)
    await client.until(lambda: len(client.answers) > before)
    answer = client.answers[-1]
    assert (answer.seat_ref, answer.action_id) == (0, 0)
    return answer.refused, answer.detail


async def test_a_wrong_token_under_a_name_that_is_taken_changes_nothing(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client)
        for name, (token, reason, code) in bad_tokens(w, opened).items():
            assert await refused(client, token) == (reason, code), name
        assert (await client.act(0, VOID)).refused == ""
        await client.caught_up()
        assert not client.of("detached")
        assert len(client.of("attached", 0)) == 1


async def test_a_table_that_is_elsewhere_or_gone_does_not_end_the_seat_whose_name_it_was_asked_under(world: Callable[..., Any]) -> None:
    w = await world()
    later = time.time() + 60
    async with w.client() as client:
        await seated(w, client)
        other = await w.open("p", "q", "r", "s", table_id="other")
        await until(lambda: not w.hall.find("other").in_flight)
        assert await refused(client, w.keys.seat("nowhere", 0, "ann", later)) == ("unknown_table", "")
        await w.hall.database.run(register, Profile("far", "far:7200", 1, ()), 60)
        table = w.hall.tables["other"]
        for change, said in (
            ("owner = 'far', generation = 1", ("moved", "far:7200")),
            ("owner = 'lost'", ("wait", "")),
            ("state = 'closed'", ("closed", "")),
        ):
            await w.hall.database.run(lambda connection, change=change: connection.exec_driver_sql(_FAR.format(change)))
            w.hall.tables.pop("other", None)
            reason, detail = await refused(client, other.tokens[0].token)
            assert (reason, detail if reason == "moved" else "") == said
        w.hall.tables["other"] = table
        assert (await client.act(0, VOID)).refused == ""
        await client.caught_up()
        assert not client.of("detached")
        assert not client.of("moved")


_FAR = "UPDATE tables SET {} WHERE id = 'other'"


async def test_a_seat_attached_again_that_cannot_be_opened_now_is_still_played(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client)
        gate = Gate(w)
        await client.send(pb.Input(seat_ref=3, act=pb.Act(decision=1, action_id=9, do=pb.DO_VOID, suit=mj.SUIT_M)))
        await until(gate.waiting.is_set)
        attach = pb.Input(seat_ref=0, attach=pb.Attach(token=opened.tokens[0].token))
        await client.send(*(attach for _ in range(20)))
        await client.until(lambda: any(answer.refused == "unavailable" for answer in client.answers))
        gate.let_go()
        assert (await client.act(0, VOID)).refused == ""
        await client.caught_up()
        assert not client.of("detached")


async def test_a_name_that_nobody_has_is_told_as_ever(world: Callable[..., Any]) -> None:
    w = await world(options={"stream_seats": 4})
    async with w.client() as client:
        opened = await seated(w, client)
        await client.attach(9, opened.tokens[0].token)
        assert (await client.wait_for("detached", 9))[0].reason == "too_many_seats"
        await client.attach(9, "x")
        assert (await client.wait_for("detached", 9, count=2))[1].reason == "bad_token"
        assert not [answer for answer in client.answers if answer.seat_ref == 9]
