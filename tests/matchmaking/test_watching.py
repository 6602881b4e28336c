import asyncio
import itertools
from dataclasses import replace

import pytest
from grpc import aio
from prometheus_client import CollectorRegistry

from services.kit import seat_tokens
from services.kit.errors import UnavailableError
from services.kit.rpc import from_rpc
from services.matchmaking import follow, seating
from services.matchmaking.metrics import Metrics
from services.matchmaking.seats import SeatBook
from services.matchmaking.table_servers import Opened, SeatPass
from services.matchmaking.tickets import Ticket, TicketState
from services.matchmaking.watch import Board
from tests.matchmaking.conftest import FOUR, POSTGRES, House, create, seated, until
from tests.matchmaking.test_directory import Lists, servers
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.table.v1.table_pb2 import TABLE_STATE_OPEN


async def test_a_watch_shows_every_state_until_the_ticket_is_over_and_then_ends(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, "anna")
    call = client.watch("anna", tickets["anna"])
    states = [(await call.read()).ticket.state]
    tickets |= await create(client, *FOUR[1:])
    while api.TICKET_STATE_SEATED not in states:
        states.append((await call.read()).ticket.state)
    assert states[0] == api.TICKET_STATE_WAITING
    assert states == sorted(states)
    table = next(iter(house.table.states))
    house.table.close(table)
    over = (await call.read()).ticket
    assert over.state == api.TICKET_STATE_OVER
    assert (over.seat.table_id, over.seat.seat, over.seat.address, over.seat.token) == (table, 0, "", ""), "which seat it was"
    assert await call.read() is aio.EOF


async def test_the_seat_token_opens_that_seat_and_is_renewed_before_it_expires(house: House) -> None:
    await house.stand_ins()
    house.table.ttl = 3
    client = await house.start()
    tickets = await create(client, *FOUR)
    call = client.watch("bela", tickets["bela"])
    shown: list[api.Seat] = []
    while len(shown) < 2:
        ticket = (await call.read()).ticket
        if ticket.state == api.TICKET_STATE_SEATED:
            shown.append(ticket.seat)
    first, second = (seat_tokens.read(house.keys.table.seats, seat.token) for seat in shown)
    assert (first.table, first.seat, first.player) == (shown[0].table_id, 1, "bela")
    assert second.expires_at > first.expires_at
    call.cancel()


async def test_all_seats_of_a_table_are_renewed_by_one_question(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, *FOUR)
    await seated(client, tickets)
    await house.stop()
    client = await house.start()
    asked = house.table.calls["OpenTable"]
    assert len({ticket.seat.token for ticket in await seated(client, tickets)}) == 4
    assert house.table.calls["OpenTable"] - asked == 1


async def test_a_seat_that_moved_to_another_server_is_told(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, *FOUR)
    call = client.watch("anna", tickets["anna"])
    while (ticket := (await call.read()).ticket).state != api.TICKET_STATE_SEATED:
        pass
    house.table.epoch = 2
    assert (ticket.seat.epoch, (await call.read()).ticket.seat.epoch) == (1, 2)
    call.cancel()


async def test_a_watch_is_told_when_the_server_stops_and_goes_on_after_the_restart(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, "anna")
    call = client.watch("anna", tickets["anna"])
    await call.read()
    stopping = asyncio.create_task(house.stop())
    with pytest.raises(aio.AioRpcError) as caught:
        await call.read()
    await stopping
    assert from_rpc(caught.value).reason == "draining"
    client = await house.start()
    assert (await client.until("anna", tickets["anna"], api.TICKET_STATE_WAITING)).ticket_id == tickets["anna"]


@POSTGRES
async def test_a_watch_at_one_replica_sees_what_another_does(house: House) -> None:
    await house.stand_ins()
    one, two = await house.start(), await house.start()
    clients = itertools.cycle((one, two))
    tickets = {player: (await next(clients).create(player)).ticket_id for player in FOUR}
    at_one, at_two = await seated(one, tickets), await seated(two, tickets)
    assert [ticket.seat.table_id for ticket in at_one] == [ticket.seat.table_id for ticket in at_two]
    fifth = (await one.create("fred")).ticket_id
    watching = asyncio.create_task(two.until("fred", fifth, api.TICKET_STATE_CANCELLED))
    await one.cancel("fred", fifth)
    assert (await watching).state == api.TICKET_STATE_CANCELLED


async def test_a_watch_ends_when_the_token_it_was_opened_with_does(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    ticket = (await create(client, "anna"))["anna"]
    metadata = (("authorization", f"Bearer {house.keys.player('anna', ttl_seconds=3)}"),)
    call = client.stub.WatchTicket(api.WatchTicketRequest(ticket_id=ticket), metadata=metadata, timeout=10)
    assert (await call.read()).ticket.state == api.TICKET_STATE_WAITING
    with pytest.raises(aio.AioRpcError) as caught:
        await call.read()
    assert (caught.value.code().name, from_rpc(caught.value).reason) == ("UNAUTHENTICATED", "expired")


async def test_watches_that_ended_leave_nothing_behind(house: House) -> None:
    await house.stand_ins()
    client = await house.start(max_watchers=2)
    ticket = (await create(client, "anna"))["anna"]
    for _ in range(5):
        call = client.watch("anna", ticket)
        await call.read()
        call.cancel()
        await until(call.done)
        await client.until_metric("xuezhan_matchmaking_watchers", 0)


async def test_a_token_that_still_holds_is_better_than_none() -> None:
    now = [1000.0]

    async def ask(_match: str) -> None:
        raise UnavailableError("unavailable")

    book = SeatBook(ask, lambda: now[0], Lists({}).directory())
    book.put("m", Opened("s", "a", 1, TABLE_STATE_OPEN, {0: SeatPass("token", 1300.0)}))
    now[0] = 1250.0
    seat = await book.seat("m", 0)
    assert seat is not None
    assert seat.token == "token"
    now[0] = 1301.0
    with pytest.raises(UnavailableError):
        await book.seat("m", 0)
    with pytest.raises(UnavailableError):
        await book.seat("other", 0)


def opened(address: str, epoch: int, *addresses: str) -> Opened:
    return Opened(address, address, epoch, TABLE_STATE_OPEN, {0: SeatPass(f"token of {address}", 2000.0)}, addresses)


class Asked:
    """A book whose questions are noted; `answer` is what the table says, if it answers."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.at: list[float] = []
        self.answer: Opened | None = None
        self.lists = Lists({})
        self.directory = self.lists.directory("seed:1")
        self.book = SeatBook(self.ask, lambda: self.now, self.directory)

    async def list(self, *names: str) -> None:
        self.lists.answers = {"seed:1": servers(**dict.fromkeys(names, 0))}
        await self.directory.look()

    async def ask(self, match: str) -> None:
        self.at.append(self.now)
        if self.answer is None:
            raise UnavailableError("not_live")
        self.book.put(match, self.answer)

    async def where(self) -> tuple[str, ...]:
        seat = await self.book.seat("m", 0)
        assert seat is not None
        assert seat.addresses[0] == seat.address
        return seat.addresses


async def test_a_seat_whose_server_is_lost_names_servers_that_live_and_then_its_new_one() -> None:
    asked = Asked()
    await asked.list("a", "b", "z")
    asked.book.put("m", opened("a:1", 1, "a:1", "b:1", "z:1"))
    assert await asked.where() == ("a:1", "b:1", "z:1")
    assert (asked.at, asked.book.lost()) == ([], []), "its server is there"
    await asked.list("c", "d")
    assert set(await asked.where()) == {"a:1", "c:1", "d:1"}
    assert await asked.where() == await asked.where(), "nothing new"
    assert (asked.at, asked.book.lost()) == ([1000.0], ["m"]), "not more often than once a second"
    asked.now, asked.answer = 1003.0, opened("d:1", 2)
    assert (await asked.where())[0] == "d:1"
    assert not asked.book.lost()


async def test_the_other_servers_of_a_seat_are_those_of_the_present_list() -> None:
    """As when all servers but the table's are replaced by others."""
    asked = Asked()
    asked.book.put("m", opened("a:1", 1, "a:1", "b:1", "c:1"))
    assert await asked.where() == ("a:1", "b:1", "c:1"), "while there is no list"
    await asked.list("a", "b", "c", "d")
    assert await asked.where() == ("a:1", "b:1", "c:1")
    await asked.list("a", "d", "e")
    assert set(await asked.where()) == {"a:1", "d:1", "e:1"}
    await asked.list("a")
    assert await asked.where() == ("a:1",)
    await asked.list("a", "f")
    assert await asked.where() == ("a:1", "f:1")
    assert not asked.at


async def test_a_late_answer_of_a_server_that_had_the_table_before_changes_no_seat() -> None:
    asked = Asked()
    asked.book.put("m", opened("b:1", 2))
    assert not asked.book.put("m", opened("a:1", 1))
    assert await asked.where() == ("b:1",)
    asked.now, asked.answer = 2001.0, opened("a:1", 1)._replace(seats={0: SeatPass("later", 3000.0)})
    assert await asked.where() == ("a:1",), "a token that expired is worth nothing"


async def test_a_watch_is_told_the_new_server_though_another_replica_checks_the_match(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seating, "CHECK_SECONDS", (60.0, 1.0, 60.0))
    await house.stand_ins(servers=2)
    client = await house.start()
    tickets = await create(client, *FOUR)
    call = client.watch("anna", tickets["anna"])
    while (ticket := (await call.read()).ticket).state != api.TICKET_STATE_SEATED:
        pass
    old = next(table for table in house.tables if table.address == ticket.seat.address)
    new = next(table for table in house.tables if table is not old)
    old.draining, new.epoch = True, 2
    async with asyncio.timeout(10):
        while (ticket := (await call.read()).ticket).seat.address == old.address:
            pass
    assert (ticket.seat.address, list(ticket.seat.addresses)) == (new.address, [new.address])
    call.cancel()


async def test_a_table_that_moves_is_told_to_those_who_follow_its_tickets_alone() -> None:
    board = Board(Metrics(CollectorRegistry()), 100)
    mine, other = (board.follow(ticket(name)) for name in ("anna", "bela"))
    board.post([replace(mine.ticket, match="m"), replace(other.ticket, match="n")])
    for watch in (mine, other):
        watch.changed.clear()
    board.poke("m")
    assert (mine.changed.is_set(), other.changed.is_set()) == (True, False)
    board.post([replace(mine.ticket, match="")])
    mine.changed.clear()
    board.poke("m")
    assert not mine.changed.is_set()
    for watch in (mine, other):
        board.leave(watch)
    assert not board.follows("m")
    assert not board.follows("n")


def ticket(name: str) -> Ticket:
    return Ticket(name, name, "room", TicketState.WAITING, "", 0.0, "", -1)


async def test_the_state_of_a_ticket_without_a_seat_comes_again_with_how_long_it_has_waited(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "REPEAT_SECONDS", 0.6)
    await house.stand_ins()
    client = await house.start()
    call = client.watch("anna", (await create(client, "anna"))["anna"])
    shown = [(await call.read()).ticket for _ in range(4)]
    assert {ticket.state for ticket in shown} == {api.TICKET_STATE_WAITING}
    assert shown[-1].waited_seconds > shown[0].waited_seconds
    call.cancel()
