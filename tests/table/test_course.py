"""A table follows from its journal: any prefix of the rows gives the state that the table had after them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from services.kit import rpc
from services.kit.items import ItemOutcome
from services.table import salvage, store
from services.table.ending import CalledOff
from services.table.outlet import Asking
from services.table.replay import ReplayError, replay
from services.table.rows import Kind, Row
from services.table.table import Table
from tests.table.play import seated, until
from tests.table.world import Rules
from xuezhan.api.table.v1 import table_pb2 as pb


def picture(course: Any) -> Any:
    """Everything of a course that a client could notice, and the state of the hand."""
    return (
        course.digest(), list(course.counts), list(course.base), list(course.offered), list(course.asked), course.phase, course.hand_no,
        course.on_auto, course.auto_discard, course.leaving, course.left, list(course.missed), list(course.money), list(course.items),
        course.settled,
        course.players, course.free, course.newcomers, list(course.joining), list(course.holds), dict(course.visits), list(course.former),
        course.ended,
    )  # fmt: skip


def watch(monkeypatch: pytest.MonkeyPatch, pictures: dict[int, Any]) -> None:
    """Note what the table looks like after each of its appends, by the last row."""
    stored = Table.stored

    def watched(table: Table, append: Any) -> None:
        # Shown first, so that the counts are those after the rows; before anything else moves the course.
        seen = picture(table.course)
        counts = list(table.course.counts)
        for output in table.being_stored:
            to = 1 << output.seat if isinstance(output, Asking) else output[0] if type(output) is tuple else 0
            for view in range(9):
                counts[view] += to >> view & 1
        pictures[append.rows[-1].seq] = (seen[0], counts, *seen[2:])
        stored(table, append)

    monkeypatch.setattr(Table, "stored", watched)


async def rows_and_pictures(w: Any, monkeypatch: pytest.MonkeyPatch, hand: Callable[[Any], Any]) -> tuple[list[Any], dict[int, Any]]:
    """Play with `hand(client)`; return the journal and what the table looked like after each of its appends."""
    pictures: dict[int, Any] = {}
    watch(monkeypatch, pictures)
    async with w.client() as client:
        await seated(w, client)
        await hand(client)
        await until(lambda: w.hall.find("t") is None, 30)
    return (await w.hall.database.run(store.read_journal, ["t"]))["t"], pictures


def check(w: Any, rows: list[Any], pictures: dict[int, Any]) -> None:
    for seq, seen in pictures.items():
        assert picture(replay("t", rows[:seq], w.hall.deal_keys)) == seen, rows[seq - 1]


async def test_every_prefix_of_a_played_table_replays_to_what_it_was(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world()
    rows, pictures = await rows_and_pictures(
        w, monkeypatch, lambda client: client.play(random.Random(1), lambda: bool(client.of("hand_over", 0)))
    )
    assert len(pictures) > 20
    check(w, rows, pictures)


async def test_absences_and_leavings_replay_too(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world(rules=Rules(turn=0.03))

    async def hand(client: Any) -> None:
        await client.send(pb.Input(seat_ref=1, leave=pb.Leave()))
        await client.until(lambda: len(client.of("seat_changed", 0)) >= 3)
        await client.send(pb.Input(seat_ref=0, resume=pb.Resume()), pb.Input(seat_ref=1, resume=pb.Resume()))

    rows, pictures = await rows_and_pictures(w, monkeypatch, hand)
    assert {row.kind for row in rows} >= {Kind.OPEN, Kind.COMMIT, Kind.DEAL, Kind.ACT, Kind.SEAT, Kind.SETTLED}
    check(w, rows, pictures)


async def test_a_table_of_several_hands_plays_them_one_after_the_other(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each begins when the one before is settled; decision numbers go on, so that no late answer fits a later hand."""
    w = await world(rules=Rules(hands=3))
    decisions: list[int] = []

    async def hand(client: Any) -> None:
        await client.play(random.Random(2), lambda: bool(client.of("table_closed", 0)))
        decisions.extend(offer.decision for offer in client.of("offer", 0))
        assert [over.hand for over in client.of("hand_over", 0)] == [1, 2, 3]
        numbers = client.numbers(0)
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))

    rows, pictures = await rows_and_pictures(w, monkeypatch, hand)
    assert decisions == sorted(set(decisions))
    check(w, rows, pictures)
    async with w.stub() as stub:
        token = rpc.metadata(w.reader_token())
        records = (await stub.GetRecord(pb.GetRecordRequest(table_id="t"), metadata=token)).records
        second = (await stub.GetRecord(pb.GetRecordRequest(table_id="t", hand=2), metadata=token)).records
    from games.verify import Verifier

    verifier = Verifier()
    assert [verifier.check(json.loads(record)) for record in records] == [{"ok": True}] * 3
    assert list(second) == [records[1]]
    first = json.loads(records[0])
    assert json.loads(records[1])["money"] == (first["coins"][-1]["after"] if first["coins"] else first["money"])


async def test_a_table_without_coins_owes_no_stage(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world(rules=Rules(base=0, hands=2))
    await rows_and_pictures(w, monkeypatch, lambda client: client.play(random.Random(1), lambda: bool(client.of("table_closed", 0))))
    assert [body["kind"] for _, _, body in w.settlement.items] == ["open", "close"]


async def test_rows_that_owe_something_carry_a_digest_that_a_replay_is_held_to(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await world()
    rows, _ = await rows_and_pictures(w, monkeypatch, lambda client: client.play(random.Random(1), lambda: bool(client.of("hand_over", 0))))
    owing = [place for place, row in enumerate(rows) if row.digest]
    assert owing
    changed = [*rows]
    changed[owing[-1]] = changed[owing[-1]]._replace(digest="0" * 64)
    with pytest.raises(ReplayError, match=f"other_digest at row {rows[owing[-1]].seq}"):
        replay("t", changed, w.hall.deal_keys)
    elsewhere = [row._replace(digest="0" * 64) if row.digest else row for row in rows]
    with pytest.raises(ReplayError, match=f"other_digest at row {rows[owing[0]].seq}"):
        replay("t", elsewhere, w.hall.deal_keys)


async def test_coins_of_a_stage_are_compared_with_the_rules_after_a_replay_as_before_it(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await world(rules=Rules(hands=6))
    rows, _ = await rows_and_pictures(
        w, monkeypatch, lambda client: client.play(random.Random(2), lambda: bool(client.of("table_closed", 0)))
    )
    settled = {place: ItemOutcome.model_validate_json(row.body) for place, row in enumerate(rows) if row.kind is Kind.SETTLED}
    stages = [place for place, outcome in settled.items() if outcome.moves]
    after_another = [place for before, place in pairwise(stages) if all(row.kind is not Kind.COMMIT for row in rows[before:place])]
    assert after_another, "a stage that is reckoned after another of its hand"
    outcome = settled[after_another[-1]]
    one_more = outcome.moves[0].model_copy(update={"coins": outcome.moves[0].coins + 1})
    for moves, differs in ((outcome.moves, 0), ((one_more, *outcome.moves[1:]), outcome.seq)):
        course = replay("t", rows[: after_another[-1]], w.hall.deal_keys)
        course.settle(outcome.model_copy(update={"moves": moves}))
        assert course.differs == differs


async def test_a_replay_that_leads_elsewhere_says_so_at_the_first_row_that_tells_though_a_later_one_is_refused(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await world()
    rows, _ = await rows_and_pictures(w, monkeypatch, lambda client: client.play(random.Random(1), lambda: bool(client.of("hand_over", 0))))
    acts = [place for place, row in enumerate(rows) if row.kind is Kind.ACT]
    for place in (first := acts[5], middle := acts[10], last := acts[15]):
        rows[place] = rows[place]._replace(digest=replay("t", rows[: place + 1], w.hall.deal_keys).digest())
    replay("t", rows, w.hall.deal_keys)
    rows = [row._replace(digest="0" * 64) if row.digest and place > first else row for place, row in enumerate(rows)]
    for elsewhere in (rows[: last + 1], rows, rows[: last - 1] + rows[last:]):
        with pytest.raises(ReplayError, match=f"other_digest at row {rows[middle].seq}$"):
            replay("t", elsewhere, w.hall.deal_keys)


async def test_each_hand_of_a_journal_is_held_to_a_digest_of_its_own_and_its_end_is_told_after_a_replay(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await world(rules=Rules(hands=2))

    async def hands(client: Any) -> None:
        await client.play(random.Random(2), lambda: bool(client.of("table_closed", 0)))

    rows, _ = await rows_and_pictures(w, monkeypatch, hands)
    first, second = (place for place, row in enumerate(rows) if row.kind is Kind.COMMIT)
    told = replay("t", rows[:second], w.hall.deal_keys).ended
    assert told is not None
    course = replay("t", rows[:second], w.hall.deal_keys)
    course.call_off(CalledOff.SETTLEMENT_STUCK)
    assert course.ended == told, "the hand that is over was not called off"

    over = max(place for place, row in enumerate(rows[:second]) if row.kind is Kind.ACT)
    rows[over] = rows[over]._replace(digest="0" * 64)
    assert first < over < second
    with pytest.raises(ReplayError, match=f"other_digest at row {rows[over].seq}$"):
        replay("t", rows, w.hall.deal_keys)


async def test_a_digest_that_a_later_one_of_its_hand_overrules_keeps_no_hand_from_play_or_record(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await world()
    rows, _ = await rows_and_pictures(w, monkeypatch, lambda client: client.play(random.Random(1), lambda: bool(client.of("hand_over", 0))))
    acts = [place for place, row in enumerate(rows) if row.kind is Kind.ACT]
    rows[acts[3]] = rows[acts[3]]._replace(digest="0" * 64)
    assert any(row.digest for row in rows[acts[4] :])
    assert replay("t", rows, w.hall.deal_keys).phase == "closed"
    assert [end.number for end in salvage.hands_over("t", rows, w.hall.deal_keys)] == [1]
    off = [*rows[: acts[5]], Row(rows[acts[5]].seq, Kind.CALLED_OFF, -1, 0, 0, "{}", digest="0" * 64)]
    assert salvage.as_far("t", off, w.hall.deal_keys).rows == acts[3] + 1, "no later one overrules it"


async def test_a_journal_of_other_rules_is_not_guessed_at(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world()
    rows, _ = await rows_and_pictures(w, monkeypatch, lambda client: client.play(random.Random(1), lambda: bool(client.of("hand_over", 0))))
    dealt = next(place for place, row in enumerate(rows) if row.kind is Kind.DEAL)
    rows[dealt] = rows[dealt]._replace(body='{"rules":"crazy_xuezhan/0"}')
    with pytest.raises(ReplayError, match="unknown_rules"):
        replay("t", rows, w.hall.deal_keys)
