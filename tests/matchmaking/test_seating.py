import asyncio
import time
from collections import Counter
from typing import Any

import pytest
from grpc import aio

from services.kit.errors import InvalidArgumentError
from services.kit.rpc import from_rpc
from services.matchmaking import clock, loop, store
from services.matchmaking.tickets import TicketState
from tests.matchmaking.conftest import BOT_ROOM, BOTH, FOUR, ROOM, House, create, seated, until
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.table.v1.table_pb2 import TABLE_STATE_OPEN


@BOTH
async def test_four_tickets_of_a_room_become_one_table_with_a_seat_each(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await seated(client, await create(client, *FOUR))
    assert {ticket.seat.table_id for ticket in tickets} == set(house.table.states)
    assert [ticket.seat.seat for ticket in tickets] == [0, 1, 2, 3]
    assert house.table.seats[tickets[0].seat.table_id] == list(FOUR)
    assert {ticket.seat.address for ticket in tickets} == {house.table.address}
    assert all(ticket.seat.token and ticket.seat.expires_at > time.time() for ticket in tickets)


@pytest.mark.parametrize("seconds", [7200, -7200])
async def test_players_are_seated_though_the_databases_clock_is_not_the_table_servers(
    house: House, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    """By the database's clock their tokens have ended before they began, or last for hours."""
    for name in ("_SQLITE_NOW", "_POSTGRES_NOW"):
        monkeypatch.setattr(clock, name, f"{getattr(clock, name)} + {seconds}")
    await house.stand_ins()
    client = await house.start()
    tickets = await asyncio.wait_for(seated(client, await create(client, *FOUR)), 20)
    assert all(ticket.seat.token for ticket in tickets)


async def test_the_fourth_ticket_is_seated_at_once_not_at_the_next_tick(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "TICK_SECONDS", 60)
    await house.stand_ins()
    client = await house.start()
    await asyncio.wait_for(seated(client, await create(client, *FOUR)), 20)


async def test_what_happened_is_counted_for_prometheus(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    await seated(client, await create(client, *FOUR))
    await client.cancel("emil", (await client.create("emil")).ticket_id)
    house.ledger.occupied["fred"] = "elsewhere"
    await client.create("fred")
    await client.until_metric('xuezhan_matchmaking_tickets_waiting{game="crazy_xuezhan",tier="mayou"}', 1)
    room = '{game="crazy_xuezhan",tier="mayou"}'
    expected = {
        f"xuezhan_matchmaking_tickets_created_total{room}": 6,
        f"xuezhan_matchmaking_matches_total{room}": 1,
        f"xuezhan_matchmaking_bots_total{room}": 0,
        f"xuezhan_matchmaking_match_wait_seconds_count{room}": 4,
        f"xuezhan_matchmaking_seating_seconds_count{room}": 1,
        'xuezhan_matchmaking_tickets_waiting{game="crazy_xuezhan",tier="dashi"}': 0,
        'xuezhan_matchmaking_tickets_ended_total{reason="",state="cancelled"}': 1,
    }
    assert {name: await client.metric(name) for name in expected} == expected


async def test_matches_beyond_those_worked_on_at_a_time_have_their_turn(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "IN_FLIGHT", 1)
    await house.stand_ins()
    client = await house.start()
    await seated(client, await create(client, *(f"p{number}" for number in range(12))))
    assert len(house.table.states) == 3


async def test_bots_take_the_free_seats_when_the_oldest_has_waited_past_the_rooms_limit(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    first, second = await client.create("anna", BOT_ROOM), await client.create("bela", BOT_ROOM)
    seat = (await client.seated("anna", first.ticket_id)).seat
    assert (await client.seated("bela", second.ticket_id)).seat.table_id == seat.table_id
    assert house.table.seats[seat.table_id] == ["anna", "bela", "", ""]


@BOTH
async def test_who_became_short_is_dropped_and_the_others_keep_their_place(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, "anna", "bela", "carl")
    house.ledger.wallets["bela"] = 10
    tickets |= await create(client, "dora")
    dropped = await client.until("bela", tickets.pop("bela"), api.TICKET_STATE_FAILED)
    assert dropped.reason == "short"
    tickets |= await create(client, "emil", "fred")
    assert [ticket.player_id for ticket in await seated(client, {name: tickets[name] for name in ("anna", "carl", "dora", "emil")})]
    assert list(house.table.seats.values()) == [["anna", "carl", "dora", "emil"]]
    await client.until_waiting(1)
    assert sorted(house.ledger.holds.values()) == ["bound", "void"], "a late hold of the first match cannot land"


async def test_a_player_too_rich_for_the_others_is_dropped_and_the_others_keep_their_place(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, "anna", "bela", "carl")
    house.ledger.rich = {"bela"}
    tickets |= await create(client, "dora")
    assert (await client.until("bela", tickets.pop("bela"), api.TICKET_STATE_FAILED)).reason == "too_rich"
    tickets |= await create(client, "emil")
    await seated(client, tickets)
    assert list(house.table.seats.values()) == [["anna", "carl", "dora", "emil"]]


async def test_a_waiting_player_who_is_frozen_is_dropped_and_the_others_keep_their_place(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, "anna", "bela", "carl")
    house.ledger.frozen = {"bela"}
    tickets |= await create(client, "dora")
    assert (await client.until("bela", tickets.pop("bela"), api.TICKET_STATE_FAILED)).reason == "frozen"
    tickets |= await create(client, "emil")
    await seated(client, tickets)
    assert list(house.table.seats.values()) == [["anna", "carl", "dora", "emil"]]


@BOTH
async def test_a_ticket_that_nobody_joins_ends(house: House) -> None:
    await house.stand_ins()
    client = await house.start(ticket_limit_seconds=0.5)
    ticket = (await client.create("anna")).ticket_id
    assert (await client.until("anna", ticket, api.TICKET_STATE_FAILED)).reason == "expired"


@BOTH
async def test_tickets_survive_a_restart(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, *FOUR[:3])
    await house.stop()
    client = await house.start()
    tickets |= await create(client, FOUR[3])
    await seated(client, tickets)
    assert list(house.table.seats.values()) == [list(FOUR)]


@BOTH
async def test_tickets_of_a_room_that_is_gone_after_a_restart_end(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.stand_ins()
    monkeypatch.setattr(store, "GONE_SECONDS", 0.5)
    client = await house.start()
    tickets = await create(client, "anna")
    await house.stop()
    house.rooms = house.rooms.replace('"mayou"', '"wangzhe"')
    client = await house.start()
    assert (await client.until("anna", tickets["anna"], api.TICKET_STATE_FAILED)).reason == "room_gone"


async def test_answers_that_are_lost_or_fail_are_asked_for_again(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    for method, stand_in in (("HoldStakes", house.ledger), ("OpenTable", house.table)):
        stand_in.lost[method] = 1
        stand_in.down[method] = 1
    tickets = await seated(client, await create(client, *FOUR))
    assert house.table.states == {tickets[0].seat.table_id: TABLE_STATE_OPEN}
    assert list(house.ledger.history.values()) == [["held"]]


@pytest.mark.parametrize(("places", "first", "second"), [(2, BOT_ROOM, ROOM), (1, ROOM, BOT_ROOM)], ids=["in_turn", "oldest_first"])
async def test_under_pressure_rooms_are_matched_in_turn_beginning_with_that_of_the_oldest_ticket(
    house: House, monkeypatch: pytest.MonkeyPatch, places: int, first: str, second: str
) -> None:
    monkeypatch.setattr(loop, "IN_FLIGHT", places)
    await house.stand_ins()
    house.table.slow["OpenTable"] = asyncio.Event()
    async with house.replica(driven=False, seating_limit_seconds=30) as one:
        tickets = await one.queue(first, *(f"first-{number}" for number in range(8)))
        tickets |= await one.queue(second, *(f"second-{number}" for number in range(4)))
        one.loop.start()
        await one.reaches("first-0", tickets["first-0"], TicketState.SEATING)
        if places == 2:
            await one.reaches("second-0", tickets["second-0"], TicketState.SEATING)
        house.table.slow.pop("OpenTable").set()
        await asyncio.gather(*(one.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))


async def test_a_table_server_that_is_down_is_passed_over(house: House) -> None:
    await house.stand_ins(servers=2)
    client = await house.start()
    await house.tables[0].stop()
    tickets = await seated(client, await create(client, *FOUR))
    assert {ticket.seat.address for ticket in tickets} == {house.tables[1].address}


async def test_tables_are_spread_over_the_servers(house: House) -> None:
    await house.stand_ins(servers=3)
    client = await house.start()
    tickets: dict[str, str] = {}
    for table in range(12):
        tickets |= await create(client, *(f"p{table}-{seat}" for seat in range(4)))
    await seated(client, tickets)
    opened = sorted(server.opened for server in house.tables)
    assert sum(opened) == 12
    assert opened[0] >= 2, "of two servers at random always the less loaded one"


async def test_without_a_table_server_the_stakes_return_and_the_tickets_wait_in_their_place(house: House) -> None:
    await house.stand_ins()
    client = await house.start(seating_limit_seconds=0.3)
    house.table.down["OpenTable"] = 1000
    tickets = await create(client, *FOUR)
    await until(lambda: "void" in house.ledger.holds.values())
    assert not house.ledger.occupied
    house.table.down.clear()
    await seated(client, tickets)
    assert Counter(house.ledger.holds.values())["bound"] == 1
    assert list(house.table.seats.values()) == [list(FOUR)]


@BOTH
async def test_stakes_that_a_table_has_bound_are_not_given_up_though_it_never_answered(house: House) -> None:
    await house.stand_ins()
    client = await house.start(seating_limit_seconds=0.2)
    house.table.lost["OpenTable"] = 4
    tickets = await seated(client, await create(client, *FOUR))
    assert house.ledger.holds == {tickets[0].seat.table_id: "bound"}


async def test_a_table_that_is_called_off_sends_its_players_back_into_the_queue(house: House) -> None:
    await house.stand_ins()
    house.table.call_off = {1}
    client = await house.start()
    tickets = await seated(client, await create(client, *FOUR))
    first, second = house.table.seats
    assert {ticket.seat.table_id for ticket in tickets} == {second}
    assert house.ledger.holds == {first: "void", second: "bound"}


@BOTH
async def test_a_table_called_off_after_it_was_opened_is_noticed(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, *FOUR)
    first = (await seated(client, tickets))[0].seat.table_id
    house.ledger.holds[first] = "held"
    house.table.call_off_now(first)
    await until(lambda: len(house.table.states) == 2)
    assert {ticket.seat.table_id for ticket in await seated(client, tickets)} == set(house.table.states) - {first}


async def test_settlement_that_refuses_a_match_ends_it_and_frees_its_tickets(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    house.ledger.refuse["HoldStakes"] = InvalidArgumentError("room_id", "no such room here")
    tickets = await create(client, *FOUR)
    await until(lambda: "void" in house.ledger.holds.values())
    house.ledger.refuse.clear()
    await seated(client, tickets)


async def test_while_settlement_is_away_one_match_waits_and_the_others_can_still_leave(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    house.ledger.down["HoldStakes"] = 1000
    tickets = await create(client, *(f"p{number}" for number in range(12)))
    await until(lambda: house.ledger.calls["HoldStakes"] >= 3)
    await client.until_waiting(8)
    await client.cancel("p11", tickets.pop("p11"))
    house.ledger.down.clear()
    tickets |= await create(client, "last")
    await seated(client, tickets)


async def test_a_match_that_settlement_never_answers_for_lets_its_players_go(house: House) -> None:
    await house.stand_ins()
    client = await house.start(seating_limit_seconds=0.2)
    house.ledger.down["HoldStakes"] = house.ledger.down["ReleaseStakes"] = 1000
    tickets = await create(client, *FOUR)
    await client.until("anna", tickets["anna"], api.TICKET_STATE_SEATING)
    await client.until("anna", tickets["anna"], api.TICKET_STATE_WAITING)
    assert (await client.cancel("anna", tickets.pop("anna"))).state == api.TICKET_STATE_CANCELLED
    house.ledger.down.clear()
    await seated(client, tickets | await create(client, "emil"))
    assert Counter(house.ledger.holds.values())["bound"] == 1
    assert "held" not in house.ledger.holds.values()


@BOTH
async def test_a_player_whose_table_is_over_may_queue_again_and_one_who_still_plays_is_shown_their_ticket(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, *FOUR)
    table = (await seated(client, tickets))[0].seat.table_id
    with pytest.raises(aio.AioRpcError) as caught:
        await client.create("anna")
    assert from_rpc(caught.value).metadata == {"ticket_id": tickets["anna"]}
    house.table.close(table)
    watching = asyncio.create_task(client.until("bela", tickets["bela"], api.TICKET_STATE_OVER))
    assert (await client.create("anna", ROOM)).ticket_id != tickets["anna"]
    assert (await watching).reason == ""
    for player in FOUR[1:]:
        assert (await client.create(player)).ticket_id != tickets[player]


async def test_players_are_seated_after_the_loop_ended_by_itself(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.stand_ins()
    real = loop.Loop._until_it_works
    faults = iter([RuntimeError("a fault that nobody foresaw")])

    async def fail(self: loop.Loop, work: Any) -> None:
        await real(self, work)
        for fault in faults:
            raise fault

    monkeypatch.setattr(loop.Loop, "_until_it_works", fail)
    client = await house.start()
    await seated(client, await create(client, *FOUR))
    assert await client.metric('xuezhan_part_serving_deaths_total{what="matchmaking"}') == 1
    assert await client.metric('xuezhan_part_serving_faults{what="matchmaking"}') == 0


@BOTH
async def test_a_player_is_told_the_ticket_that_they_have_and_no_other(house: House) -> None:
    await house.stand_ins()
    client = await house.start()

    async def active(player: str) -> Any:
        answer = await client.stub.GetActiveTicket(api.GetActiveTicketRequest(), metadata=client.meta(player), timeout=10)
        return answer.ticket if answer.HasField("ticket") else None

    assert await active("anna") is None
    tickets = await create(client, *FOUR[:3])
    found = await active("anna")
    assert (found.ticket_id, found.room_id, found.state) == (tickets["anna"], ROOM, api.TICKET_STATE_WAITING)
    tickets |= await create(client, FOUR[3])
    await seated(client, tickets)
    found = await active("anna")
    assert (found.ticket_id, found.state) == (tickets["anna"], api.TICKET_STATE_SEATED)
    assert not found.HasField("seat"), "whoever follows the ticket gets it"
    waiting = (await client.create("emil")).ticket_id
    await client.cancel("emil", waiting)
    assert await active("emil") is None
