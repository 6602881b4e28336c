"""A client of the table service as plain as can be: it keeps everything it was sent, and can play any legal move."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections.abc import Callable
from typing import Any

from games.hand import Action, Do
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

_ids = itertools.count(1)


class Client:
    """One stream. `events` has (seat_ref, number, event) in order of arrival; `answers` all answers."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self.events: list[tuple[int, int, pb.Event]] = []
        self.answers: list[pb.Answer] = []
        self.responses = 0
        self.offers: dict[int, pb.Offer] = {}
        self.error: BaseException | None = None
        self._news = asyncio.Condition()
        self._reader = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        try:
            async for response in self.call:
                self.responses += 1
                for answer in response.answers:
                    self.answers.append(answer)
                    await self._tell()
                for event in response.events:
                    numbers = event.numbers or [0] * len(event.seat_refs)
                    for ref, number in zip(event.seat_refs, numbers, strict=True):
                        self.events.append((ref, number, event))
                        self._note_offer(ref, event)
                        await self._tell()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - kept for the test to look at
            self.error = error
        finally:
            self.ended = True
            with contextlib.suppress(RuntimeError):
                await self._tell()

    ended = False

    async def _tell(self) -> None:
        """Let the test go on with what is there now.

        What one message holds may come in two, so a test sees every event alone: one that takes it for granted that another came with
        it fails always, not once in a thousand runs.
        """
        async with self._news:
            self._news.notify_all()
        await asyncio.sleep(0)

    def _note_offer(self, ref: int, event: pb.Event) -> None:
        kind = event.WhichOneof("what")
        if kind == "offer":
            self.offers[ref] = event.offer
        elif kind == "view" and event.view.HasField("offer"):
            self.offers[ref] = event.view.offer

    async def close(self) -> None:
        self._reader.cancel()
        self.call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader

    async def until(self, true: Callable[[], bool], seconds: float = 10) -> None:
        """Wait until something is true; checked whenever something arrives."""
        async with asyncio.timeout(seconds):
            async with self._news:
                await self._news.wait_for(lambda: true() or self.ended)
        assert true(), f"the stream ended first: {self.error!r}"

    async def send(self, *inputs: pb.Input) -> None:
        await self.call.write(pb.PlayRequest(inputs=inputs))

    async def attach(self, ref: int, token: str, last_number: int = 0, contribution_hash: bytes = b"") -> None:
        attach = pb.Attach(token=token, last_number=last_number, contribution_hash=contribution_hash)
        await self.send(pb.Input(seat_ref=ref, attach=attach))

    async def attach_all(self, opened: pb.OpenTableResponse, first_ref: int = 0) -> None:
        """Attach all players of a table; a seat's ref is its number plus `first_ref`."""
        await self.send(*(pb.Input(seat_ref=first_ref + token.seat, attach=pb.Attach(token=token.token)) for token in opened.tokens))

    async def act(self, ref: int, act: pb.Act) -> pb.Answer:
        """Send an act and return its answer."""
        act.action_id = act.action_id or next(_ids)
        return await self._ask(pb.Input(seat_ref=ref, act=act), act.action_id)

    async def auto_discard(self, ref: int, *, on: bool, action_id: int | None = None) -> pb.Answer:
        """Switch 自动摸打 of a seat and return the answer."""
        if action_id is None:
            action_id = next(_ids)
        return await self._ask(pb.Input(seat_ref=ref, auto_discard=pb.AutoDiscard(on=on, action_id=action_id)), action_id)

    async def _ask(self, item: pb.Input, action_id: int) -> pb.Answer:
        before = len(self.answers)
        await self.send(item)

        def mine() -> list[pb.Answer]:
            return [answer for answer in self.answers[before:] if answer.action_id == action_id and answer.seat_ref == item.seat_ref]

        await self.until(lambda: bool(mine()))
        return mine()[0]

    def of(self, kind: str, ref: int | None = None) -> list[Any]:
        """Return the events of a kind, in order."""
        return [getattr(event, kind) for seat, _, event in self.events if event.WhichOneof("what") == kind and ref in {None, seat}]

    def numbers(self, ref: int) -> list[int]:
        """Return the numbers of counted events of a seat, in order."""
        return [number for seat, number, _ in self.events if seat == ref and number]

    def up_to(self, ref: int) -> int:
        """Return the number of the last event that a seat was shown, by itself or within a view."""
        return max((number or event.view.number for seat, number, event in self.events if seat == ref), default=0)

    async def wait_for(self, kind: str, ref: int | None = None, count: int = 1, seconds: float = 10) -> list[Any]:
        await self.until(lambda: len(self.of(kind, ref)) >= count, seconds)
        return self.of(kind, ref)

    async def play(
        self,
        rng: random.Random,
        until: Callable[[], bool],
        seconds: float = 60,
        answers: Callable[[int, pb.Offer], bool] = lambda _ref, _offer: True,
    ) -> None:
        """Answer every offer (that `answers` is true of) at random until something is true."""
        done: dict[int, int] = {}
        async with asyncio.timeout(seconds):
            while not until():
                acts = []
                for ref, offer in list(self.offers.items()):
                    if done.get(ref) != offer.decision:
                        done[ref] = offer.decision
                        if answers(ref, offer):
                            acts.append(pb.Input(seat_ref=ref, act=any_act(offer, rng)))
                if acts:
                    await self.send(*acts)
                async with self._news:
                    await self._news.wait_for(
                        lambda: until() or self.ended or any(done.get(r) != o.decision for r, o in self.offers.items())
                    )
                assert not self.ended or until(), f"the stream ended: {self.error!r}"


def act_of(action: Action, decision: int) -> pb.Act:
    """Return a mahjong action as an act."""
    act = pb.Act(decision=decision, do=pb.Do.Value(f"DO_{action.do.name}"))
    if action.do is Do.VOID:
        act.suit = action.tile + 1  # type: ignore[assignment]
    elif action.tile >= 0:
        act.tile = action.tile + 1  # type: ignore[assignment]
    act.tiles.extend(tile + 1 for tile in action.tiles)  # type: ignore[misc]
    if action.do is Do.KONG:
        act.kong = mj.MeldKind.Value(f"MELD_KIND_{action.kind.upper()}")
    return act


def any_act(offer: pb.Offer, rng: random.Random) -> pb.Act:
    """Return a legal act of an offer, chosen at random."""
    choices: mj.MahjongChoices = offer.mahjong
    acts = [pb.Act(do=pb.DO_VOID, suit=suit) for suit in choices.void_suits]
    if choices.exchange_from:
        by_suit: dict[int, list[mj.Tile.ValueType]] = {}
        for tile in choices.exchange_from:
            by_suit.setdefault((tile - 1) // 9, []).append(tile)
        acts += [pb.Act(do=pb.DO_EXCHANGE, tiles=tiles[:3]) for tiles in by_suit.values()]
    acts += [pb.Act(do=pb.DO_DISCARD, tile=tile) for tile in choices.discards]
    acts += [pb.Act(do=pb.DO_KONG, tile=kong.tile, kong=kong.kind) for kong in choices.kongs]
    if choices.may_win:
        acts = [pb.Act(do=pb.DO_WIN)]
    if choices.may_pung:
        acts.append(pb.Act(do=pb.DO_PUNG))
    if choices.may_pass:
        acts.append(pb.Act(do=pb.DO_PASS))
    act = rng.choice(acts)
    act.decision = offer.decision
    act.action_id = rng.getrandbits(63) | 1
    return act
