"""Many at once on PostgreSQL: whoever comes second waits or is told so; no deadlock reaches a caller."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import pytest

from services.kit.database import Database
from services.kit.errors import ConflictError
from services.settlement import stakes, wallets
from services.settlement.wallets import Way
from tests.settlement.world import NOW, TERMS, World, stage_body

T = TypeVar("T")
PLAYERS = [f"p{number}" for number in range(6)]


@pytest.fixture
def world(postgres_database: Database) -> World:
    return World(postgres_database)


def at_once(works: list[Callable[[], T]]) -> list[T]:
    """Run all of them on eight threads; what any of them raises is raised."""
    with ThreadPoolExecutor(8) as threads:
        return [future.result() for future in [threads.submit(work) for work in works]]


def test_deposits_and_withdrawals_of_eight_threads_add_up(world: World) -> None:
    rng = random.Random(4)
    world.deposit(**dict.fromkeys(PLAYERS, 50))
    requests = [
        wallets.Request(rng.choice(list(Way)), rng.choice(PLAYERS), rng.randint(1, 40), f"key {number}", "") for number in range(300)
    ]
    answers = at_once([lambda one=one: world.run(wallets.move, one, NOW) for one in requests])  # type: ignore[misc]
    change = dict.fromkeys(PLAYERS, 50)
    for request, answer in zip(requests, answers, strict=True):
        if not answer.refused:
            change[request.player] += request.coins if request.way is Way.DEPOSIT else -request.coins
    assert {player: world.wallet(player) for player in PLAYERS} == change
    assert world.findings() == []


def test_one_key_used_by_eight_at_once_moves_coins_once(world: World) -> None:
    request = wallets.Request(Way.DEPOSIT, "ann", 7, "one key", "")
    answers = at_once([lambda: world.run(wallets.move, request, NOW)] * 16)
    assert sorted(answer.repeated for answer in answers) == [False] + [True] * 15
    assert world.wallet("ann") == 7


def test_one_key_used_for_two_players_at_once_moves_coins_for_one_of_them(world: World) -> None:
    def deposit(player: str) -> bool:
        try:
            return not world.run(wallets.move, wallets.Request(Way.DEPOSIT, player, 7, "one key", ""), NOW).repeated
        except ConflictError:
            return False

    assert sum(at_once([lambda player=player: deposit(player) for player in PLAYERS])) == 1  # type: ignore[misc]
    assert sum(world.wallet(player) for player in PLAYERS) == 7


def test_a_player_wanted_by_many_matches_at_once_is_held_by_one_and_busy_for_the_others(world: World) -> None:
    world.deposit(**dict.fromkeys(PLAYERS, 5000))

    def hold(number: int) -> bool:
        seats = [stakes.Seat(0, "p0"), stakes.Seat(1, PLAYERS[1 + number % 5]), stakes.Seat(2, None)]
        held = world.run(stakes.hold, f"m{number}", TERMS, seats, NOW)
        return held.held

    assert sum(at_once([partial(hold, number) for number in range(24)])) == 1
    assert sum(world.owned(player) for player in PLAYERS) == 5000 * len(PLAYERS)
    assert world.findings() == []


def test_a_new_player_wanted_by_many_at_once_in_a_room_that_asks_nothing_is_held_by_one(world: World) -> None:
    free = TERMS._replace(needed=0)

    def hold(number: int) -> bool:
        return world.hold(f"m{number}", "eve", None, terms=free).held

    assert sum(at_once([partial(hold, number) for number in range(16)])) == 1


def test_a_hold_and_a_release_of_one_match_at_once_leave_it_held_or_void_never_between(world: World) -> None:
    world.deposit(ann=2000)
    for number in range(12):
        match = f"m{number}"
        works: list[Callable[[], object]] = [
            lambda match=match: world.hold(match, "ann", None).held,  # type: ignore[misc]
            lambda match=match: world.run(stakes.release, match, "late", NOW),  # type: ignore[misc]
        ]
        at_once(works)
        world.run(stakes.release, match, "again", NOW)
        assert world.wallet("ann") == 2000
    assert world.findings() == []


def test_messages_of_many_workers_about_the_same_tables_settle_every_item_once(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.deposit(**dict.fromkeys(PLAYERS, 90_000))
    lines = [world.table(f"t{number}", *PLAYERS[2 * number : 2 * number + 2], None, None) for number in range(3)]
    items = [line.item(stage_body((0, 1, 1), (1, 2, 2))) for _ in range(20) for line in lines]
    rng = random.Random(9)
    messages = [rng.sample(items, 12) for _ in range(24)]
    messages.append(items)
    at_once([lambda message=message: world.settler.apply_items(message, "server-1") for message in messages])  # type: ignore[misc]
    assert [world.owned(player) for player in PLAYERS] == [90_000 - 200, 90_000 + 200 - 400] * 3
    labels = {"game": "crazy_xuezhan", "tier": "mayou", "kind": "stage", "result": "applied"}
    # They waited for one another: none ran into what the other had written.
    assert "batch_split" not in caplog.text
    assert world.count("xuezhan_settlement_items_total", **labels) == 60
    assert world.findings() == []
