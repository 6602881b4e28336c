import random

import pytest

from services.matchmaking.matcher import Table, Waiting, plan


def queue(*waits: str) -> list[Waiting]:
    """ "a12 b3": ticket a has waited 12 seconds at second 100."""
    return [Waiting(wait[0], wait[0], 100 - float(wait[1:])) for wait in waits]


def shown(tables: list[Table]) -> list[str]:
    return ["".join(ticket.ticket for ticket in table.tickets) + "*" * table.bots for table in tables]


@pytest.mark.parametrize(
    ("waiting", "bots_after", "tables"),
    [
        ([], 10, []),
        (["a1", "b1", "c1"], None, []),
        (["a1", "b2", "c3", "d4"], None, ["dcba"]),
        (["a9", "b8", "c7", "d6", "e5", "f4", "g3", "h2", "i1"], None, ["abcd", "efgh"]),
        (["a9", "b8", "c7"], 10, []),
        (["a10", "b8", "c7"], 10, ["abc*"]),
        (["a10"], 10, ["a***"]),
        (["a99"], None, []),
        (["a0"], 0, ["a***"]),
        (["a12", "b12", "c12", "d12", "e12"], 10, ["abcd", "e***"]),
    ],
)
def test_the_oldest_play_together_and_bots_come_after_the_rooms_limit(
    waiting: list[str], bots_after: float | None, tables: list[str]
) -> None:
    assert shown(plan(queue(*waiting), 4, bots_after, 100)) == tables


def test_players_kept_apart_do_not_meet_and_the_oldest_still_comes_first() -> None:
    def may_meet(one: Waiting, other: Waiting, now: float) -> bool:
        return {one.player, other.player} != {"a", "b"}

    assert shown(plan(queue("a9", "b8", "c7", "d6"), 2, None, 100, may_meet)) == ["ac", "bd"]


def test_a_rule_that_softens_with_waiting_sees_the_time() -> None:
    def may_meet(one: Waiting, other: Waiting, now: float) -> bool:
        return now - min(one.since, other.since) >= 5

    assert shown(plan(queue("a4", "b3"), 2, None, 100, may_meet)) == []
    assert shown(plan(queue("a5", "b3"), 2, None, 100, may_meet)) == ["ab"]


def test_one_who_may_meet_nobody_does_not_hold_the_others_up() -> None:
    def may_meet(one: Waiting, other: Waiting, now: float) -> bool:
        return "a" not in {one.player, other.player}

    assert shown(plan(queue("a9", "b8", "c7"), 2, None, 100, may_meet)) == ["bc"]


@pytest.mark.parametrize("seed", range(20))
def test_no_ticket_is_used_twice_and_the_order_of_arrival_does_not_matter(seed: int) -> None:
    rng = random.Random(seed)
    waiting = [Waiting(f"t{number}", f"p{number}", rng.uniform(0, 100)) for number in range(rng.randrange(40))]
    tables = plan(waiting, 4, 20, 100)
    used = [ticket.ticket for table in tables for ticket in table.tickets]
    assert len(used) == len(set(used))
    assert all(len(table.tickets) + table.bots == 4 for table in tables)
    assert tables == plan(rng.sample(waiting, len(waiting)), 4, 20, 100)
    left = [ticket for ticket in waiting if ticket.ticket not in used]
    assert len(left) < 4
    assert all(ticket.since > 80 for ticket in left)
