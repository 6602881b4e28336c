"""Several replicas on one database: tickets, cancels and watches at any of them, and nobody is seated twice whatever becomes of one."""

import asyncio
import time
from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa
from grpc import aio

from services.kit.callers import Caller
from services.kit.errors import FailedPreconditionError, UnavailableError
from services.kit.rpc import from_rpc
from services.matchmaking import lease, loop, store, table_servers
from services.matchmaking.schema import LEASES
from services.matchmaking.tickets import Match, MatchState, TicketState, Why
from tests.matchmaking.conftest import FOUR, POSTGRES, ROOM, ROOMS, Client, House, create, seated, until
from tests.matchmaking.replica import LEASE_SECONDS, Barrier, Replica
from tests.matchmaking.standins import ROOM_OF_FREE
from tests.matchmaking.test_crash import called_off, never_told, no_table, short, smooth
from tests.matchmaking.test_joining import REFILLING, SEAT
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api

pytestmark = POSTGRES

HEARD_SECONDS = 1.5
OTHERS = ("emil", "fred", "gina", "hans")

STEPS = [
    *((smooth, "before", step) for step in ("write_match", "call_hold", "call_open")),
    *((smooth, "after", step) for step in ("write_match", "call_hold", "stakes_held", "call_open", "opened")),
    (called_off, "before", "give_up"),
    *((called_off, "after", step) for step in ("give_up", "call_release", "released")),
    (no_table, "before", "call_release"),
    *((no_table, "after", step) for step in ("later", "give_up", "call_release", "released")),
    *((never_told, "after", step) for step in ("give_up", "call_release", "bound")),
    *((short, "after", step) for step in ("stakes_not_held", "call_release", "released")),
]
FATES = ("killed", pytest.param("stopped_and_continued", marks=pytest.mark.drill))
"""Together they take minutes: the second is drilled."""


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize(("trouble", "when", "step"), STEPS, ids=[f"{trouble.__name__}-{when}_{step}" for trouble, when, step in STEPS])
async def test_the_other_replica_seats_everybody_once_whatever_step_one_ends_or_halts_at(
    house: House, trouble: Any, when: str, step: str, fate: str
) -> None:
    await house.stand_ins()
    trouble(house)
    barrier = Barrier(step, when)
    async with house.replica(name="two", driven=False) as two, house.replica(barrier, "one") as one:
        tickets = await one.queue(ROOM, "anna", "bela")
        if trouble is short:
            house.ledger.wallets["zoe"] = 5000
            tickets |= await two.queue(ROOM, "zoe")
            house.ledger.wallets["zoe"] = 0
        tickets |= await two.queue(ROOM, "carl", "dora")
        await asyncio.wait_for(barrier.came.wait(), 20)
        house.table.down.clear()
        house.table.lost.clear()
        two.loop.start()
        await asyncio.gather(*(two.reaches(player, tickets[player], TicketState.SEATED) for player in FOUR))
        if trouble is short:
            await two.reaches("zoe", tickets["zoe"], TicketState.FAILED)
        everybody = list(FOUR)
        if fate == "stopped_and_continued":
            everybody += await continues(barrier, one, two)
        await until(lambda: "held" not in house.ledger.holds.values())
        assert_seated_once(house, everybody)
        assert one.faults() == two.faults() == {}


async def continues(barrier: Barrier, one: Replica, two: Replica) -> list[str]:
    """Let a replica go on with what it was doing, though another has done it; it then serves as before. Returns who was seated besides."""
    await asyncio.sleep(LEASE_SECONDS)
    barrier.go.set()
    await one.quiet()
    tickets = await one.queue(ROOM, *OTHERS)
    await asyncio.gather(*(one.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))
    await one.quiet()
    await two.quiet()
    return list(OTHERS)


def assert_seated_once(house: House, players: list[str]) -> None:
    """Each of the players has a seat at one table, whose stakes are bound; no other stake is held, and no hold came to life again."""
    bound = [match for match, state in house.ledger.holds.items() if state == "bound"]
    seats = Counter(player for match in bound for player in house.table.seats[match])
    assert seats == Counter(players)
    assert {player: match for match in bound for player in house.table.seats[match]} == house.ledger.occupied
    assert all("held" not in history[1:] for history in house.ledger.history.values())


JOIN_STEPS = [("after", step) for step in ("write_match", "call_hold", "stakes_held", "call_take", "opened")]


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize(("when", "step"), JOIN_STEPS, ids=[f"{when}_{step}" for when, step in JOIN_STEPS])
async def test_a_free_seat_is_given_to_one_ticket_whatever_step_a_replica_ends_or_halts_at(
    house: House, when: str, step: str, fate: str
) -> None:
    house.rooms = ROOMS + REFILLING
    await house.stand_ins()
    house.table.seat_left("old", SEAT)
    barrier = Barrier(step, when)
    async with house.replica(name="two", driven=False) as two, house.replica(barrier, "one") as one:
        tickets = await two.queue(ROOM_OF_FREE, "anna")
        await asyncio.wait_for(barrier.came.wait(), 20)
        two.loop.start()
        await two.reaches("anna", tickets["anna"], TicketState.SEATED)
        if fate == "stopped_and_continued":
            await continues(barrier, one, two)
        assert house.table.seats["old"] == ["p0", "p1", "anna", "p3"]
        assert house.ledger.occupied["anna"] == "old"
        assert "held" not in house.ledger.holds.values()
        assert one.faults() == two.faults() == {}


async def test_a_ticket_made_at_one_is_seated_by_the_other_and_watched_at_both(house: House) -> None:
    await house.stand_ins()
    one, two = await house.start(), await house.start()
    tickets = await create(one, "anna", "bela")
    watches = [client.watch("anna", tickets["anna"]) for client in (one, two)]
    for watch in watches:
        assert (await watch.read()).ticket.state == api.TICKET_STATE_WAITING
    heard = [asyncio.create_task(when_seated(watch)) for watch in watches]
    tickets |= await create(two, "carl", "dora")
    at_one, at_two = await asyncio.gather(*heard)
    assert abs(at_one - at_two) < HEARD_SECONDS
    places = [{(ticket.seat.table_id, ticket.seat.seat) for ticket in await seated(client, tickets)} for client in (one, two)]
    assert places[0] == places[1]
    assert len(places[0]) == 4


async def when_seated(watch: Any) -> float:
    while (await watch.read()).ticket.state != api.TICKET_STATE_SEATED:
        pass
    watch.cancel()
    return time.monotonic()


async def test_a_player_who_queues_at_two_replicas_at_once_has_one_ticket_and_one_table(house: House) -> None:
    await house.stand_ins()
    one, two = await house.start(), await house.start()
    players = [f"p{number}" for number in range(50)]
    tickets: dict[str, str] = {}
    for player in players:
        answers = await asyncio.gather(one.create(player), two.create(player), return_exceptions=True)
        made = [answer.ticket_id for answer in answers if not isinstance(answer, BaseException)]
        refused = [from_rpc(answer) for answer in answers if isinstance(answer, aio.AioRpcError)]
        assert (len(made), [error.reason for error in refused]) == (1, ["active"]), player
        assert refused[0].metadata["ticket_id"] == made[0]
        tickets[player] = made[0]
    tickets |= await create(one, "last", "but_one")
    await seated(two, tickets)
    assert_seated_once(house, [*players, "last", "but_one"])


async def test_the_same_key_at_two_replicas_at_once_gives_the_same_ticket(house: House) -> None:
    await house.stand_ins()
    one, two = await house.start(), await house.start()
    for number in range(20):
        first, second = await asyncio.gather(one.create(f"p{number}", key="k"), two.create(f"p{number}", key="k"))
        assert first.ticket_id == second.ticket_id


async def test_a_ticket_cancelled_at_one_right_before_the_other_writes_its_match_is_in_none(house: House) -> None:
    await house.stand_ins()
    barrier = Barrier("write_match", "before")
    async with house.replica(barrier, "one") as one, house.replica(name="two", driven=False) as two:
        tickets = await one.queue(ROOM, *FOUR)
        await asyncio.wait_for(barrier.came.wait(), 20)
        assert (await two.desk.cancel(Caller("anna"), tickets.pop("anna"))).state == TicketState.CANCELLED
        barrier.go.set()
        tickets |= await two.queue(ROOM, "emil")
        await asyncio.gather(*(one.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))
        assert_seated_once(house, [*FOUR[1:], "emil"])


async def test_a_ticket_that_one_has_matched_cannot_be_cancelled_at_the_other(house: House) -> None:
    await house.stand_ins()
    barrier = Barrier("write_match", "after")
    async with house.replica(barrier, "one") as one, house.replica(name="two", driven=False) as two:
        tickets = await one.queue(ROOM, *FOUR)
        await asyncio.wait_for(barrier.came.wait(), 20)
        with pytest.raises(FailedPreconditionError) as caught:
            await two.desk.cancel(Caller("anna"), tickets["anna"])
        assert caught.value.reason == "seating"
        barrier.go.set()
        await asyncio.gather(*(one.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))
        assert_seated_once(house, list(FOUR))


async def test_whoever_cancels_while_another_replica_matches_is_either_out_or_seated(house: House) -> None:
    await house.stand_ins()
    one, two = await house.start(), await house.start()
    playing: set[str] = set()
    for number in range(20):
        players = [f"p{number}-{seat}" for seat in range(4)]
        tickets = await create(one, *players[:3])
        _, out = await asyncio.gather(create(one, players[3]), cancel(two, players[0], tickets[players[0]], number / 1000))
        if out:
            players[0] = f"instead-{number}"
            await create(two, players[0])
        playing.update(players)
        await until(lambda: playing <= {player for seats in house.table.seats.values() for player in seats})
    assert_seated_once(house, list(playing))


async def cancel(client: Client, player: str, ticket: str, after: float) -> bool:
    """Return whether a ticket could be cancelled."""
    await asyncio.sleep(after)
    try:
        await client.cancel(player, ticket)
    except aio.AioRpcError as error:
        if from_rpc(error).reason not in {"seating", "seated"}:
            raise
        return False
    return True


async def test_tickets_wait_for_no_replica_whose_clock_is_wrong(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes ahead: what it writes is due for the others at once nevertheless."""
    await house.stand_ins()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 200)
    barrier = Barrier("call_hold")
    async with house.replica(barrier, "ahead") as ahead:
        tickets = await ahead.queue(ROOM, *FOUR, "emil")
        await asyncio.wait_for(barrier.came.wait(), 20)
    monkeypatch.setattr(time, "time", real)
    async with house.replica(name="right") as right:
        tickets |= await right.queue(ROOM, "fred", "gina", "hans")
        await asyncio.gather(*(right.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))
    assert_seated_once(house, list(tickets))


async def test_a_replica_that_stops_leaves_its_matches_and_rooms_to_the_others_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.stand_ins()
    house.table.slow["OpenTable"] = asyncio.Event()
    monkeypatch.setattr("tests.matchmaking.replica.CLAIM_SECONDS", 60)
    monkeypatch.setattr("tests.matchmaking.replica.LEASE_SECONDS", 60)
    async with house.replica(name="two", driven=False, seating_limit_seconds=30) as two:
        async with house.replica(name="one", seating_limit_seconds=30) as one:
            tickets = await one.queue(ROOM, *FOUR)
            await until(lambda: house.table.calls["OpenTable"])
            two.loop.start()
        house.table.slow.pop("OpenTable").set()
        tickets |= await two.queue(ROOM, *OTHERS)
        await asyncio.gather(*(two.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))
        assert_seated_once(house, [*FOUR, *OTHERS])


async def test_a_replica_that_cannot_reach_settlement_leaves_the_rooms_to_one_that_can(house: House) -> None:
    await house.stand_ins()
    async with (
        house.replica(name="cut_off", settlement_address="127.0.0.1:1", seating_limit_seconds=30) as cut_off,
        house.replica(name="two", driven=False, seating_limit_seconds=30) as two,
    ):
        # One too many, so that the room needs a replica for ever.
        tickets = await two.queue(ROOM, *(f"p{number}" for number in range(13)))
        await until(lambda: not cut_off.parts.settlement.answers)
        two.loop.start()
        await _is_held_by(two, "two")
        del tickets["p12"]
        await asyncio.gather(*(two.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))
        assert_seated_once(house, list(tickets))


@pytest.mark.parametrize("partner", ["settlement", "tables"])
async def test_a_replica_that_a_partner_failed_once_takes_rooms_again_as_the_others_do(
    house: House, monkeypatch: pytest.MonkeyPatch, partner: str
) -> None:
    for module in (lease, loop):
        monkeypatch.setattr(module, "MODEST_SECONDS", 200.0)
    monkeypatch.setattr(table_servers, "AVOID_SECONDS", 0.1)
    await house.stand_ins()
    async with house.replica(name="one", driven=False) as one:
        async with house.replica(name="two") as two:
            tickets = await two.queue(ROOM, *FOUR[:3])
            await _is_held_by(two, "two")
            match = Match("m1", ROOM, MatchState.OPENING, Why.NONE, 0.0, 0.0, 0, "", OTHERS)
            house.ledger.down["HoldStakes"] = house.table.down["OpenTable"] = 1
            with pytest.raises(UnavailableError):
                await (one.parts.settlement.hold(match) if partner == "settlement" else one.parts.tables.open(match))
        one.loop.start()
        house.ledger.down.clear()
        house.table.down.clear()
        tickets |= await one.queue(ROOM, FOUR[3])
        await asyncio.gather(*(one.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))
        assert_seated_once(house, list(FOUR))


async def _is_held_by(replica: Replica, name: str) -> None:
    async with asyncio.timeout(10):
        while await replica.parts.database.run(_holder) != name:  # noqa: ASYNC110 - it is in the database
            await asyncio.sleep(0.01)


def _holder(connection: sa.Connection) -> Any:
    return connection.scalar(sa.select(LEASES.c.holder))


async def test_tickets_of_a_room_that_only_the_other_replica_knows_stay(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """As while an upgrade brings a room."""
    monkeypatch.setattr(store, "GONE_SECONDS", 1.0)
    await house.stand_ins()
    old = await house.start()
    house.rooms = ROOMS + REFILLING
    new = await house.start()
    tickets = {player: (await new.create(player, ROOM_OF_FREE)).ticket_id for player in FOUR[:3]}
    await asyncio.sleep(2.5)
    assert await new.waiting(ROOM_OF_FREE) == 3
    tickets[FOUR[3]] = (await new.create(FOUR[3], ROOM_OF_FREE)).ticket_id
    await seated(old, tickets)


async def test_a_ticket_that_is_over_is_told_at_every_replica(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.matchmaking.loop.SEATED_EVERY", 2)
    await house.stand_ins()
    one, two = await house.start(), await house.start()
    tickets = await create(one, *FOUR)
    table = (await seated(one, tickets))[0].seat.table_id
    watching = [asyncio.create_task(client.until("anna", tickets["anna"], api.TICKET_STATE_OVER)) for client in (one, two)]
    house.table.close(table)
    assert {ticket.seat.table_id for ticket in await asyncio.gather(*watching)} == {table}
