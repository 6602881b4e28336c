"""A statement reads like a bank's: every coin that came or went, and what was owned after it."""

from services.settlement import statement
from services.settlement.statement import counterpart, receives, still_pays, words
from services.settlement.store_statement import Line, Visit
from tests.settlement.desk import Desk
from tests.settlement.world import TableLine, World
from xuezhan.api.settlement.v1 import settlement_pb2 as pb


def short(line: Line, player: str) -> tuple[str, str, int, int]:
    return line.cause, counterpart(line, player), line.coins, line.after


def played(world: World) -> TableLine:
    world.deposit(ann=5000, bob=2000, cat=2000)
    table = world.table("t", "ann", "bob", "cat", None)
    table.stage((0, 1, 10), (0, 2, 20))
    table.stage((3, 0, 5), cause="flower_pig")
    return table


def test_every_line_tells_cause_counterpart_coins_and_what_is_owned_after(world: World) -> None:
    played(world).close()
    assert [short(line, "ann") for line in world.run(statement.read, "ann", 0, "", "").lines] == [
        ("returned", "", 0, 4750),
        ("flower_pig", "bot", 50, 4750),
        ("win", "cat", -200, 4700),
        ("win", "bob", -100, 4900),
        ("stake", "", 0, 5000),
        ("deposit", "outside", 5000, 5000),
    ]


def test_a_line_at_a_table_tells_hand_multiple_and_what_was_owed_where_less_was_paid(world: World) -> None:
    world.deposit(ann=1000, bob=2000)
    table = world.table("t", "ann", "bob")
    table.stage((0, 1, 300))
    table.stage((0, 1, 7))
    lines = world.run(statement.read, "bob", 0, "", "").lines
    assert [(line.hand, line.multiple, line.coins, line.owed) for line in lines[:2]] == [(1, 7, 0, 70), (1, 300, 1000, 3000)]
    assert [words(line) for line in lines[2:]] == ["2000 coins to the table", "gift"]


def test_pages_continue_one_another_and_agree_with_the_whole(world: World) -> None:
    table = played(world)
    for _ in range(7):
        table.stage((0, 1, 1), (1, 0, 2))
    table.close()
    world.deposit(ann=9)
    whole = world.run(statement.read, "ann", 0, "", "")
    assert whole.next_token == ""
    pages, token = [], ""
    while True:
        page = world.run(statement.read, "ann", 4, token, "")
        pages += page.lines
        token = page.next_token
        if not token:
            break
    assert pages == whole.lines
    assert whole.lines[0].after == world.owned("ann") == sum(line.coins for line in whole.lines)


def test_the_lines_of_one_table_keep_what_was_owned_in_all(world: World) -> None:
    played(world)
    world.deposit(ann=9)
    lines = world.run(statement.read, "ann", 0, "", "t").lines
    assert [(line.cause, line.after) for line in lines] == [("flower_pig", 4750), ("win", 4700), ("win", 4900), ("stake", 5000)]


def test_a_loser_still_pays_their_total_less_the_entry_and_a_winner_receives_their_total_and_the_entry(world: World) -> None:
    played(world).close()
    [lost] = world.run(statement.read, "ann", 0, "", "").visits
    assert (lost.stake, lost.entry, lost.net, still_pays(lost), receives(lost)) == (5000, 100, -250, 150, 0)
    [won] = world.run(statement.read, "cat", 0, "", "").visits
    assert (won.net, still_pays(won), receives(won)) == (200, 0, 300)


def test_over_the_whole_visit_a_player_pays_or_gets_exactly_their_total() -> None:
    lost, won = Visit("t", "r", 500, 40, -10), Visit("t", "r", 500, 40, 0)
    assert still_pays(lost) + lost.entry == 10
    assert receives(won) - won.entry == 0


def test_a_visit_in_progress_shows_what_was_won_so_far(world: World) -> None:
    played(world)
    [visit] = world.run(statement.read, "bob", 0, "", "").visits
    assert (visit.table, visit.room_id, visit.net) == ("t", "crazy_xuezhan/mayou", 100)


async def test_a_player_reads_their_statement_over_the_wire(desk: Desk) -> None:
    await desk.deposit("ann", 3000)
    seats = [pb.StakeSeat(seat=0, player_id="ann"), *(pb.StakeSeat(seat=seat) for seat in (1, 2, 3))]
    await desk.ask("HoldStakes", pb.HoldStakesRequest(match_id="m", room_id="crazy_xuezhan/mayou", seats=seats))
    await desk.ask("ReleaseStakes", pb.ReleaseStakesRequest(match_id="m", reason="timeout"))
    answer = await desk.ask("GetStatement", pb.GetStatementRequest(player_id="ann", page_size=2), desk.player_token("ann"))
    assert [(line.cause, line.table_id, line.coins, line.balance_after, line.text) for line in answer.lines] == [
        ("release", "m", 0, 3000, "3000 coins back to the wallet"),
        ("stake", "m", 0, 3000, "3000 coins to the table"),
    ]
    rest = await desk.ask("GetStatement", pb.GetStatementRequest(player_id="ann", page_token=answer.next_page_token))
    assert [(line.cause, line.coins) for line in rest.lines] == [("deposit", 3000)]
