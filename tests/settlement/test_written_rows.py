"""A batch writes each row once, and no row that it does not change: what it costs is what it changes."""

from typing import Any

import sqlalchemy as sa

from services.kit.database import Database
from tests.settlement.world import World, stage_body


def test_a_stage_in_order_changes_heads_and_balances_and_only_adds_everything_else(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    table = world.table("t", "ann", "bob")
    changed = _changed_by_statements(world.database)
    table.stage((0, 1, 10))
    assert changed == ["UPDATE accounts", "UPDATE tables"]
    assert [world.owned(player) for player in ("ann", "bob")] == [4900, 5100]


def test_an_item_that_waited_for_another_is_changed_when_its_turn_comes(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    table = world.table("t", "ann", "bob")
    later = table.item(stage_body((1, 0, 1)), seq=3)
    world.send(later)
    changed = _changed_by_statements(world.database)
    world.send(table.item(stage_body((0, 1, 10)), seq=2))
    assert changed == ["UPDATE accounts", "UPDATE tables", "UPDATE items"]
    assert [world.owned(player) for player in ("ann", "bob")] == [4910, 5090]


def _changed_by_statements(database: Database) -> list[str]:
    changed: list[str] = []

    def executed(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("UPDATE"):
            changed.append(" ".join(statement.split()[:2]))

    sa.event.listen(database.engine, "before_cursor_execute", executed)
    return changed
