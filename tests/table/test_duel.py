"""The card game at a real table: played over the stream, refused by name, escaped from, settled by stages or rated."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from games.verify import Verifier
from services.kit import rpc
from tests.table.client import Client
from tests.table.play import state, until
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import table_pb2 as pb

ROOMS = """
[[room]]
game = "crazy_duel"
id = "{room}"
name = "对杀"
players = 2
base = {base}
lock = {lock}
rated = {rated}
hands = {hands}
break_seconds = {rest}
refill_seconds = {refill}
turn_seconds = {turn}
contribution_seconds = {contribution}
bots = {{ wait_seconds = "never", pause_ms = 0, level = "random" }}
"""


@dataclass
class Duel(Rules):
    """A room of the card game."""

    room: str = "beginner"
    base: int = 100
    lock: int = 10_000
    rated: str = "false"

    def text(self) -> str:
        return ROOMS.format(**vars(self))


class Duelist:
    """Plays both seats of a table: who leads lays their lowest card, who follows passes. So the leader wins 通杀."""

    def __init__(self, w: World, client: Client) -> None:
        self.w = w
        self.client = client
        self.held: list[list[int]] = []
        self.leader = 0

    async def sit(self, *players: str | None) -> int:
        """Open the table and attach its players; return the seat that leads."""
        assert isinstance(self.w.rules, Duel)
        await self.client.attach_all(await self.w.open(*players, table_id="t", room=f"crazy_duel/{self.w.rules.room}"))
        return await self.dealt(1)

    async def dealt(self, hand: int) -> int:
        """Wait for the first offer of a hand."""
        await self.client.until(lambda: all(self._hand(seat).hand == hand for seat in range(2)))
        self.held = [list(self._hand(seat).cards) for seat in range(2)]
        self.leader = self._hand(0).leader
        await self._asked(self.leader)
        return self.leader

    def _hand(self, seat: int) -> cd.CardsDealt | cd.CardView:
        """What a seat was dealt last: who comes when all others are there may find it in their first view."""
        for ref, _, event in reversed(self.client.events):
            if ref == seat and event.HasField("cards_dealt"):
                return event.cards_dealt
            if ref == seat and event.HasField("view"):
                return event.view.cards
        return cd.CardsDealt()

    async def lead(self) -> None:
        """Let the leader lay a card."""
        card = self.held[self.leader].pop(0)
        await self._act(self.leader, pb.Act(do=pb.DO_PLAY, cards=[cd.Card.ValueType(card)]))

    async def skip(self) -> None:
        """Let the other pass."""
        await self._act(1 - self.leader, pb.Act(do=pb.DO_PASS))

    async def _act(self, seat: int, act: pb.Act) -> None:
        """Answer the offer that a seat has or gets, and wait until the seat has seen it done."""
        act.decision = (await self._asked(seat)).decision
        assert (await self.client.act(seat, act)).refused == ""
        await self.client.until(lambda: self._offer(seat).decision != act.decision)

    async def _asked(self, seat: int) -> pb.Offer:
        await self.client.until(lambda: self._offer(seat).decision > 0)
        return self._offer(seat)

    def _offer(self, seat: int) -> pb.Offer:
        """The offer that a seat has, as far as it has been shown; an empty one if it has none."""
        for ref, _, event in reversed(self.client.events):
            if ref == seat:
                kind = event.WhichOneof("what")
                if kind == "offer":
                    return event.offer
                if kind == "view":
                    return event.view.offer
                if kind in {"cards_dealt", "cards_played", "cards_passed", "hand_over"}:
                    break
        return pb.Offer()

    async def play(self) -> None:
        """Play the hand to its end."""
        while len(self.held[self.leader]) > 1:
            await self.lead()
            await self.skip()
        await self.lead()


async def records(w: World) -> list[dict[str, Any]]:
    async with w.stub() as stub:
        answer = await stub.GetRecord(pb.GetRecordRequest(table_id="t"), metadata=rpc.metadata(w.reader_token()))
    return [json.loads(record) for record in answer.records]


def items(w: World, *kinds: str) -> list[dict[str, Any]]:
    return [body for _, _, body in w.settlement.items if body["kind"] in kinds]


async def test_a_hand_is_played_to_its_last_card_settled_and_its_record_verifies(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    async with w.client() as client:
        table = Duelist(w, client)
        leader = await table.sit("ann", "bob")
        await table.play()
        (over,) = await client.wait_for("hand_over", 0)
        assert over.points[leader] == 4
        assert json.loads(over.result)["name"] == "通杀"
        assert over.concealed[leader] == ""
        assert len(over.concealed[1 - leader].split()) == 25
        for seat in range(2):
            await client.wait_for("table_closed", seat)
            numbers = client.numbers(seat)
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            assert client.of("cards_played", seat)[0].seat == leader
    (stage,) = items(w, "stage")
    assert (stage["cause"], stage["base"]) == ("showdown", 100)
    assert stage["claims"] == [{"payer": 1 - leader, "payee": leader, "multiple": 4}]
    (record,) = await records(w)
    assert Verifier().check(record) == {"ok": True}
    assert record["coins"][0]["moves"] == [[1 - leader, leader, 400]]


async def test_what_is_no_legal_play_is_refused_by_name_and_nothing_happens(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    async with w.client() as client:
        table = Duelist(w, client)
        leader = await table.sit("ann", "bob")
        before = state(w, "t")
        low, high = table.held[leader][0], table.held[leader][-1]
        tries = {
            "not_a_play": pb.Act(do=pb.DO_PLAY, cards=[low, high] if high < cd.CARD_SMALL_JOKER else [low, *table.held[leader][8:10]]),  # type: ignore[list-item]
            "not_that_kind": pb.Act(do=pb.DO_PLAY, cards=[low], play=cd.PLAY_KIND_STRAIGHT),  # type: ignore[list-item]
            "not_offered": pb.Act(do=pb.DO_PASS),
            "malformed": pb.Act(do=pb.DO_PLAY),
            "stale": pb.Act(decision=9, do=pb.DO_PASS),
        }
        for why, act in tries.items():
            act.decision = act.decision or client.offers[leader].decision
            assert (await client.act(leader, act)).refused == why
            assert state(w, "t") == before
        assert (await client.act(1 - leader, pb.Act(decision=1, do=pb.DO_PASS))).refused == "not_your_turn"
        high_card = pb.Act(decision=client.offers[leader].decision, do=pb.DO_PLAY, cards=[high])  # type: ignore[list-item]
        assert (await client.act(leader, high_card)).refused == ""
        await client.until(lambda: 1 - leader in client.offers)
        weak = pb.Act(decision=client.offers[1 - leader].decision, do=pb.DO_PLAY, cards=table.held[1 - leader][:1])  # type: ignore[arg-type]
        assert (await client.act(1 - leader, weak)).refused == "does_not_beat"


async def test_whoever_is_not_asked_may_escape_too_and_the_charge_is_settled(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=10))
    async with w.client() as client:
        table = Duelist(w, client)
        leader = await table.sit("ann", "bob")
        escaper = 1 - leader
        assert (await client.act(escaper, pb.Act(do=pb.DO_LEAVE))).refused == ""
        (over,) = await client.wait_for("hand_over", leader)
        assert (over.points[escaper], json.loads(over.result)["ended"]) == (-100, "escape")
        assert (await client.wait_for("table_closed", escaper))[0].reason == "left"
    (stage,) = items(w, "stage")
    assert (stage["cause"], stage["claims"]) == ("escape", [{"payer": escaper, "payee": leader, "multiple": 100}])
    (record,) = await records(w)
    assert record["actions"] == [{"seat": escaper, "do": "leave"}]
    assert Verifier().check(record) == {"ok": True}


async def test_leaving_the_table_within_a_hand_is_an_escape(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    async with w.client() as client:
        leader = await Duelist(w, client).sit("ann", "bob")
        await client.send(pb.Input(seat_ref=leader, leave=pb.Leave()))
        assert (await client.wait_for("hand_over", 1 - leader))[0].points[leader] == -100


async def test_a_rating_room_owes_the_points_of_each_hand_and_no_coins(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(room="rating", base=0, lock=0, rated="true"))
    async with w.client() as client:
        table = Duelist(w, client)
        leader = await table.sit("ann", "bob")
        await table.play()
        await client.wait_for("table_closed", 0)
    (end,) = items(w, "stage", "hand_end")
    assert (end["kind"], end["rating"][leader], sum(end["rating"]), end["points"]) == ("hand_end", 4, 0, [])
    (record,) = await records(w)
    assert record["coins"] == []
    assert Verifier().check(record) == {"ok": True}


async def test_a_late_client_gets_a_view_with_its_cards_and_what_is_to_be_beaten(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    async with w.client() as client:
        table = Duelist(w, client)
        leader = await table.sit("ann", "bob")
        await table.lead()
        await client.send(pb.Input(seat_ref=1 - leader, resync=pb.Resync()))
        await client.until(lambda: bool(client.of("view", 1 - leader)[1:]))
        view = client.of("view", 1 - leader)[-1]
        assert list(view.cards.cards) == table.held[1 - leader]
        assert view.cards.to_beat == view.offer.cards.to_beat == view.cards.played[0]
        assert (view.cards.to_beat_seat_plus_one, view.cards.turn_plus_one) == (leader + 1, 2 - leader)
        assert view.offer.cards.may_pass


async def test_a_bot_takes_the_other_seat(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(contribution=0))
    await w.open(None, None, table_id="t", room="crazy_duel/beginner")
    await until(lambda: w.hall.find("t") is None, 20)
    assert Verifier().check((await records(w))[0]) == {"ok": True}
