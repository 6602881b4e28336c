"""A database that goes away costs an answer, never a coin."""

import pytest

from services.kit.database import Database, migrate
from services.kit.errors import UnavailableError
from services.settlement import wallets
from services.settlement.config import SCHEMA
from services.settlement.worker import MIGRATIONS
from tests.conftest import require
from tests.settlement.world import NOW, World, stage_body
from tests.support.servers import Postgres


def test_what_is_sent_while_the_database_is_down_is_settled_when_it_is_sent_again() -> None:
    require(Postgres)
    with Postgres() as postgres:
        database = Database(postgres.new_database("outage"), SCHEMA)
        migrate(database, MIGRATIONS)
        world = World(database)
        world.deposit(ann=5000, bob=5000)
        table = world.table("t", "ann", "bob")
        deposit = wallets.Request(wallets.Way.DEPOSIT, "ann", 7, "the key", "")
        stage = table.item(stage_body((0, 1, 10)))
        postgres.kill()
        told = len(world.messages)
        with pytest.raises(UnavailableError):
            world.send(stage)
        with pytest.raises(UnavailableError):
            world.run(wallets.move, deposit, NOW)
        assert len(world.messages) == told
        postgres.start()
        assert world.send(stage)["t"].through == 2
        assert not world.run(wallets.move, deposit, NOW).repeated
        assert (world.owned("ann"), world.owned("bob")) == (4907, 5100)
        assert world.findings() == []
        database.close()


def test_a_database_that_dies_right_after_a_commit_has_the_outcome_when_asked_again() -> None:
    require(Postgres)
    with Postgres() as postgres:
        database = Database(postgres.new_database("outage"), SCHEMA)
        migrate(database, MIGRATIONS)
        world = World(database)
        world.deposit(ann=5000, bob=5000)
        table = world.table("t", "ann", "bob")
        stage = table.item(stage_body((0, 1, 10)))
        world.settler.step = lambda step: postgres.kill() if step == "committed" else None
        world.send(stage)
        world.settler.step = lambda _: None
        postgres.start()
        assert [row.seq for row in world.send(stage)["t"].items] == [2]
        assert (world.owned("ann"), world.owned("bob")) == (4900, 5100)
        assert world.findings() == []
        database.close()
