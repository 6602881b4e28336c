"""The pooled payout, and tables that go on: top-ups, joins, ratings."""

import pytest

from services.kit import items
from services.kit.items import ShortRow
from services.settlement import statement, wallets
from tests.settlement.world import LOCKED, POOLED, TERMS, TableLine, World

RATED = TERMS._replace(room_id="crazy_duel/rating", game="crazy_duel", base=0, entry=0, needed=0, lock=0, rated=True)


@pytest.fixture
def table(world: World) -> TableLine:
    world.deposit(ann=1000, bob=1000, cat=300, dan=1000)
    return world.table("t", "ann", "bob", "cat", "dan", terms=POOLED)


def test_everyone_gets_their_points_times_the_rate_where_nobody_is_short(table: TableLine) -> None:
    outcome = table.hand_end(30, -10, -20, 0)
    assert (outcome.change, outcome.money, outcome.short) == ([150, -50, -100, 0], [1150, 950, 200, 1000], [])


def test_the_winners_share_what_a_short_loser_could_pay_in_proportion(table: TableLine) -> None:
    outcome = table.hand_end(60, 30, -90, 0)
    assert outcome.change == [200, 100, -300, 0]
    assert outcome.short == [ShortRow(seat=2, owed=450, paid=300)]


def test_a_loser_who_left_paid_into_the_pool_when_they_left_and_may_sit_elsewhere_at_once(table: TableLine) -> None:
    outcome = table.left(1, points=-40)
    assert outcome.money == [1000, 0, 300, 1000]
    assert table.world.run(wallets.balance, "bob") == wallets.Balance(wallet=800, at_stake=0, match="")
    assert table.hand_end(40, -40, 0, 0).change == [200, -200, 0, 0]
    table.close()
    assert table.world.wallets("ann", "bob", "cat", "dan") == [1200, 800, 300, 1000]


def test_a_winner_who_left_has_their_share_sent_to_their_wallet_when_the_hand_ends(table: TableLine) -> None:
    table.left(0, points=40)
    assert table.world.wallet("ann") == 1000
    table.hand_end(40, -40, 0, 0)
    assert table.world.wallet("ann") == 1200


def test_a_loser_who_leaves_short_pays_what_they_have_and_it_is_told(table: TableLine) -> None:
    assert table.left(2, points=-100).short == [ShortRow(seat=2, owed=500, paid=300)]
    outcome = table.hand_end(100, 0, -100, 0)
    assert (outcome.change, outcome.short) == ([300, 0, -300, 0], [ShortRow(seat=2, owed=500, paid=300)])


def test_a_hand_that_never_ends_gives_back_what_was_paid_into_its_pool(table: TableLine) -> None:
    table.left(1, points=-40)
    table.close()
    assert table.world.wallets("ann", "bob", "cat", "dan") == [1000, 1000, 300, 1000]


def test_points_that_do_not_fit_the_table_are_refused(table: TableLine) -> None:
    assert table.hand_end(1, 0, 0, 0).reason == "points"
    assert table.hand_end(1, -1).reason == "points"
    assert table.stage((0, 1, 1)).reason == "policy"
    assert table.hand_end(2**52, -(2**52), 0, 0).reason == "too_large"


def test_the_causes_of_a_hand_stand_on_its_line_of_the_statement(world: World, table: TableLine) -> None:
    causes = [
        items.CauseLine(cause="win", claims=[items.ClaimRow(payer=1, payee=0, multiple=12)]),
        items.CauseLine(cause="kong", claims=[items.ClaimRow(payer=0, payee=1, multiple=6)]),
    ]
    table.settle(items.HandEndBody(hand=1, rate=5, points=[6, -6, 0, 0], causes=causes))
    line = world.run(statement.read, "ann", 1, "", "").lines[0]
    assert (line.coins, line.multiple, statement.counterpart(line, "ann"), line.text) == (30, 6, "pool", "win +12, kong -6")


def test_ratings_change_in_the_same_transaction_and_are_not_coins(world: World) -> None:
    world.deposit(ann=1000, bob=1000)
    table = world.table("t", "ann", "bob", terms=RATED)
    told = [table.settle(items.HandEndBody(hand=hand, rating=rating)).ratings for hand, rating in ((1, [7, -7]), (2, [-3, 3]))]
    assert told == [[7, 0], [4, 3]]
    assert world.ratings() == {"ann": 4, "bob": 3}
    assert [world.owned(player) for player in ("ann", "bob")] == [1000, 1000]
    assert world.run(wallets.balance, "ann").ratings == (("crazy_duel", 4),)


def test_a_rating_never_falls_below_zero_and_stays_the_sum_of_its_changes(world: World) -> None:
    """Also when several hands of a player are settled in one batch."""
    table = world.table("t", "ann", "bob", terms=RATED)
    bodies = [items.HandEndBody(hand=hand, rating=[points, -points]) for hand, points in enumerate((5, -8, 2, -1), 1)]
    signed = [table.item(body) for body in bodies]
    outcomes = world.send(*signed)["t"].items
    assert [outcome.ratings for outcome in outcomes] == [[5, 0], [0, 8], [2, 6], [1, 7]]
    assert world.ratings() == {"ann": 1, "bob": 7}


def test_points_that_do_not_add_up_to_zero_change_no_rating(world: World) -> None:
    table = world.table("t", "ann", "bob", terms=RATED)
    assert table.settle(items.HandEndBody(hand=1, rating=[5, -4])).reason == "rating"
    assert world.ratings() == {}
    assert world.findings() == []


def test_a_bot_has_no_rating(world: World) -> None:
    table = world.table("t", "ann", None, terms=RATED)
    assert table.settle(items.HandEndBody(hand=1, rating=[5, -5])).ratings == [0, -1]
    assert world.ratings() == {"ann": 0}, "and none is won from it"


def test_a_top_up_makes_the_stake_up_to_the_lock_and_is_refused_when_the_wallet_is_short(world: World) -> None:
    world.deposit(ann=1500, bob=5000)
    table = world.table("t", "ann", "bob", terms=LOCKED)
    table.stage((0, 1, 40))
    assert table.settle(items.TopUpBody(seat=0)).money == [1000, 1400]
    assert table.settle(items.TopUpBody(seat=1)).money == [1000, 1400]
    table.stage((0, 1, 50))
    assert table.settle(items.TopUpBody(seat=0)).reason == "short"
    table.close()
    assert world.wallets("ann", "bob") == [600, 5900]


def test_a_bots_stake_is_made_up_by_the_house(world: World) -> None:
    world.deposit(ann=5000)
    table = world.table("t", "ann", None, terms=LOCKED)
    table.stage((1, 0, 60))
    assert table.settle(items.TopUpBody(seat=1)).money == [1600, 1000]


def test_another_player_takes_the_seat_of_one_who_left_with_a_stake_of_their_own(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000)
    table = world.table("t", "ann", "bob", terms=LOCKED)
    table.left(1)
    world.hold_seat("h", 1, "cat", terms=LOCKED)
    assert table.settle(items.JoinBody(seat=1, player="cat", hold="h")).money == [1000, 1000]
    table.stage((0, 1, 10))
    table.close()
    assert world.wallets("ann", "bob", "cat") == [4900, 5000, 5100]
    assert world.run(wallets.balance, "cat").match == ""


def test_a_bot_takes_a_seat_funded_by_the_house(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    table = world.table("t", "ann", "bob", terms=LOCKED)
    table.left(1)
    assert table.settle(items.JoinBody(seat=1, player=None, hold="h")).money == [1000, 1000]


def test_a_join_is_refused_where_the_seat_or_the_stake_is_not_what_it_says(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000)
    table = world.table("t", "ann", "bob", terms=LOCKED)
    world.hold_seat("h", 1, "cat", terms=LOCKED)
    refused = [
        (items.JoinBody(seat=1, player="cat", hold="h"), "seat_taken"),
        (items.JoinBody(seat=2, player="cat", hold="h"), "unknown_match"),
        (items.JoinBody(seat=2, player="cat", hold="t"), "unknown_match"),
        (items.JoinBody(seat=2, player=None, hold="h"), "other_seats"),
    ]
    for body, reason in refused:
        assert table.settle(body).reason == reason
    table.left(1)
    assert table.settle(items.JoinBody(seat=1, player="dan", hold="h")).reason == "other_seats"
    assert table.settle(items.JoinBody(seat=1, player="cat", hold="h")).result == "applied"
    assert table.settle(items.JoinBody(seat=1, player="cat", hold="h")).reason == "seat_taken"
