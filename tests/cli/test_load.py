"""What a load run would find if something were wrong, and how its players choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from games.simulate import simulate
from xuezhan.api.settlement.v1 import settlement_pb2 as money
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.load.brain import make_brain
from xuezhan.cli.load.checks import Wallet, check_coins, check_records
from xuezhan.cli.load.player import ack_key, record_key
from xuezhan.cli.load.tally import Tally
from xuezhan.client import Heard, acts, legal, tile_named

PLAYED = next(simulate("crazy_xuezhan", 1, "1", bots="random"))


@dataclass
class Acknowledged:
    """A player as far as the checks look at them."""

    name: str = "alice"
    acknowledged: Counter[Any] = field(default_factory=Counter)
    settled: int = 0
    saw_all: bool = True


def all_acknowledged() -> Counter[Any]:
    table, hand = PLAYED["table"], PLAYED["hand"]
    return Counter((table, hand, action["seat"], *record_key(action)) for action in PLAYED["actions"])


async def checked(record: dict[str, Any], acknowledged: Counter[Any]) -> Tally:
    """The tally after the records of a server that has only this one were checked."""

    async def records(token: str, table: str) -> list[dict[str, Any]]:
        return [record]

    tally = Tally(tables={PLAYED["table"]: "address"})
    client: Any = SimpleNamespace(tables=lambda address: SimpleNamespace(records=records))
    player: Any = Acknowledged(acknowledged=acknowledged)
    await check_records(client, lambda: "token", [player], tally)
    return tally


async def test_a_record_with_every_acknowledged_action_is_good() -> None:
    tally = await checked(PLAYED, all_acknowledged())
    assert tally.good
    assert (tally.recorded_hands, tally.recorded_actions) == (1, len(PLAYED["actions"]))


async def test_an_acknowledged_action_that_is_not_in_the_record_is_found() -> None:
    more = all_acknowledged()
    more[PLAYED["table"], 1, 2, "discard", ("5m",)] += 3
    tally = await checked(PLAYED, more)
    assert not tally.good
    assert tally.acknowledged_missing == 3
    assert "'discard', ('5m',)" in tally.errors[0]


async def test_a_claim_that_lost_to_a_win_may_be_missing() -> None:
    more = all_acknowledged()
    more[PLAYED["table"], 1, 2, "pung", ()] += 50
    assert (await checked(PLAYED, more)).good


async def test_a_hand_without_a_record_is_found() -> None:
    more = all_acknowledged()
    more[PLAYED["table"], 9, 0, "discard", ("1m",)] += 1
    tally = await checked(PLAYED, more)
    assert tally.acknowledged_missing == 1
    assert "has no record" in tally.errors[0]


async def test_a_record_that_does_not_replay_is_found() -> None:
    tally = await checked({**PLAYED, "points": [1, -1, 0, 0]}, all_acknowledged())
    assert tally.records_wrong == 1
    assert not tally.good


async def coins(balance: int, lines: list[int], *, told: int) -> Tally:
    """The tally of a player who had 100 coins, has `balance`, with these statement lines (newest first), and was told of `told`."""

    async def ask(token: str, player: str) -> money.GetBalanceResponse:
        return money.GetBalanceResponse(wallet=balance)

    async def pages(token: str, player: str) -> AsyncIterator[money.GetStatementResponse]:
        after = 100 + sum(lines)
        rows = [
            money.StatementLine(entry_id=20 - place, table_id="t", coins=line, balance_after=after - sum(lines[:place]))
            for place, line in enumerate(lines)
        ]
        yield money.GetStatementResponse(lines=[*rows, money.StatementLine(entry_id=3, coins=100)])

    tally = Tally()
    client: Any = SimpleNamespace(coins=SimpleNamespace(balance=ask, statement_pages=pages))
    player: Any = Acknowledged(settled=told)
    await check_coins(client, lambda: "token", {"alice": Wallet(100, 3)}, [player], tally)
    return tally


async def test_a_wallet_that_changed_by_its_statement_is_good() -> None:
    tally = await coins(90, [-30, 20], told=-10)
    assert tally.good
    assert (tally.coins.before, tally.coins.after, tally.coins.lost, tally.coins.changed) == (100, 90, 10, 1)


@pytest.mark.parametrize(("balance", "told"), [(91, -10), (90, -9)], ids=["wallet differs", "player was told something else"])
async def test_a_coin_that_is_not_where_the_statement_says_is_found(balance: int, told: int) -> None:
    tally = await coins(balance, [-30, 20], told=told)
    assert tally.coins.mismatches == 1
    assert not tally.good


def test_an_act_and_its_place_in_a_record_have_one_key() -> None:
    tile = tile_named("5p")
    assert ack_key(acts.discard(tile)) == record_key({"do": "discard", "tile": "5p"})
    assert ack_key(acts.void(mj.SUIT_S)) == record_key({"do": "void", "suit": "s"})
    three = [tile_named(name) for name in ("3m", "1m", "1m")]
    assert ack_key(acts.exchange(three)) == record_key({"do": "exchange", "tiles": ["1m", "1m", "3m"]})
    assert ack_key(acts.kong(tile, mj.MELD_KIND_ADDED_KONG)) == record_key({"do": "kong", "tile": "5p", "kind": "added_kong"})
    assert ack_key(acts.win()) == record_key({"do": "win"})


def tiles(text: str) -> list[mj.Tile.ValueType]:
    return [tile_named(name) for name in text.split()]


HAND = tiles("1m 2m 3m 4m 5m 6m 7m 7m 2p 3p 4p 9p 9p 9p")
OFFERS = {
    "void": mj.MahjongChoices(void_suits=[mj.SUIT_M, mj.SUIT_P, mj.SUIT_S]),
    "exchange": mj.MahjongChoices(exchange_from=HAND[:13]),
    "turn": mj.MahjongChoices(discards=sorted(set(HAND)), tile=HAND[13]),
    "win": mj.MahjongChoices(discards=sorted(set(HAND)), tile=HAND[13], may_win=True),
    "claim": mj.MahjongChoices(may_pung=True, may_pass=True, tile=tile_named("7m"), from_seat_plus_one=2),
    "kong": mj.MahjongChoices(
        kongs=[mj.KongChoice(tile=tile_named("9p"), kind=mj.MELD_KIND_DIRECT_KONG)],
        may_pass=True,
        tile=tile_named("9p"),
        from_seat_plus_one=4,
    ),
}


@pytest.mark.parametrize("name", ["random", "greedy"])
@pytest.mark.parametrize("offer", OFFERS)
def test_players_choose_what_they_are_offered(name: str, offer: str) -> None:
    brain = make_brain("crazy_xuezhan", name, Random(1))
    brain.hear(Heard(0, "attached", pb.Attached(seat=0, seats=[pb.SeatAssignment()] * 4)))
    brain.hear(Heard(1, "dealt", mj.Dealt(tiles=HAND[:13], concealed_counts=[13] * 4)))
    if offer in {"turn", "win"}:
        brain.hear(Heard(2, "drew", mj.Drew(seat=0, tile=HAND[13])))
    allowed = {ack_key(act) for act in legal(OFFERS[offer])}
    for _ in range(30):
        assert ack_key(brain.choose(pb.Offer(mahjong=OFFERS[offer]))) in allowed


def test_the_greedy_player_wins_when_they_may_and_keeps_what_helps() -> None:
    brain = make_brain("crazy_xuezhan", "greedy", Random(1))
    brain.hear(Heard(0, "attached", pb.Attached(seat=0, seats=[pb.SeatAssignment()] * 4)))
    ready = tiles("1m 2m 3m 4m 5m 6m 7m 8m 9m 2p 2p 5p 6p")
    brain.hear(Heard(1, "dealt", mj.Dealt(tiles=ready, concealed_counts=[13] * 4)))
    drawn = tile_named("9p")
    brain.hear(Heard(2, "drew", mj.Drew(seat=0, tile=drawn)))
    turn = mj.MahjongChoices(discards=sorted({*ready, drawn}), tile=drawn)
    assert brain.choose(pb.Offer(mahjong=turn)).tile == drawn
    turn.may_win = True
    assert brain.choose(pb.Offer(mahjong=turn)).do == pb.DO_WIN


def test_the_tally_is_good_only_without_any_error() -> None:
    tally = Tally()
    assert tally.report()["ok"]
    for _ in range(150):
        tally.error("something")
    report = tally.report()
    assert (report["ok"], report["error_count"], len(report["errors"])) == (False, 150, 100)


def test_latencies_are_told_by_their_share() -> None:
    tally = Tally()
    tally.latencies.extend(number / 1000 for number in range(1, 101))
    tally.unanswered.extend(number / 100 for number in range(1, 101))
    report = tally.report()
    assert (report["latency_p50_ms"], report["latency_p99_ms"]) == (51.0, 100.0)
    assert [report[f"unanswered_{name}_ms"] for name in ("p50", "p99", "max")] == [510.0, 1000.0, 1000.0]
