"""The worked examples of the pooled policy, from the deal to the statement (docs/rules/payout.md, happy_sichuan.md)."""

from __future__ import annotations

from typing import Any

from games.hand import Action, Do
from games.happy_sichuan.greedy_bot import TwoSuitBot
from games.mahjong.random_bot import RandomBot
from tests.table.examples import ANN, BOB, CEM, DEE, Example, Room
from tests.table.ledger import Line
from tests.table.minds import Bots, Feeding, P, S
from tests.table.staged import find, stages

ROOM = Room(game="happy_sichuan", room="open", base=5)


class Escaping(Feeding):
    """bob escapes once so few tiles are left."""

    left: int

    def __call__(self, hand: Any) -> Action:
        return Action(1, Do.LEAVE) if hand.left <= self.left else super().__call__(hand)


class AtOnce(Escaping):
    left = 1000


class InTheLastFour(Escaping):
    left = 3


async def test_an_escape_costs_three_times_96_points_and_the_lower_seat_gets_the_coin_that_is_left_over(example: Example) -> None:
    """288 points at 5 coins are 1440; of the 1000 that bob has everybody gets 333 and ann one more."""
    script = find(ROOM.rules(), lambda number: AtOnce(number, {}), lambda hand: hand.points() == [96, -288, 96, 96], first=0)
    told = await example.play(ROOM, script, {ANN: 100, BOB: 1000, CEM: 100, DEE: 100}, printed=BOB)
    assert told.lines == {
        ANN: [Line("hand", "pool", 96, 334, 0, 434, "escape +96")],
        BOB: [Line("hand", "pool", 288, -1000, 1440, 0, "escape -288")],
        CEM: [Line("hand", "pool", 96, 333, 0, 433, "escape +96")],
        DEE: [Line("hand", "pool", 96, 333, 0, 433, "escape +96")],
    }
    paid = {"cause": "hand", "table": "t", "hand": 1, "counterpart": "pool", "multiple": 288, "coins": -1000, "owed": 1440, "balance": 0}
    assert [line for line in told.printed[BOB] if line["hand"]] == [paid]


async def test_an_escape_in_the_last_four_costs_what_not_being_ready_would_if_that_is_more(example: Example) -> None:
    """ann waits for a multiple of 4, cem for one of 64: 68 times 6 points instead of 48 times 6. dee is not ready and gets nothing."""
    script = find(
        ROOM.rules(),
        lambda number: InTheLastFour(number, {0: P, 2: S}, kong=(0, 2)),
        lambda hand: stages(hand, "escape") == [("escape", [(1, 2, 64), (1, 0, 4)])],
        first=719,
    )
    told = await example.play(ROOM, script, dict.fromkeys((ANN, BOB, CEM, DEE), 5000))
    assert told.lines == {
        ANN: [Line("hand", "pool", 12, 60, 0, 5060, "kong -12, escape +24")],
        BOB: [Line("hand", "pool", 420, -2100, 0, 2900, "kong -12, escape -408")],
        CEM: [Line("hand", "pool", 426, 2130, 0, 7130, "kong +42, escape +384")],
        DEE: [Line("hand", "pool", 18, -90, 0, 4910, "kong -18")],
    }


async def test_who_leaves_after_winning_pays_at_once_what_he_owes_and_is_paid_with_the_others(example: Example) -> None:
    """cem goes with -18 points and has 71 of the 90 coins; ann goes with +6 and shares those 71 and bob's 30 with dee, who has +18."""

    def leaving(hand: Any) -> list[int]:
        return [seat for seat, place in enumerate(hand.seats) if place.out and hand.totals[seat]]

    script = find(
        ROOM.rules(),
        lambda number: Bots(number, [TwoSuitBot] * 4, leaving),
        lambda hand: hand.own == [0, 2] and hand.points() == [6, -6, -18, 18],
        first=10,
    )
    told = await example.play(ROOM, script, {ANN: 1000, BOB: 1000, CEM: 71, DEE: 1000})
    assert told.lines == {
        ANN: [Line("hand", "pool", 6, 25, 0, 1025, "kong -6, win +12")],
        BOB: [Line("hand", "pool", 6, -30, 0, 970, "kong -12, win +6")],
        CEM: [Line("left", "pool", 18, -71, 90, 0)],
        DEE: [Line("hand", "pool", 18, 76, 0, 1076, "kong +30, win -12")],
    }
    (paid,) = told.record["coins"]
    assert (paid["change"], paid["short"]) == ([25, -30, -71, 76], [{"seat": 2, "owed": 90, "paid": 71}])


async def test_a_pig_pays_96_points_to_each_who_is_none_and_kongs_are_given_back(example: Example) -> None:
    """cem is the pig, bob is not ready and gives the kongs back to cem, dee is ready; ann has won and has no part in it."""
    script = find(
        ROOM.rules(),
        lambda number: Bots(number, [TwoSuitBot, TwoSuitBot, RandomBot, TwoSuitBot]),
        lambda hand: (
            stages(hand, "flower_pig", "not_ready", "refund")
            == [("flower_pig", [(2, 1, 16), (2, 3, 16)]), ("not_ready", [(1, 3, 4)]), ("refund", [(1, 2, 1), (1, 2, 1)])]
        ),
        first=14,
    )
    told = await example.play(ROOM, script, {ANN: 1000, BOB: 1000, CEM: 1000, DEE: 1000})
    assert told.lines == {
        ANN: [Line("hand", "pool", 6, 30, 0, 1030, "win +6")],
        BOB: [Line("hand", "pool", 60, 300, 0, 1300, "kong +6, win -6, flower_pig +96, not_ready -24, refund -12")],
        CEM: [Line("hand", "pool", 198, -990, 0, 10, "kong -18, flower_pig -192, refund +12")],
        DEE: [Line("hand", "pool", 132, 660, 0, 1660, "kong +12, flower_pig +96, not_ready +24")],
    }


async def test_what_a_kong_earned_is_handed_over_to_who_wins_on_the_discard_after_it(example: Example) -> None:
    """dee's added kong earned 3 times 6 points; bob wins 4 fan on dee's next discard and gets those too, bob's own 6 among them."""
    script = find(
        ROOM.rules(),
        lambda number: Bots(number, [TwoSuitBot] * 4),
        lambda hand: stages(hand, "kong_transfer") == [("kong_transfer", [(3, 1, 3)])],
        first=17,
    )
    told = await example.play(ROOM, script, {ANN: 1000, BOB: 1000, CEM: 1000, DEE: 1000})
    assert told.lines == {
        ANN: [Line("hand", "pool", 6, -30, 0, 970, "kong -6")],
        BOB: [Line("hand", "pool", 66, 330, 0, 1330, "kong +0, win +48, kong_transfer +18")],
        CEM: [Line("hand", "pool", 6, -30, 0, 970, "kong -12, win +6")],
        DEE: [Line("hand", "pool", 54, -270, 0, 730, "kong +18, win -54, kong_transfer -18")],
    }
