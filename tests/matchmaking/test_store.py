"""The schema and what only the database sees."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from services.kit.database import Database, migrate
from services.matchmaking import store, store_matches
from services.matchmaking.lease import RoomLeases
from services.matchmaking.schema import MATCHES, META, TICKETS
from services.matchmaking.server import MIGRATIONS
from services.matchmaking.store_matches import Claim
from services.matchmaking.tickets import Limits, Match, MatchState, TicketState, Why
from tests.matchmaking.conftest import BOTH, POSTGRES, ROOM

DAY = 24 * 3600.0


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url, "matchmaking")
    migrate(database, MIGRATIONS)
    yield database
    database.close()


def draft(player: str, now: float = 0.0) -> store.Draft:
    return store.Draft(f"t-{player}-{now}", player, ROOM, "", now, busy=False, stale="")


def a_match(*players: str) -> Match:
    return Match("m1", ROOM, MatchState.HOLDING, Why.NONE, 0.0, 0.0, 0, "", players)


@BOTH
def test_the_migrations_make_the_schema_that_the_code_uses(database: Database) -> None:
    def differences(connection: sa.Connection) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), META))

    assert database.run_sync(differences) == []


@BOTH
def test_a_player_never_has_two_active_tickets_whatever_the_code_does(database: Database) -> None:
    ticket = database.run_sync(store.create, draft("anna")).ticket

    def force(connection: sa.Connection) -> None:
        row = dict(connection.execute(sa.select(TICKETS)).mappings().one())
        connection.execute(sa.insert(TICKETS).values({**row, "id": "another"}))

    with pytest.raises(sa.exc.IntegrityError):
        database.run_sync(force)
    database.run_sync(store.cancel, ticket.id, 1.0)
    assert database.run_sync(store.create, draft("anna", 2.0)).new


@BOTH
def test_a_match_that_misses_one_ticket_takes_none(database: Database) -> None:
    tickets = [database.run_sync(store.create, draft(player)).ticket.id for player in ("anna", "bela")]
    database.run_sync(store.cancel, tickets[1], 1.0)
    with pytest.raises(store.TakenError):
        database.run_sync(store_matches.write_match, a_match("anna", "bela"), tickets, Claim("one", 1.0))
    assert [ticket.state for ticket in database.run_sync(store.read, tickets)] == [TicketState.WAITING, TicketState.CANCELLED]
    assert database.run_sync(store_matches.read_match, "m1") is None


@BOTH
def test_the_lease_of_a_room_has_one_holder_until_it_runs_out(database: Database) -> None:
    def take(holder: str, now: float) -> set[str]:
        return database.run_sync(store.take_leases, ["a/x", "a/y"], holder, now, now + 5)

    assert take("one", 0.0) == {"a/x", "a/y"}
    assert take("two", 4.0) == set()
    assert take("one", 4.0) == {"a/x", "a/y"}
    assert take("two", 8.0) == set()
    assert take("two", 9.0) == {"a/x", "a/y"}
    database.run_sync(store.drop_leases, "two", 9.5)
    assert take("one", 9.5) == {"a/x", "a/y"}


@BOTH
def test_a_lease_does_not_outlive_a_database_clock_that_is_set_back(database: Database) -> None:
    for now in (7200.0, 0.0):
        assert database.run_sync(store.take_leases, ["a/x"], f"at {now}", now, now + 5) == {"a/x"}


@BOTH
@pytest.mark.parametrize("slow", [0.005, 2.0, 3600.0])
def test_a_slow_or_set_back_clock_leaves_waiting_tickets_in_their_order(database: Database, slow: float) -> None:
    """A replica's first reading of the clock may be late, so that a ticket of just now seems to be from later."""
    made = [7200.0, 7200.001, 7200.002]
    for player, now in zip(("anna", "bela", "carl"), made, strict=True):
        database.run_sync(store.create, draft(player, now))
    now = made[-1] - slow
    assert database.run_sync(store.expire, now, Limits(waiting=600.0)) == []
    shown = database.run_sync(store.waiting, [ROOM], made[-1])
    assert [ticket.player for ticket in sorted(shown, key=lambda ticket: ticket.created_at)] == ["anna", "bela", "carl"]
    assert all(ticket.created_at <= now + store.AHEAD_SECONDS for ticket in shown)
    if slow > store.AHEAD_SECONDS:
        assert len(database.run_sync(store.waiting, [ROOM], now)) == 3, "they may be matched at once"


@BOTH
def test_a_replica_whose_partners_are_away_takes_only_what_no_other_wants(database: Database) -> None:
    def take(leases: RoomLeases, now: float, *, modest: bool = False) -> list[str]:
        return database.run_sync(lambda connection: leases.hold(connection, ["a/x"], now, modest=modest))

    well, ill = RoomLeases("well"), RoomLeases("ill")
    assert take(ill, 0.0) == ["a/x"]
    assert take(ill, 4.0, modest=True) == ["a/x"], "it has the lease still"
    assert take(ill, 5.1, modest=True) == [], "but renews it no more"
    assert take(well, 5.1) == ["a/x"]
    assert take(well, 8.0) == ["a/x"]
    assert take(ill, 13.5, modest=True) == []
    assert take(ill, 14.1, modest=True) == ["a/x"], "the other has not come back for it"


@BOTH
def test_tickets_of_a_room_that_another_replica_matches_are_not_dropped(database: Database) -> None:
    """During an upgrade the replicas do not all know the same rooms."""
    ticket = database.run_sync(store.create, draft("anna", 1000.0)).ticket
    dropped = []
    for now, matched in ((1001.0, False), (1029.0, True), (1050.0, False), (1063.9, False), (1064.1, False)):
        if matched:
            assert database.run_sync(store.take_leases, [ROOM], "two", now, now + 5) == {ROOM}
        dropped.append([each.id for each in database.run_sync(store.drop_rooms, [ROOM], now)])
    assert dropped == [[], [], [], [], [ticket.id]]


@BOTH
def test_a_match_is_due_when_its_claim_ends_or_its_replica_stops_or_the_databases_clock_is_set_back(database: Database) -> None:
    def claimed(replica: str, now: float) -> list[str]:
        return [match.id for match in database.run_sync(store_matches.claim_due, Claim(replica, now), 10)]

    ticket = database.run_sync(store.create, draft("anna")).ticket.id
    database.run_sync(store_matches.write_match, a_match("anna"), [ticket], Claim("one", 0.0))
    assert (claimed("two", 4.9), claimed("two", 5.0)) == ([], ["m1"])
    database.run_sync(store_matches.end_claims, 6.0, "one")
    assert claimed("three", 6.0) == []
    database.run_sync(store_matches.end_claims, 6.0, "two")
    assert claimed("three", 6.0) == ["m1"]
    assert claimed("four", -1000.0) == ["m1"]


@BOTH
def test_a_replica_that_lost_its_claim_does_not_put_the_match_off(database: Database) -> None:
    ticket = database.run_sync(store.create, draft("anna")).ticket.id
    match = a_match("anna")
    database.run_sync(store_matches.write_match, match, [ticket], Claim("one", 0.0))
    (claimed,) = database.run_sync(store_matches.claim_due, Claim("two", 5.0), 1)
    database.run_sync(store_matches.later, match, 200.0)
    assert len(database.run_sync(store_matches.claim_due, Claim("three", 10.0), 1)) == 1
    database.run_sync(store_matches.later, replace(claimed, attempts=2), 20.0)
    assert database.run_sync(store_matches.claim_due, Claim("four", 19.0), 1) == []


@POSTGRES
async def test_a_player_who_queues_again_while_another_replica_closes_the_match_makes_no_deadlock(database: Database) -> None:
    ticket = database.run_sync(store.create, draft("anna")).ticket.id
    early = Claim("one", 1.0)
    database.run_sync(store_matches.write_match, a_match("anna"), [ticket], early)
    database.run_sync(store_matches.stakes_held, "m1", early)
    database.run_sync(store_matches.opened, "m1", "s", early, 2.0)
    with database.engine.begin() as other:
        other.execute(sa.update(MATCHES).values(attempts=7))
        again = asyncio.create_task(database.run(store.create, draft("anna", 5.0)._replace(stale=ticket)))
        while not database.run_sync(waits_for_a_lock):  # noqa: ASYNC110 - it is in the database
            await asyncio.sleep(0.01)
        other.execute(sa.text("SET LOCAL lock_timeout = 300"))
        other.execute(sa.update(TICKETS).values(returns=7))
    assert (await again).new


def waits_for_a_lock(connection: sa.Connection) -> bool:
    return bool(connection.scalar(sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")))


@POSTGRES
async def test_a_match_does_not_wait_for_tickets_that_are_being_changed(database: Database) -> None:
    tickets = [database.run_sync(store.create, draft(player)).ticket.id for player in ("anna", "bela")]
    with database.engine.begin() as other:
        store.cancel(other, tickets[0], 1.0)
        with pytest.raises(store.TakenError):
            await asyncio.wait_for(database.run(store_matches.write_match, a_match("anna", "bela"), tickets, Claim("one", 1.0)), 3)


@BOTH
def test_what_ended_long_ago_is_deleted_but_not_the_tickets_of_a_table_still_played(database: Database) -> None:
    tickets = [database.run_sync(store.create, draft(player)).ticket.id for player in ("anna", "bela", "carl")]
    early = Claim("one", 1.0)
    database.run_sync(store_matches.write_match, a_match("anna", "bela"), tickets[:2], early)
    database.run_sync(store_matches.stakes_held, "m1", early)
    database.run_sync(store_matches.opened, "m1", "s", early, 2.0)
    database.run_sync(store.create, draft("anna", 5.0)._replace(stale=tickets[0]))
    database.run_sync(store.cancel, tickets[2], 5.0)
    assert database.run_sync(store.prune, DAY) == 1
    match = database.run_sync(store_matches.read_match, "m1")
    assert match is not None
    assert match.seats == ("anna", "bela"), "the seats are needed to ask for tokens"
    database.run_sync(store_matches.closed, match, Claim("one", 6.0))
    assert database.run_sync(store.prune, 5.5) == 1
    assert database.run_sync(store.prune, DAY) == 2
    assert database.run_sync(store.prune, DAY) == 0
    assert [ticket.player for ticket in database.run_sync(store.expire, DAY, Limits(waiting=10.0))] == ["anna"]


@BOTH
def test_a_ticket_from_before_the_databases_clock_was_set_back_waits_from_then_on(database: Database) -> None:
    """Not until the clock is where it was: bots would not come, and the ticket would not expire."""
    for back in (100.0, 3600.0):
        created = DAY + back
        player = f"anna-{back}"
        database.run_sync(store.create, draft(player, created))
        assert database.run_sync(store.expire, DAY, Limits(waiting=10.0)) == []
        waiting = {ticket.player: ticket.created_at for ticket in database.run_sync(store.waiting, [ROOM], DAY)}
        assert waiting[player] == DAY


@POSTGRES
async def test_two_that_claim_at_once_share_what_is_due(database: Database) -> None:
    for number in range(20):
        ticket = (await database.run(store.create, draft(f"p{number}"))).ticket
        match = Match(f"m{number}", ROOM, MatchState.HOLDING, Why.NONE, 0.0, 0.0, 0, "", (f"p{number}",))
        await database.run(store_matches.write_match, match, [ticket.id], Claim("one", 0.0))
    claims = await asyncio.gather(*(database.run(store_matches.claim_due, Claim(f"r{n}", 100.0), 10) for n in range(4)))
    claimed = [match.id for claim in claims for match in claim]
    assert len(claimed) == len(set(claimed))
    claimed += [match.id for match in await database.run(store_matches.claim_due, Claim("one", 100.0), 20)]
    assert sorted(claimed) == sorted(f"m{number}" for number in range(20))


LATER = Claim("one", 9.0)
STEPS: dict[str, tuple[MatchState, Callable[[Match], tuple[Any, ...]]]] = {
    "stakes_held": (MatchState.HOLDING, lambda match: (store_matches.stakes_held, match.id, LATER)),
    "stakes_not_held": (
        MatchState.HOLDING,
        lambda match: (store_matches.stakes_not_held, match.id, Why.SHORT, {Why.SHORT: ["anna"]}, [], LATER, Limits()),
    ),
    "opened": (MatchState.OPENING, lambda match: (store_matches.opened, match.id, "s", LATER, 9.0)),
    "bound": (MatchState.RELEASING, lambda match: (store_matches.bound, match.id, LATER)),
    "released": (MatchState.RELEASING, lambda match: (store_matches.released, match.id, LATER)),
    "give_up": (MatchState.OPENING, lambda match: (store_matches.give_up, match, Why.NO_TABLE, LATER)),
    "closed": (MatchState.SEATED, lambda match: (store_matches.closed, match, LATER)),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_done_again_or_late_changes_nothing(database: Database, step: str) -> None:
    state, act = STEPS[step]
    ticket = database.run_sync(store.create, draft("anna")).ticket.id
    match = replace(a_match("anna"), state=state)
    database.run_sync(store_matches.write_match, match, [ticket], Claim("one", 1.0))
    work, *args = act(match)
    done = database.run_sync(work, *args)
    assert done is True or isinstance(done, list)
    after = database.run_sync(everything)
    assert database.run_sync(work, *args) in (False, None)
    assert database.run_sync(everything) == after


def everything(connection: sa.Connection) -> list[Any]:
    return [tuple(row) for table in (TICKETS, MATCHES) for row in connection.execute(sa.select(table))]
