"""Players' bytes in the shuffle of every hand: how a hash comes, how long it counts, and who is waited for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from tests.table.play import Gate, until
from tests.table.shuffling import ROOM, come, committed, contribute, given, hash_of, played, reveal, sit
from tests.table.test_duel import Duel, records
from tests.table.test_refill import gone
from xuezhan.api.table.v1 import table_pb2 as pb

BOTH = {seat: hash_of(seat, 1) for seat in (0, 1)}


async def test_every_hand_is_dealt_with_the_bytes_of_both_players(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=3, contribution=60))
    async with w.client() as client:
        await sit(w, client, BOTH)
        for hand in (1, 2, 3):
            shown = await committed(client, hand)
            assert list(shown.contribution_hashes) == [hash_of(0, hand), hash_of(1, hand)]
            for seat in (0, 1):
                await reveal(client, seat, given(seat, hand))
                assert await contribute(client, seat, hash_of(seat, hand + 1)) == hash_of(seat, hand + 1)
            await played(w, client, hand)
        await client.wait_for("table_closed", 0)
    found = await records(w)
    assert [record["contributions"] for record in found] == [[given(seat, hand).hex() for seat in (0, 1)] for hand in (1, 2, 3)]
    assert [record["contribution_hashes"] for record in found] == [[hash_of(seat, hand).hex() for seat in (0, 1)] for hand in (1, 2, 3)]


async def test_a_hash_that_comes_after_the_commitment_counts_for_the_hand_after(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2, contribution=60))
    async with w.client() as client:
        await sit(w, client, {0: hash_of(0, 1)})
        assert list((await committed(client, 1)).contribution_hashes) == [hash_of(0, 1), b""]
        await contribute(client, 1, hash_of(1, 2))
        await reveal(client, 0, given(0, 1))
        await contribute(client, 0, b"")
        await played(w, client, 1)
        assert list((await committed(client, 2)).contribution_hashes) == [b"", hash_of(1, 2)]


async def test_who_declines_is_not_waited_for_until_they_contribute_again(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=3, contribution=60))
    async with w.client() as client:
        await sit(w, client, BOTH)
        await committed(client, 1)
        await reveal(client, 0, given(0, 1))
        await reveal(client, 1, given(1, 1))
        await contribute(client, 0, hash_of(0, 2))
        assert await contribute(client, 0, b"") == b""
        await contribute(client, 1, b"")
        await played(w, client, 1)
        assert list((await committed(client, 2)).contribution_hashes) == [b"", b""]
        await contribute(client, 0, hash_of(0, 3))
        await played(w, client, 2)
        assert list((await committed(client, 3)).contribution_hashes) == [hash_of(0, 3), b""]


async def test_who_took_part_is_waited_for_only_so_long_and_then_not_again(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=3, contribution=1))
    now = asyncio.get_running_loop().time
    async with w.client() as client:
        await sit(w, client, BOTH)
        await committed(client, 1)
        await reveal(client, 0, given(0, 1))
        await reveal(client, 1, given(1, 1))
        await contribute(client, 0, hash_of(0, 2))
        await played(w, client, 1)
        began = now()
        assert list((await committed(client, 2)).contribution_hashes) == [hash_of(0, 2), b""]
        assert now() - began > 0.8
        await reveal(client, 0, given(0, 2))
        await contribute(client, 0, hash_of(0, 3))
        await played(w, client, 2)
        began = now()
        await committed(client, 3)
        assert now() - began < 0.8


async def test_bytes_that_do_not_come_are_null_and_their_player_is_not_waited_for_until_they_contribute(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=3, contribution=2))
    now = asyncio.get_running_loop().time
    async with w.client() as client:
        await sit(w, client, BOTH)
        await committed(client, 1)
        await reveal(client, 1, given(1, 1))
        await contribute(client, 1, hash_of(1, 2))
        await played(w, client, 1)
        assert [(shown.seat, shown.contribution) for shown in client.of("contribution_revealed", 1)] == [(1, given(1, 1)), (0, b"")]
        began = now()
        assert list((await committed(client, 2)).contribution_hashes) == [b"", hash_of(1, 2)]
        assert now() - began < 1
        await reveal(client, 1, given(1, 2))
        await contribute(client, 0, hash_of(0, 3))
        await contribute(client, 1, hash_of(1, 3))
        await played(w, client, 2)
        assert list((await committed(client, 3)).contribution_hashes) == [hash_of(0, 3), hash_of(1, 3)]
    (first,) = [record for record in await records(w) if record["hand"] == 1]
    assert (first["withheld"], first["contributions"]) == ([0], [None, given(1, 1).hex()])


async def test_a_hash_is_used_once(world: Callable[..., Any]) -> None:
    """Its bytes are known to all after the first use."""
    w = await world(rules=Duel(hands=2, contribution=60))
    async with w.client() as client:
        opened = await sit(w, client, BOTH)
        await committed(client, 1)
        for seat in (0, 1):
            assert await contribute(client, seat, hash_of(seat, 1)) == b""
            await reveal(client, seat, given(seat, 1))
        await client.attach(0, opened.tokens[0].token, contribution_hash=hash_of(0, 1))
        assert (await client.wait_for("attached", 0, 2))[-1].contribution_hash == b""
        await contribute(client, 0, b"")
        await contribute(client, 1, b"")
        await played(w, client, 1)
        assert list((await committed(client, 2)).contribution_hashes) == [b"", b""]


async def test_an_attach_says_which_hash_the_server_has_and_one_without_a_hash_takes_none_back(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2, contribution=60))
    async with w.client() as client:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        await client.attach(0, opened.tokens[0].token, contribution_hash=hash_of(0, 1))
        assert (await client.wait_for("attached", 0))[-1].contribution_hash == hash_of(0, 1)
        await client.attach(0, opened.tokens[0].token)
        assert (await client.wait_for("attached", 0, 2))[-1].contribution_hash == hash_of(0, 1)
        await client.attach(0, opened.tokens[0].token, contribution_hash=hash_of(0, 9))
        assert (await client.wait_for("attached", 0, 3))[-1].contribution_hash == hash_of(0, 9)
        await client.attach(1, opened.tokens[1].token)
        assert list((await committed(client, 1)).contribution_hashes) == [hash_of(0, 9), b""]


async def test_what_is_no_hash_is_refused_and_changes_nothing(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(contribution=60))
    async with w.client() as client:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        await client.attach(0, opened.tokens[0].token, contribution_hash=hash_of(0, 1))
        for size in (1, 31, 33):
            await client.send(pb.Input(seat_ref=0, contribute=pb.Contribute(contribution_hash=bytes(size))))
        await client.send(pb.Input(seat_ref=5, contribute=pb.Contribute(contribution_hash=hash_of(0, 2))))
        await client.until(lambda: len(client.answers) == 4)
        assert [answer.refused for answer in client.answers] == ["malformed"] * 3 + ["not_attached"]
        assert not client.of("contributed")
        await client.attach(1, opened.tokens[1].token)
        assert list((await committed(client, 1)).contribution_hashes) == [hash_of(0, 1), b""]


async def test_what_the_server_says_of_a_hash_stands_in_order_with_the_commitment(world: Callable[..., Any]) -> None:
    """A hash that comes while the commitment is being stored is answered after it: else it would seem left out."""
    w = await world(rules=Duel(hands=2, contribution=60))
    async with w.client() as client:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        await client.attach(0, opened.tokens[0].token)
        await until(lambda: w.hall.find("t").course.phase == "gathering" and not w.hall.find("t").in_flight)
        gate = Gate(w)
        await client.attach(1, opened.tokens[1].token, contribution_hash=hash_of(1, 1))
        await asyncio.to_thread(gate.waiting.wait, 10)
        await client.send(pb.Input(seat_ref=0, contribute=pb.Contribute(contribution_hash=hash_of(0, 2))))
        await until(lambda: w.hall.find("t").seats[0].waiting == 1)
        assert not client.of("contributed")
        gate.let_go()
        await client.wait_for("contributed", 0)
        order = [
            kind for ref, _, event in client.events if ref == 0 and (kind := event.WhichOneof("what")) in {"hand_committed", "contributed"}
        ]
        assert order == ["hand_committed", "contributed"]
        # And one that a commitment waits for is answered before it.
        await reveal(client, 1, given(1, 1))
        await contribute(client, 1, b"")
        await contribute(client, 0, b"")
        await played(w, client, 1)
        assert list((await committed(client, 2)).contribution_hashes) == [b"", b""]


async def test_a_hash_that_comes_right_behind_the_commitment_is_answered_behind_it(world: Callable[..., Any]) -> None:
    """In the same request as what brings the commitment about: it is made, but not yet taken to be stored."""
    w = await world(rules=Duel(hands=2, contribution=60))
    async with w.client() as client:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        await client.attach(0, opened.tokens[0].token)
        await client.wait_for("attached", 0)
        await until(lambda: w.hall.find("t").course.phase == "gathering" and not w.hall.find("t").in_flight)
        await client.send(
            pb.Input(seat_ref=1, attach=pb.Attach(token=opened.tokens[1].token)),
            pb.Input(seat_ref=0, contribute=pb.Contribute(contribution_hash=hash_of(0, 2))),
        )
        await client.wait_for("contributed", 0)
        shown = {"hand_committed", "contributed"}
        order = [kind for ref, _, event in client.events if ref == 0 and (kind := event.WhichOneof("what")) in shown]
        assert order == ["hand_committed", "contributed"]
        assert list((await committed(client, 1)).contribution_hashes) == [b"", b""]


async def test_the_last_hash_that_a_commitment_waits_for_is_answered_before_it(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2, contribution=60))
    async with w.client() as client:
        await sit(w, client, BOTH)
        await committed(client, 1)
        for seat in (0, 1):
            await reveal(client, seat, given(seat, 1))
        await played(w, client, 1)
        await contribute(client, 0, hash_of(0, 2))
        await until(lambda: w.hall.find("t").course.phase == "gathering")
        await contribute(client, 1, hash_of(1, 2))
        shown = await committed(client, 2, 1)
        order = [event for ref, _, event in client.events if ref == 1 and event.WhichOneof("what") in {"hand_committed", "contributed"}]
        assert [event.WhichOneof("what") for event in order] == ["hand_committed", "contributed", "hand_committed"]
        assert shown.contribution_hashes[1] == hash_of(1, 2)


async def test_bytes_are_waited_for_from_when_the_commitment_is_shown(world: Callable[..., Any]) -> None:
    """However long storing it takes."""
    w = await world(rules=Duel(contribution=2))
    async with w.client() as client:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        await client.attach(0, opened.tokens[0].token, contribution_hash=hash_of(0, 1))
        await until(lambda: w.hall.find("t").course.phase == "gathering" and not w.hall.find("t").in_flight)
        gate = Gate(w)
        await client.attach(1, opened.tokens[1].token)
        await asyncio.to_thread(gate.waiting.wait, 10)
        await asyncio.sleep(2.2)
        gate.let_go()
        await committed(client, 1)
        await reveal(client, 0, given(0, 1))
        await client.wait_for("deal_signed", 0)
        assert [shown.contribution for shown in client.of("contribution_revealed", 0)] == [given(0, 1)]


async def test_bytes_that_came_while_the_process_stood_still_are_taken(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(contribution=2), options={"lease_seconds": 60})
    async with w.client() as client:
        await sit(w, client, {0: hash_of(0, 1)})
        await committed(client, 1)
        sending = asyncio.ensure_future(reveal(client, 0, given(0, 1)))
        await asyncio.sleep(0)
        # The message is on its way; the loop that is to read it stands still past the time.
        time.sleep(2.5)  # noqa: ASYNC251 - that is what is tested
        await sending
        await client.wait_for("deal_signed", 0)
        assert [shown.contribution for shown in client.of("contribution_revealed", 0)] == [given(0, 1)]


async def test_a_room_that_waits_for_nobody_still_waits_for_bytes(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2, contribution=0))
    async with w.client() as client:
        await sit(w, client, BOTH)
        await committed(client, 1)
        await contribute(client, 0, hash_of(0, 2))
        await played(w, client, 1)
        shown = await committed(client, 2)
        assert shown.contribution_hashes[0] == hash_of(0, 2)
        await reveal(client, 0, given(0, 2))
        await client.until(lambda: (0, given(0, 2)) in [(one.seat, one.contribution) for one in client.of("contribution_revealed", 1)])


async def test_the_hash_of_a_player_who_went_is_not_used_for_the_next(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=3, refill=60, contribution=60))
    async with w.client() as client:
        await sit(w, client, BOTH)
        await committed(client, 1)
        for seat in (0, 1):
            await reveal(client, seat, given(seat, 1))
            await contribute(client, seat, hash_of(seat, 2))
        w.settlement.silent = True
        await played(w, client, 1)
        await gone(w, client)
        answer = await w.take(1, "cem", "h", room=ROOM)
        await client.attach(1, answer.token.token)
        assert list((await committed(client, 2)).contribution_hashes) == [hash_of(0, 2), b""]


async def test_after_a_restart_hashes_and_bytes_are_waited_for_longer(world: Callable[..., Any]) -> None:
    """Clients must find the server first: one that comes late is not said to have withheld."""
    w = await world(rules=Duel(hands=2, contribution=0.2))
    async with w.client() as client:
        opened = await sit(w, client, BOTH)
        await committed(client, 1)
    await w.crash()
    await w.start()
    await asyncio.sleep(2.5)
    async with w.client() as client:
        await come(client, opened)
        for seat in (0, 1):
            await reveal(client, seat, given(seat, 1))
        w.settlement.silent = True
        await played(w, client, 1)
    await w.crash()
    w.settlement.silent = False
    await w.start()
    await until(lambda: w.hall.find("t").course.phase == "gathering")
    await asyncio.sleep(0.5)
    async with w.client() as client:
        await come(client, opened, {seat: hash_of(seat, 2) for seat in (0, 1)})
        assert list((await committed(client, 2)).contribution_hashes) == [hash_of(0, 2), hash_of(1, 2)]
    found = await records(w)
    assert found[0]["withheld"] == []


async def test_after_a_restart_who_withheld_before_is_not_waited_for(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2, contribution=2, rest=60))
    async with w.client() as client:
        opened = await sit(w, client, {0: hash_of(0, 1)})
        await played(w, client, 1)
        await until(lambda: w.hall.find("t").course.phase == "gathering" and not w.hall.find("t").in_flight)
    await w.crash()
    w.rules.rest = 0
    await w.start()
    assert [seat.expected for seat in w.hall.find("t").seats] == [False, True]
    assert opened.tokens
