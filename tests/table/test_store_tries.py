"""How attempts to take tables up are counted, in PostgreSQL."""

from __future__ import annotations

from services.table import store_ownership as so
from services.table import store_tries
from services.table.store_ownership import Owner, Profile
from tests.table.test_store_ownership import ANN, BOB, DEAD, RULES, Rows, named, rows

__all__ = ["rows"]


def test_a_table_that_never_goes_live_is_set_aside_after_three_tries(rows: Rows) -> None:
    rows.open("poison")
    owner = DEAD
    for name in ("x", "y", "z"):
        rows.expire(owner.name)
        rows.run(so.kill, owner)
        next_owner = Owner(name, 1)
        rows.run(so.register, Profile(name, f"{name}:1", 10, RULES), 600.0)
        assert named(rows.run(so.claim, next_owner, owner, RULES)) == ["poison"]
        owner = next_owner
    rows.expire("z")
    rows.run(so.kill, owner)
    found = rows.run(so.sweep, "ann")
    assert (found.orphaned, found.aside) == ([], 1)
    assert rows.run(so.claim, ANN, owner, RULES) == []


def test_a_table_that_is_played_may_be_tried_as_often_again(rows: Rows) -> None:
    num = rows.open("a")["a"]
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    rows.run(so.claim, ANN, DEAD, RULES)
    tried = [named(rows.run(store_tries.try_again, ANN, {"a": 2})) for _ in range(3)]
    assert tried == [["a"], ["a"], []]
    rows.run(store_tries.went_live, ANN, [num])
    assert named(rows.run(store_tries.try_again, ANN, {"a": 2})) == ["a"]
    assert rows.run(store_tries.try_again, ANN, {"a": 1}) == []
    assert rows.run(store_tries.try_again, BOB, {"a": 2}) == []


def test_an_attempt_that_came_to_nothing_is_not_counted(rows: Rows) -> None:
    num = rows.open("a")["a"]
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    rows.run(so.claim, ANN, DEAD, RULES)
    for _ in range(4):
        rows.run(store_tries.not_tried, [num])
        assert named(rows.run(store_tries.try_again, ANN, {"a": 2})) == ["a"]
    assert rows.run(so.owned, ANN)[0].tries == 1
