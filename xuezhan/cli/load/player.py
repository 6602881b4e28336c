"""One player of a load run: queues, plays whole hands over the shared stream, and counts what it was told."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.load.brain import Brain
from xuezhan.cli.load.tally import Tally
from xuezhan.cli.load.traces import Traces
from xuezhan.client import REGULAR_ENDS, SEAT_OVER, Client, ClientError, Heard, Seat, acts

BUGS: Final = frozenset({"malformed", "not_offered", "not_a_play", "not_that_kind", "does_not_beat"})
"""Refusals that a player who answers what they are offered never gets."""

AckKey = tuple[str, int, int, str, tuple[str, ...]]
"""Table, hand, seat, what was done, with which tiles or cards."""


class LoadPlayer:
    """Plays seats one after another. `acknowledged` holds every act that the server accepted; `settled` coins that it was told of."""

    def __init__(
        self,
        name: str,
        token: str,
        client: Client,
        tally: Tally,
        make_brain: Callable[[], Brain],
        *,
        random: Random,
        traces: Traces | None = None,
        think: float = 0.0,
        leave: float = 0.0,
    ) -> None:
        self.name = name
        self.token = token
        self.client = client
        self.acknowledged: Counter[AckKey] = Counter()
        self.hands = 0
        self.settled = 0
        self.saw_all = True
        self._tally = tally
        self._make_brain = make_brain
        self._traces = traces
        self._think = think
        self._random = random
        self._leave = leave
        self._brain = make_brain()
        self._hand = 0
        self._wanted = 0
        self._heard_end = False
        self._faults = 0
        """How many of the seat at hand are counted."""
        self._over: asyncio.Future[ClientError] | None = None

    async def play(self, room_id: str, key: str, hands: int) -> None:
        """Queue under `key`, sit down, and play at one table until `hands` hands were played in all or the table closes."""
        self._brain, self._hand, self._wanted, self._heard_end = self._make_brain(), 0, hands, False
        self._faults = 0
        self._over = asyncio.get_running_loop().create_future()
        sat_down_with = self.hands
        seat = await self.client.play(self.token, room_id, player=self.name, key=key, listener=self._listen)
        self._tally.tables[seat.table_id] = seat.place.address
        ended = await self._over
        self._tally.tables[seat.table_id] = seat.place.address
        self._tally.full_views += seat.full_views
        self.saw_all = self.saw_all and seat.full_views <= 1 and self._heard_end
        self._note_faults(seat)
        if seat.gaps:
            self._tally.error(f"{self.name} at {seat.table_id}: {seat.gaps} events came before those that they follow")
        if ended.reason not in REGULAR_ENDS:
            self._tally.error(f"{self.name} at {seat.table_id}: {ended}")
        elif ended.reason == "left":
            # What came to them after they went is in their statement alone.
            self.saw_all = False
            self.hands = max(self.hands, sat_down_with + 1)
        elif not self._heard_end:
            # The table was closed while its server could not be heard; its records tell whether the hand was played.
            self._tally.ends_unheard += 1
            self.hands = max(self.hands, sat_down_with + 1)

    def _listen(self, seat: Seat, heard: Heard) -> None:
        tally, name, what = self._tally, heard.name, heard.what
        tally.events += 1
        self._note_faults(seat)
        if name == "over":
            if self._over is not None and not self._over.done():
                self._over.set_result(what)
            return
        if self._traces is not None:
            self._traces.heard(seat, heard)
        self._brain.hear(heard)
        if name == "offer":
            self._answer_offer(seat, what)
        elif name in {"dealt", "cards_dealt", "hand_committed"}:
            self._hand = what.hand
        elif name == "view":
            self._view(seat, what)
        elif name == "won":
            if what.seat == seat.place.seat and self._goes():
                seat.leave()
        elif name == "stage_settled":
            self._settle(seat, what)
        elif name == "table_closed":
            self._heard_end = True
        elif name == "hand_over":
            self._hand_over(seat, what)

    def _note_faults(self, seat: Seat) -> None:
        """Count at once what the server did that it must not do."""
        if len(seat.faults) == self._faults:
            return
        new, self._faults = seat.faults[self._faults :], len(seat.faults)
        for fault in new:
            self._tally.faults[fault.name] += 1
            self._tally.error(f"{self.name} at {seat.table_id}: {fault}")

    def _view(self, seat: Seat, what: pb.View) -> None:
        self._hand = what.mahjong.hand or what.cards.hand or self._hand
        if seat.full_views <= 1 and any(what.mahjong.points or what.cards.points):
            # Somebody won or paid before this run came to the table: those coins are told or stated on one side of its start only.
            self.saw_all = False

    def _goes(self) -> bool:
        return self._leave > 0 and self._random.random() < self._leave

    def _answer_offer(self, seat: Seat, offer: pb.Offer) -> None:
        if self.hands >= self._wanted:
            return  # They are going: an answer would say that they stay.
        if self._goes():
            seat.leave()
            return
        act = self._brain.choose(offer)
        if self._think:
            asyncio.get_running_loop().call_later(self._think, self._submit, seat, act, offer)
        else:
            self._submit(seat, act, offer)

    def _submit(self, seat: Seat, act: pb.Act, offer: pb.Offer) -> None:
        if seat.over is not None:
            return
        try:
            answer = seat.submit(act, offer.decision)
        except ClientError as error:
            self._tally.error(f"{self.name} at {seat.table_id}: {error}")
            return
        self._tally.sent += 1
        answer.add_done_callback(partial(self._answered, seat, act, self._hand, asyncio.get_running_loop().time()))

    def _answered(self, seat: Seat, act: pb.Act, hand: int, sent_at: float, answer: asyncio.Future[pb.Answer]) -> None:
        if answer.cancelled():
            return
        tally, waited = self._tally, asyncio.get_running_loop().time() - sent_at
        tally.unanswered.append(waited)
        if answer.exception() is not None or answer.result().refused == SEAT_OVER:
            tally.never_answered += 1
            return
        refused = answer.result().refused
        tally.latencies.append(waited)
        if self._traces is not None:
            self._traces.answered(seat, act, answer.result(), waited)
        if refused:
            tally.refusals[refused] += 1
            if refused in BUGS:
                tally.error(f"{self.name} at {seat.table_id}: {pb.Do.Name(act.do)} refused: {refused} {answer.result().detail}")
            return
        tally.accepted += 1
        self.acknowledged[seat.table_id, hand, seat.place.seat, *ack_key(act)] += 1

    def _settle(self, seat: Seat, what: pb.StageSettled) -> None:
        self._tally.stages.add((seat.table_id, what.hand, what.stage))
        mine = seat.place.seat
        self.settled += sum(move.coins for move in what.moves if move.payee == mine)
        self.settled -= sum(move.coins for move in what.moves if move.payer == mine)
        self.settled += what.change[mine] if what.change else 0

    def _hand_over(self, seat: Seat, what: pb.HandOver) -> None:
        if what.called_off:
            self._tally.error(f"hand {what.hand} of {seat.table_id} was called off: {what.called_off}")
            return
        self.hands += 1
        self._tally.hands.add((seat.table_id, what.hand))
        if self.hands >= self._wanted:
            seat.leave()


def ack_key(act: pb.Act) -> tuple[str, tuple[str, ...]]:
    """Return an act as (do, tiles or cards) in the notation of records."""
    do = pb.Do.Name(act.do).removeprefix("DO_").lower()
    if act.do == pb.DO_VOID:
        return do, (acts.suit_name(act.suit),)
    if act.cards:
        return do, tuple(sorted(map(acts.card_name, act.cards)))
    tiles = act.tiles or ([act.tile] if act.tile else [])
    return do, tuple(sorted(map(acts.tile_name, tiles)))


def record_key(action: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return a record's action as (do, tiles or cards)."""
    if action["do"] == "void":
        return "void", (action["suit"],)
    tiles = action.get("tiles") or action.get("cards") or ([action["tile"]] if "tile" in action else [])
    return action["do"], tuple(sorted(tiles))
