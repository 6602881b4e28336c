import pytest

from services.kit import items
from services.kit.errors import ConflictError
from services.kit.items import MAX_COINS
from services.settlement import stakes, wallets
from services.settlement.stakes import Answer
from tests.settlement.world import NOW, TERMS, TableLine, World, open_body

LOCKED = TERMS._replace(lock=1500)


def answers(held: stakes.Held) -> list[tuple[Answer, int]]:
    return [(answer, coins) for _, answer, coins in held.seats]


def test_a_hold_moves_all_that_the_wallets_hold_into_escrow(world: World) -> None:
    world.deposit(ann=3000, bob=1000)
    held = world.hold("m", "ann", "bob")
    assert held.held
    assert answers(held) == [(Answer.HELD, 3000), (Answer.HELD, 1000)]
    assert world.run(wallets.balance, "ann") == wallets.Balance(wallet=0, at_stake=3000, match="m")


def test_a_room_with_a_lock_moves_that_amount_and_leaves_the_rest(world: World) -> None:
    world.deposit(ann=3000, bob=1600)
    assert answers(world.hold("m", "ann", "bob", terms=LOCKED)) == [(Answer.HELD, 1500), (Answer.HELD, 1500)]
    assert world.wallets("ann", "bob") == [1500, 100]


def test_one_who_is_short_means_that_nobody_is_held(world: World) -> None:
    world.deposit(ann=3000, bob=999)
    held = world.hold("m", "ann", "bob", "cat", None)
    assert not held.held
    assert answers(held) == [(Answer.NOT_HELD, 0), (Answer.SHORT, 0), (Answer.SHORT, 0), (Answer.NOT_HELD, 0)]
    assert world.wallets("ann", "bob") == [3000, 999]


def test_one_who_is_busy_means_that_nobody_is_held_and_the_match_can_be_held_with_another(world: World) -> None:
    world.deposit(ann=3000, bob=3000, cat=3000)
    assert world.hold("m1", "ann", None).held
    assert answers(world.hold("m2", "ann", "bob")) == [(Answer.BUSY, 0), (Answer.NOT_HELD, 0)]
    assert world.wallets("bob") == [3000]
    assert world.hold("m2", "cat", "bob").held


def test_the_same_hold_again_answers_the_same_and_moves_nothing(world: World) -> None:
    world.deposit(ann=3000, bob=2000)
    first = world.hold("m", "ann", "bob", None)
    world.deposit(ann=500)
    assert world.hold("m", "ann", "bob", None) == first
    assert world.wallets("ann", "bob") == [500, 0]


def test_the_same_hold_again_after_the_table_opened_answers_the_same(world: World) -> None:
    world.deposit(ann=3000, bob=2000)
    first = world.hold("m", "ann", "bob")
    TableLine(world, "m").open("ann", "bob", None)
    assert world.hold("m", "ann", "bob") == first


def test_a_hold_of_the_same_match_for_others_or_another_room_is_a_conflict(world: World) -> None:
    world.deposit(ann=3000, bob=2000, cat=2000)
    world.hold("m", "ann", "bob")
    for players, terms in (
        (["ann", "cat"], TERMS),
        (["bob", "ann"], TERMS),
        (["ann"], TERMS),
        (["ann", "bob"], TERMS._replace(room_id="a/b")),
    ):
        with pytest.raises(ConflictError):
            world.hold("m", *players, terms=terms)
    assert world.wallets("ann", "bob", "cat") == [0, 0, 2000]


def test_a_released_match_gives_the_stakes_back_and_frees_the_players(world: World) -> None:
    world.deposit(ann=3000, bob=2000)
    world.hold("m", "ann", "bob", None)
    assert world.run(stakes.release, "m", "timeout", NOW) is False
    assert world.wallets("ann", "bob") == [3000, 2000]
    assert world.hold("m2", "ann", "bob").held


def test_a_hold_that_comes_after_its_release_cannot_land(world: World) -> None:
    world.deposit(ann=3000, bob=2000)
    assert world.run(stakes.release, "m", "timeout", NOW) is False
    late = world.hold("m", "ann", "bob")
    assert (late.held, late.released) == (False, True)
    assert world.wallets("ann", "bob") == [3000, 2000]


def test_a_release_repeated_changes_nothing(world: World) -> None:
    world.deposit(ann=3000)
    world.hold("m", "ann", None)
    for _ in range(2):
        assert world.run(stakes.release, "m", "timeout", NOW) is False
    assert world.wallet("ann") == 3000


def test_a_release_after_the_table_bound_the_stakes_says_so_and_leaves_them(world: World) -> None:
    world.deposit(ann=3000, bob=3000)
    world.table("m", "ann", "bob")
    assert world.run(stakes.release, "m", "timeout", NOW) is True
    assert world.run(wallets.balance, "ann").at_stake == 3000


def test_a_table_opened_after_its_stakes_were_released_is_refused(world: World) -> None:
    world.deposit(ann=3000, bob=3000)
    world.hold("m", "ann", "bob")
    world.run(stakes.release, "m", "timeout", NOW)
    outcome = TableLine(world, "m").open("ann", "bob")
    assert (outcome.result, outcome.reason) == ("refused", "void")
    assert world.wallets("ann", "bob") == [3000, 3000]


def test_bots_are_funded_by_the_house_with_as_much_as_the_richest_player_brought(world: World) -> None:
    world.deposit(ann=3000)
    assert answers(world.hold("m", "ann", None)) == [(Answer.HELD, 3000), (Answer.HELD, 3000)]


def test_bots_that_were_not_named_are_funded_when_the_table_opens(world: World) -> None:
    world.deposit(ann=3000)
    world.hold("m", "ann")
    assert TableLine(world, "m").open("ann", None, None, None).money == [3000, 3000, 3000, 3000]


def test_a_table_of_bots_alone_holds_what_the_room_asks(world: World) -> None:
    assert answers(world.hold("m", None, None)) == [(Answer.HELD, 1000), (Answer.HELD, 1000)]
    assert TableLine(world, "m").open(None, None).result == "applied"


OTHER_TABLES = [
    (open_body("ann", "cat"), "other_seats"),
    (open_body("bob", "ann"), "other_seats"),
    (open_body("ann"), "other_seats"),
    (open_body("ann", None), "other_seats"),
    (open_body("ann", "bob", "cat"), "other_seats"),
    (open_body("ann", "bob", room="crazy_xuezhan/dashi"), "other_room"),
]


def test_a_table_that_is_not_what_was_held_is_refused_and_the_stakes_return(world: World) -> None:
    world.deposit(ann=3000, bob=3000)
    for number, (body, reason) in enumerate(OTHER_TABLES):
        assert world.hold(f"m{number}", "ann", "bob").held
        outcome = TableLine(world, f"m{number}").settle(body)
        assert (outcome.result, outcome.reason) == ("refused", reason)
        assert world.wallets("ann", "bob") == [3000, 3000]


def test_a_table_nothing_was_held_for_is_refused_and_can_never_be_held(world: World) -> None:
    world.deposit(ann=3000, bob=3000)
    outcome = TableLine(world, "m").open("ann", "bob")
    assert (outcome.result, outcome.reason) == ("refused", "unknown_match")
    assert world.hold("m", "ann", "bob").released


def test_what_is_at_stake_leaves_no_room_for_a_deposit_it_could_not_come_back_to(world: World) -> None:
    world.deposit(ann=MAX_COINS)
    assert world.hold("m", "ann").held
    asked = wallets.Request(wallets.Way.DEPOSIT, "ann", 1, "one more", "")
    assert world.run(wallets.move, asked, NOW).refused == "too_much"


RATED = TERMS._replace(room_id="crazy_duel/rating", game="crazy_duel", base=0, entry=0, needed=0, lock=0, rated=True)


def test_a_rated_room_seats_no_bots_whoever_asks(world: World) -> None:
    assert world.hold("m", "ann", terms=RATED).held
    outcome = TableLine(world, "m", RATED).open("ann", None)
    assert (outcome.result, outcome.reason) == ("refused", "other_seats")
    table = world.table("t", "ann", "bob", terms=RATED)
    table.left(0)
    assert table.settle(items.JoinBody(seat=0, player=None, hold="m2")).reason == "other_seats"
