"""Every check finds what it is there to find. Each breach is made past the ledger, by hand, with the triggers taken away."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from services.settlement import check, findings, stakes, store
from tests.settlement.world import NOW, World, fast_sqlite, stage_body

BREACHES = [
    ("UPDATE entries SET coins = coins + 1 WHERE id = (SELECT max(id) FROM entries)", {"zero_sum", "balances_rebuilt"}),
    ("UPDATE accounts SET balance = balance + 1 WHERE name = 'wallet:ann'", {"balances_rebuilt"}),
    ("UPDATE entries SET balance_after = balance_after + 5 WHERE account = 'escrow:t:0'", {"running_balances"}),
    ("UPDATE transfers SET coins = coins + 1 WHERE cause = 'win'", {"two_entries_a_transfer", "every_item_moved_its_coins_once"}),
    ("DELETE FROM entries WHERE account = 'outside'", {"zero_sum", "two_entries_a_transfer"}),
    ("DELETE FROM transfers WHERE cause = 'deposit'", {"two_entries_a_transfer"}),
    ("DELETE FROM items WHERE seq = 2", {"items_in_order", "every_item_moved_its_coins_once"}),
    ("UPDATE tables SET head = 7 WHERE id = 't'", {"items_in_order"}),
    ("UPDATE items SET state = 'stored' WHERE seq = 2", {"items_in_order", "every_item_moved_its_coins_once"}),
    ("UPDATE items SET body = '{}' WHERE seq = 2", {"bodies_match_their_hashes"}),
    ("UPDATE holds SET state = 'void' WHERE seat = 0", {"holds_fit_their_tables", "stakes_are_accounted_for"}),
    ("UPDATE holds SET stake = stake + 1 WHERE seat = 0", {"stakes_are_accounted_for"}),
    ("UPDATE holds SET pooled = 3 WHERE seat = 0", {"stakes_are_accounted_for"}),
    ("INSERT INTO ratings (player, game, points) VALUES ('ann', 'crazy_duel', 9)", {"ratings_rebuilt"}),
    ("INSERT INTO rating_created VALUES ('t', 9, 'ann', 'bob', 'crazy_duel', 19000, 101)", {"ratings_within_bounds"}),
    (
        "INSERT INTO rating_created SELECT 't', value, 'ann', 'other ' || value, 'crazy_duel', 19000, 72 FROM json_each('[1,2,3,4,5,6,7]')",
        {"ratings_within_bounds"},
    ),
    (
        "INSERT INTO rating_created VALUES ('t', 2, 'a', 'b', 'duel', 9, 5);INSERT INTO rating_changes VALUES ('t', 2, 'a', 'duel', 6, 0)",
        {"ratings_within_bounds"},
    ),
]


@pytest.fixture
def broken(tmp_path: Path) -> World:
    """A sound ledger on SQLite whose triggers are gone. (The checks themselves run on both kinds of database after every test.)"""
    world = World(fast_sqlite(f"sqlite:///{tmp_path}/broken.db"))
    world.deposit(ann=5000, bob=5000)
    table = world.table("t", "ann", "bob")
    table.stage((0, 1, 10))
    world.send(table.item(stage_body((0, 1, 1)), seq=5))
    assert world.findings() == []

    def unguard(connection: sa.Connection) -> None:
        for name in connection.scalars(sa.text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
            connection.exec_driver_sql(f"DROP TRIGGER {name}")

    world.run(unguard)
    return world


@pytest.mark.parametrize(("breach", "found"), BREACHES)
def test_a_breach_is_found_by_the_check_for_it(broken: World, breach: str, found: set[str]) -> None:
    for statement in breach.split(";"):
        broken.run(lambda connection, text=statement: connection.exec_driver_sql(text))
    findings = check.check_database(broken.database.url)
    assert {finding.check for finding in findings} >= found
    assert all(finding.about and finding.text for finding in findings)
    broken.database.close()


def test_every_check_says_what_its_failure_means_and_some_breach_is_found_by_it() -> None:
    assert all("A failure means" in (one.__doc__ or "") for one in check.CHECKS)
    names = {one.__name__ for one in check.CHECKS}
    # The database's own constraint stands before the one; of the other, an item that waits in order, see the simulation's crashes.
    assert names - {name for _, found in BREACHES for name in found} == {
        "no_account_out_of_bounds",
        "nothing_waits_that_could_go_on",
        "stakes_bound_in_time",
    }


def test_what_waits_in_order_and_is_not_settled_is_found(broken: World) -> None:
    broken.run(lambda connection: connection.execute(sa.update(store.items).where(store.items.c.seq == 5).values(seq=4)))
    broken.run(lambda connection: connection.execute(sa.update(store.tables).values(head=3)))
    assert "nothing_waits_that_could_go_on" in {finding.check for finding in broken.findings()}
    broken.database.close()


def test_stakes_that_no_table_binds_in_time_are_named(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    world.table("bound", "ann", "bob")
    assert world.hold("m", "cat", "dan").held
    limit = check.HELD_SECONDS

    def named(seconds: int, limit: int = limit) -> list[tuple[str, str]]:
        return [(one.check, one.about) for one in world.run(check.findings, NOW + seconds, limit)]

    assert named(limit) == []
    assert named(limit + 1) == [("stakes_bound_in_time", "m")]
    assert named(60, 30) == [("stakes_bound_in_time", "m")]
    [finding] = world.run(check.findings, NOW + 700)
    assert finding.text == "10000 coins have been held for 700 s and no table has bound them"
    world.run(stakes.release, "m", "given up", NOW)
    assert named(10_000) == []


def test_the_check_runs_beside_a_transaction_that_is_writing(broken: World) -> None:
    url = broken.database.url

    def write(connection: sa.Connection) -> list[findings.Finding]:
        connection.exec_driver_sql("UPDATE accounts SET balance = balance + 1 WHERE name = 'wallet:ann'")
        return check.check_database(url)

    assert broken.run(write) == []
    broken.database.close()
