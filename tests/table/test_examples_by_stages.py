"""The worked examples of the stage policy, from the deal to the statement (docs/rules/payout.md, crazy_xuezhan.md, kaxinwu.md)."""

from __future__ import annotations

from typing import Any

from games.mahjong.greedy_bot import GreedyBot
from games.mahjong.offers import ClaimOffer
from games.mahjong.random_bot import RandomBot
from tests.table.examples import ANN, BOB, CEM, DEE, Example, Room
from tests.table.ledger import Line
from tests.table.minds import Bots, Feeding, Melding, Pairing, Running, wins_with
from tests.table.staged import find, stages

KAXINWU = Room(game="kaxinwu", room="coins", base=20)
KAXINWU_FOR_TWO = Room(game="kaxinwu", room="coins", base=20, players=2)


async def test_one_who_has_1003_and_owes_multiples_of_100_and_1000_at_a_base_of_10_pays_91_and_912(example: Example) -> None:
    """dee pays bob's win first, and is then paid from what cem has; nobody else owes anything when the wall is empty."""
    room = Room(room="dashi", base=10, entry=100)

    def wins(_hand: Any, offer: Any) -> bool:
        return offer.seat == 1 and isinstance(offer, ClaimOffer) and offer.source != 2

    script = find(
        room.rules(),
        lambda number: Feeding(number, {0: None, 3: None}, wins, kong=(3,)),
        lambda hand: stages(hand) == [("win", [(3, 1, 100)]), ("not_ready", [(2, 0, 100), (2, 3, 1000)])],
        first=1230,
    )
    told = await example.play(room, script, {ANN: 5000, BOB: 5000, CEM: 1003, DEE: 5000}, printed=CEM)
    assert told.lines == {
        ANN: [Line("not_ready", CEM, 100, 91, 1000, 5091)],
        BOB: [Line("win", DEE, 100, 1000, 0, 6000)],
        CEM: [Line("not_ready", ANN, 100, -91, 1000, 912), Line("not_ready", DEE, 1000, -912, 10_000, 0)],
        DEE: [Line("win", BOB, 100, -1000, 0, 4000), Line("not_ready", CEM, 1000, 912, 10_000, 4912)],
    }
    assert [
        (line["cause"], line["counterpart"], line["multiple"], line["coins"], line["owed"], line["balance"]) for line in told.printed[CEM]
    ] == [
        ("deposit", "outside", None, 1003, None, 1003),
        ("stake", None, None, 0, None, 1003),
        ("not_ready", ANN, 100, -91, 1000, 912),
        ("not_ready", DEE, 1000, -912, 10_000, 0),
    ]
    assert [(line["table"], line["hand"]) for line in told.printed[CEM]][1:] == [("t", None), ("t", 1), ("t", 1)]
    assert told.record["coins"][1]["short"] == [{"seat": 2, "owed": 11_000, "paid": 1003}], "the ledger records that 9,997 were not paid"


async def test_a_loser_still_pays_their_total_less_the_entry_and_a_winner_receives_it_and_the_entry(example: Example) -> None:
    """bob draws the tile, is paid by all and goes at once; the others play on without them."""
    room = Room(entry=100)
    script = find(
        room.rules(),
        lambda number: Bots(number, [GreedyBot] * 4),
        lambda hand: stages(hand) == [("win", [(2, 1, 1000), (3, 1, 1000), (0, 1, 1000)]), ("win", [(0, 2, 1)]), ("win", [(3, 0, 1)])],
        first=29,
    )
    told = await example.play(room, script, dict.fromkeys((ANN, BOB, CEM, DEE), 50_000), goes=1)
    assert told.lines[ANN] == [
        Line("win", BOB, 1000, -1000, 0, 49_000),
        Line("win", CEM, 1, -1, 0, 48_999),
        Line("win", DEE, 1, 1, 0, 49_000),
    ]
    assert told.lines[BOB] == [Line("win", who, 1000, 1000, 0, 50_000 + 1000 * place) for place, who in enumerate((CEM, DEE, ANN), 1)]
    visits = {player: (visit.stake, visit.entry, visit.net, visit.still_pays, visit.receives) for player, visit in told.visits.items()}
    assert visits == {
        ANN: (50_000, 100, -1000, 900, 0),
        BOB: (50_000, 100, 3000, 0, 3100),
        CEM: (50_000, 100, -999, 899, 0),
        DEE: (50_000, 100, -1001, 901, 0),
    }


async def test_a_flower_pig_without_the_cap_for_three_shares_what_it_has_and_owes_the_next_stage_in_full(example: Example) -> None:
    """25,000 for three claims of 10,000 are 8,333 each; the coin left over goes to the seat after the pig."""
    room = Room()
    script = find(
        room.rules(),
        lambda number: Bots(number, [RandomBot] + [GreedyBot] * 3, win=False),
        lambda hand: (
            stages(hand) == [("flower_pig", [(0, seat, 10_000) for seat in (1, 2, 3)]), ("not_ready", [(0, seat, 1) for seat in (1, 2, 3)])]
        ),
        first=63,
    )
    told = await example.play(room, script, {ANN: 25_000, BOB: 1000, CEM: 1000, DEE: 1000})
    assert told.lines == {
        ANN: [
            Line("flower_pig", BOB, 10_000, -8334, 10_000, 16_666),
            Line("flower_pig", CEM, 10_000, -8333, 10_000, 8333),
            Line("flower_pig", DEE, 10_000, -8333, 10_000, 0),
            *(Line("not_ready", other, 1, 0, 1, 0) for other in (BOB, CEM, DEE)),
        ],
        **{
            other: [Line("flower_pig", ANN, 10_000, coins, 10_000, 1000 + coins), Line("not_ready", ANN, 1, 0, 1, 1000 + coins)]
            for other, coins in {BOB: 8334, CEM: 8333, DEE: 8333}.items()
        },
    }


async def test_pure_seven_pairs_of_kaxinwu_are_8_points_for_the_win_and_again_for_not_being_ready(example: Example) -> None:
    script = find(
        KAXINWU.rules(),
        lambda number: Pairing(number, lambda _hand, offer: offer.seat == 0),
        lambda hand: (
            wins_with(hand, 0) == [["seven_pairs", "one_suit"]]
            and stages(hand) == [("win", [(1, 0, 8)]), ("not_ready", [(seat, 0, 8) for seat in (1, 2, 3)])]
        ),
        first=0xF7A,
    )
    told = await example.play(KAXINWU, script, dict.fromkeys((ANN, BOB, CEM, DEE), 1000))
    assert told.lines == {
        ANN: [
            Line("win", BOB, 8, 160, 0, 1160),
            *(Line("not_ready", who, 8, 160, 0, 1160 + 160 * place) for place, who in enumerate((BOB, CEM, DEE), 1)),
        ],
        BOB: [Line("win", ANN, 8, -160, 0, 840), Line("not_ready", ANN, 8, -160, 0, 680)],
        CEM: [Line("not_ready", ANN, 8, -160, 0, 840)],
        DEE: [Line("not_ready", ANN, 8, -160, 0, 840)],
    }


async def test_pure_seven_pairs_with_four_alike_are_16_points(example: Example) -> None:
    def wins(hand: Any, offer: Any) -> bool:
        held = hand.seats[0].concealed.counts
        return offer.seat == 0 and (4 in held or (isinstance(offer, ClaimOffer) and held[offer.tile] == 3))

    script = find(
        KAXINWU_FOR_TWO.rules(),
        lambda number: Pairing(number, wins),
        lambda hand: stages(hand) == [("win", [(1, 0, 16)])] and wins_with(hand, 0) == [["dragon_seven_pairs", "one_suit"]],
        first=9,
    )
    told = await example.play(KAXINWU_FOR_TWO, script, {ANN: 1000, BOB: 1000})
    assert told.lines == {ANN: [Line("win", BOB, 16, 320, 0, 1320)], BOB: [Line("win", ANN, 16, -320, 0, 680)]}


async def test_a_hand_won_for_8_on_a_replacement_is_paid_4_by_who_is_not_ready(example: Example) -> None:
    """平胡, 清一色 and 杠上花: for not being ready the 杠上花 does not count."""
    script = find(
        KAXINWU_FOR_TWO.rules(),
        lambda number: Running(number, lambda hand, offer: offer.seat == 0 and bool(hand.row), kong=(0,)),
        lambda hand: (
            wins_with(hand, 0) == [["standard", "one_suit", "kong_draw"]] and stages(hand, "not_ready") == [("not_ready", [(1, 0, 4)])]
        ),
        first=29,
    )
    told = await example.play(KAXINWU_FOR_TWO, script, {ANN: 1000, BOB: 1000})
    assert told.lines == {
        ANN: [Line("kong", BOB, 2, 40, 0, 1040), Line("win", BOB, 8, 160, 0, 1200), Line("not_ready", BOB, 4, 80, 0, 1280)],
        BOB: [Line("kong", ANN, 2, -40, 0, 960), Line("win", ANN, 8, -160, 0, 800), Line("not_ready", ANN, 4, -80, 0, 720)],
    }


async def test_kongs_of_kaxinwu_earn_2_1_and_2_and_double_in_a_row(example: Example) -> None:
    """A concealed one, two direct ones, an added one and a concealed one in a row with it. Of the last 80 coins dee has 5."""
    script = find(
        KAXINWU.rules(),
        lambda number: Melding(number, kong=range(4)),
        lambda hand: (
            [[claim[2] for claim in claims] for _, claims in stages(hand)] == [[2, 2, 2], [2], [2], [1, 1, 1], [4, 4, 4]]
            and [stage.claims[0].payee for stage in hand.stages] == [1, 2, 1, 2, 2]
        ),
        first=524,
    )
    told = await example.play(KAXINWU, script, {ANN: 1000, BOB: 1000, CEM: 1000, DEE: 145})
    assert told.lines[DEE] == [
        Line("kong", BOB, 2, -40, 0, 105),
        Line("kong", CEM, 2, -40, 0, 65),
        Line("kong", BOB, 2, -40, 0, 25),
        Line("kong", CEM, 1, -20, 0, 5),
        Line("kong", CEM, 4, -5, 80, 0),
    ]
    assert told.lines[CEM][-3:] == [Line("kong", DEE, 4, 5, 80, 1065), Line("kong", ANN, 4, 80, 0, 1145), Line("kong", BOB, 4, 80, 0, 1225)]
    assert told.owned == {ANN: 860, BOB: 1060, CEM: 1225, DEE: 0}


async def test_played_for_points_no_coin_moves_and_nobody_needs_any(example: Example) -> None:
    room = Room(game="kaxinwu", room="points", base=0, lock="0")
    script = find(room.rules(), lambda number: Melding(number, kong=range(4)), lambda hand: hand.points() == [10, -6, 6, -10], first=0)
    told = await example.play(room, script, dict.fromkeys((ANN, BOB, CEM, DEE), 1))
    assert told.lines == {ANN: [], BOB: [], CEM: [], DEE: []}
    assert (told.record["points"], told.record["coins"]) == ([10, -6, 6, -10], [])
