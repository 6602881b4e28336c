"""What a seat notices of the shuffle by itself: nothing while the server keeps its word, and each way of breaking it by its name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.client.stub import StubTable
from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Seat

GAMES = [
    ("crazy_xuezhan", 4, {}),
    ("happy_sichuan", 4, {"mode": "single"}),
    ("kaxinwu", 4, {}),
    ("kaxinwu", 2, {"three_suits": True}),
    ("crazy_duel", 2, {}),
]


@pytest.fixture(params=GAMES, ids=lambda game: f"{game[0]}-{game[1]}")
def stub(request: pytest.FixtureRequest) -> Callable[..., StubTable]:
    game, players, options = request.param

    def made(seed: object = 0) -> StubTable:
        return StubTable(game, seed, players, options)

    return made


async def test_every_hand_has_fresh_bytes_of_the_seat_and_none_has_a_fault(stub: Callable[..., StubTable]) -> None:
    table = stub()
    for _ in range(4):
        table.whole_hand()
        assert table.bytes[table.me] is not None
    assert len(set(table.revealed)) == len(table.revealed) == 4
    assert table.seat.faults == []


async def test_a_program_that_comes_and_goes_at_any_moment_finds_no_fault_in_an_honest_server(stub: Callable[..., StubTable]) -> None:
    """Streams that break, servers and programs that start again, full views, late bytes."""
    withheld = 0
    for seed in range(60):
        table = stub(seed)

        everything = [table.seat]

        def perhaps(table: StubTable = table, everything: list[Seat] = everything) -> None:
            """Something may happen to the connection, between any two things that happen at the table."""
            chance = table.random.random()
            if table.away and chance < 0.3:
                table.attach(view=chance < 0.15)
            elif not table.away and chance < 0.1:
                table.cut()
            elif not table.away and chance < 0.13:
                table.cut()
                table.sit_down()
                everything.append(table.seat)
            elif not table.away and chance < 0.16:
                table.tell(pb.Event(resync_needed=pb.ResyncNeeded()))
                table.serve(view=chance < 0.145)
            elif chance < 0.8:
                table.serve()

        for _ in range(4):
            perhaps()
            table.commit()
            for _ in range(3):
                perhaps()
            table.deal()
            withheld += bool(table.hashes[table.me] and not table.bytes[table.me])
            assert table.recorder is not None
            while not table.recorder.hand.over:
                perhaps()
                table.play(table.random.randrange(1, 30))
            table.end()
        perhaps()
        table.event(pb.Event(table_closed=pb.TableClosed()))
        assert [fault for seat in everything for fault in seat.faults] == [], seed
    assert withheld > 5


async def test_hands_of_a_server_without_statements_are_dealt_again_all_the_same(stub: Callable[..., StubTable]) -> None:
    table = stub()
    table.signs = False
    table.whole_hand()
    table.whole_hand()
    assert table.seat.faults == []
    table.dealt_seed = bytes(32)
    table.whole_hand()
    assert table.names_of_faults == ["other_deal"]


async def test_another_deal_than_the_one_committed_to_is_found_however_it_is_shown(stub: Callable[..., StubTable]) -> None:
    table = stub()
    table.dealt_seed = bytes(32)
    table.whole_hand()
    assert table.names_of_faults == ["other_deal"]
    table = stub()
    table.dealt_seed = table.shown_seed = bytes(32)
    table.whole_hand()
    assert table.names_of_faults == ["other_deal"]
    assert "not the one committed to" in table.seat.faults[0].text


async def test_another_deal_is_found_by_a_program_that_was_started_in_the_middle_of_the_hand(stub: Callable[..., StubTable]) -> None:
    table = stub()
    table.dealt_seed = bytes(32)
    table.serve()
    table.commit()
    table.serve()
    table.deal()
    table.play(10)
    table.sit_down()
    table.play()
    table.end()
    assert table.names_of_faults == ["other_deal"]


async def test_another_deal_is_found_by_a_program_that_missed_the_end(stub: Callable[..., StubTable]) -> None:
    table = stub()
    table.dealt_seed = bytes(32)
    table.serve()
    table.commit()
    table.serve()
    table.deal()
    table.cut()
    table.play()
    table.end()
    table.attach()
    assert table.names_of_faults == ["other_deal"]


async def test_who_takes_a_seat_between_two_hands_does_not_judge_the_hand_before(stub: Callable[..., StubTable]) -> None:
    table = stub()
    table.called_off = "replay_failed"
    table.whole_hand()
    table.players[1 - table.me] = "eve"
    table.called_off = ""
    table.sit_down()
    table.whole_hand()
    assert table.seat.faults == []
    assert table.bytes[table.me] is not None


async def test_a_seat_that_another_player_took_is_that_players_in_the_next_statement() -> None:
    table = StubTable()
    table.whole_hand()
    other = (table.me + 1) % 4
    table.players[other] = "eve"
    table.event(pb.Event(seat_taken=pb.SeatTaken(seat=other, player_id="eve")))
    table.whole_hand()
    assert table.seat.faults == []
    table.players[other] = "fay"
    table.whole_hand()
    assert table.names_of_faults == ["bad_statement"]


def other_tile(tile: int) -> int:
    return tile % 27 + 1


def change(event: pb.Event, me: int) -> Callable[[], object] | None:
    """How to show something else than happened, by the kind of event; None if there is nothing to change."""
    name = event.WhichOneof("what")
    if name == "dealt":
        return lambda: event.dealt.tiles.__setitem__(0, mj.Tile.ValueType(other_tile(event.dealt.tiles[0])))
    if name == "drew" and event.drew.seat == me:
        return lambda: setattr(event.drew, "tile", other_tile(event.drew.tile))
    if name == "cards_dealt":
        return lambda: event.cards_dealt.cards.__setitem__(0, cd.Card.ValueType(event.cards_dealt.cards[0] % 30 + 1))
    return None


@pytest.mark.parametrize("place", [0, 1, 2, 4])
async def test_one_tile_that_is_not_of_the_deal_is_found_wherever_it_is_shown(stub: Callable[..., StubTable], place: int) -> None:
    table = stub()
    shown = []

    def show(event: pb.Event) -> pb.Event:
        copied = pb.Event.FromString(event.SerializeToString())
        make = change(copied, table.me)
        if make is not None:
            shown.append(event)
            if len(shown) == place + 1:
                make()
        return copied

    table.show = show
    table.whole_hand()
    assert table.names_of_faults == (["other_deal"] if len(shown) > place else [])
    # The players' own bytes are in the deal: once in many runs a hand is over before the last of these places.
    assert len(shown) > min(place, 1) or table.rules.game == "crazy_duel"


async def with_change(game: str, name: str, make: Callable[[Any], object], seeds: int = 8) -> list[str]:
    """Faults of hands in which every event of a kind is changed."""
    found = []
    for seed in range(seeds):
        table = StubTable(game, seed)

        def show(event: pb.Event) -> pb.Event:
            if event.WhichOneof("what") == name:
                make(getattr(event, name))
            return event

        table.show = show
        table.whole_hand()
        found += table.names_of_faults
    return found


@pytest.mark.parametrize(
    ("game", "name", "make"),
    [
        ("crazy_xuezhan", "dealt", lambda dealt: setattr(dealt, "dealer", (dealt.dealer + 1) % 4)),
        ("crazy_xuezhan", "exchanged", lambda exchanged: setattr(exchanged, "shift", exchanged.shift % 3 + 1)),
        ("crazy_duel", "cards_dealt", lambda dealt: setattr(dealt, "leader", 1 - dealt.leader)),
        ("crazy_duel", "cards_dealt", lambda dealt: setattr(dealt, "shown", dealt.shown % 30 + 1)),
        ("kaxinwu", "drew", lambda drew: setattr(drew, "wall_left", drew.wall_left - (0 < drew.wall_left < 10))),
    ],
    ids=["dealer", "shift", "leader", "shown", "skipped tile"],
)
async def test_what_is_drawn_besides_tiles_is_compared_too(game: str, name: str, make: Callable[[Any], object]) -> None:
    found = await with_change(game, name, make)
    assert len(found) >= 4
    assert set(found) == {"other_deal"}


async def test_tiles_of_an_exchange_that_their_giver_was_not_dealt_are_found() -> None:
    found = await with_change("crazy_xuezhan", "exchanged", lambda what: what.got and what.got.__setitem__(0, 1 if what.got[0] > 9 else 27))
    assert "other_deal" in found


async def test_a_hash_that_was_acknowledged_and_is_not_in_the_commitment_is_a_fault() -> None:
    table = StubTable()
    table.serve()
    table.leave_out = True
    table.commit()
    assert table.names_of_faults == ["hash_left_out"]
    table = StubTable()
    table.whole_hand()
    table.leave_out = True
    table.commit()
    assert table.names_of_faults == ["hash_left_out"]


async def test_a_hash_that_the_server_never_acknowledged_may_be_missing() -> None:
    table = StubTable()
    table.answers_offers = False
    table.whole_hand()
    table.leave_out = True
    table.commit()
    assert table.seat.faults == []


async def test_a_hash_that_is_missing_in_what_happened_while_the_seat_was_away_is_no_fault() -> None:
    table = StubTable()
    table.whole_hand()
    table.cut()
    table.hash = b""
    table.commit()
    table.attach(view=False)
    table.serve()
    assert table.seat.faults == []


async def test_bytes_that_are_dropped_after_the_server_answered_what_was_sent_behind_them_are_a_fault() -> None:
    table = StubTable()
    table.drop = True
    table.whole_hand()
    assert table.names_of_faults == ["bytes_dropped"]


async def test_bytes_that_are_dropped_in_silence_are_a_fault_when_they_were_sent_a_second_before_the_deal() -> None:
    table = StubTable()
    table.drop, table.answers_offers = True, False
    table.serve()
    table.commit()
    table.serve()
    await asyncio.sleep(1.05)
    table.deal()
    assert table.names_of_faults == ["bytes_dropped"]


async def test_bytes_that_came_too_late_are_no_fault() -> None:
    table = StubTable()
    table.serve()
    table.commit()
    table.deal()
    table.serve()
    table.play()
    table.end()
    assert table.seat.faults == []
    assert table.seat.proof.hand is not None
    assert table.bytes[table.me] is None


async def test_a_program_that_slept_between_the_commitment_and_its_bytes_finds_no_fault() -> None:
    table = StubTable()
    table.answers_offers = False
    table.serve()
    table.commit()
    hand = table.seat.proof.hand
    assert hand is not None
    table.drop = True
    hand.heard_at -= 1.5
    table.serve()
    await asyncio.sleep(1.05)
    table.deal()
    assert table.seat.faults == []


async def test_other_bytes_than_the_seats_are_a_fault() -> None:
    table = StubTable()
    table.swap = bytes(16)
    table.whole_hand()
    assert table.names_of_faults == ["bytes_swapped", "other_deal"]


async def test_bytes_that_were_shown_and_are_not_in_the_deal_are_a_fault() -> None:
    table = StubTable()
    table.says_of_deal = lambda said: said.update(bytes=[None] * 4, withheld=[seat for seat, given in enumerate(table.hashes) if given])
    table.whole_hand()
    assert table.names_of_faults == ["bytes_dropped", "other_deal"]


@pytest.mark.parametrize(("why", "names"), [("operator", []), ("replay_failed", ["called_off"]), ("settlement_stuck", ["called_off"])])
@pytest.mark.parametrize("dealt", [False, True])
async def test_a_hand_that_is_called_off_is_a_fault_unless_an_operator_did_it(why: str, names: list[str], *, dealt: bool) -> None:
    table = StubTable()
    table.serve()
    table.commit()
    table.serve()
    if dealt:
        table.deal()
        table.play(20)
    table.called_off = why
    table.end()
    table.event(pb.Event(table_closed=pb.TableClosed()))
    assert table.names_of_faults == names


async def test_a_table_that_closes_or_goes_on_without_the_end_of_a_hand_is_a_fault() -> None:
    table = StubTable()
    table.serve()
    table.commit()
    table.serve()
    table.event(pb.Event(table_closed=pb.TableClosed()))
    assert table.names_of_faults == ["no_end"]
    table = StubTable()
    table.serve()
    table.commit()
    table.serve()
    table.commit()
    assert table.names_of_faults == ["no_end"]


async def test_two_commitments_for_one_hand_are_a_fault_even_over_a_restart() -> None:
    table = StubTable()
    table.serve()
    table.commit()
    table.cut()
    table.recommit()
    table.attach()
    assert table.names_of_faults == ["recommitted"]
