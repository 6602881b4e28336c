"""A client of the table service as plain as can be: it keeps everything it was sent, and can play any legal move."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from games.hand import Action, Do
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

NOBODY = 2**32 - 1
"""A name that no test gives to a seat."""
_ids = itertools.count(1_000_001)


class _End(NamedTuple):
    """The stream is over."""

    error: BaseException | None


class Client:
    """One stream. `events` has (seat_ref, number, event) in order of arrival; `answers` all answers; `beats` counts heartbeats.

    What arrives is handed over only while the test waits for this very client, one event at a time. So a test that takes an event of one
    stream for proof of another's, or takes it for granted that two come in one message, fails always and not once in a thousand runs.
    Before it says that nothing came, a test waits by `caught_up` or `listen`.
    """

    def __init__(self, call: Any) -> None:
        self.call = call
        self.events: list[tuple[int, int, pb.Event]] = []
        self.answers: list[pb.Answer] = []
        self.responses = self.beats = 0
        self.offers: dict[int, pb.Offer] = {}
        self.ended = False
        self.error: BaseException | None = None
        self._arrived: deque[pb.Answer | tuple[int, int, pb.Event] | _End] = deque()
        self._marks: set[int] = set()
        self._news = asyncio.Condition()
        self._reader = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        error: BaseException | None = None
        try:
            async for response in self.call:
                self.responses += 1
                self.beats += response.HasField("heartbeat")
                self._arrived.extend(response.answers)
                for event in response.events:
                    numbers = event.numbers or [0] * len(event.seat_refs)
                    self._arrived.extend((ref, number, event) for ref, number in zip(event.seat_refs, numbers, strict=True))
                await self._tell()
        except asyncio.CancelledError:
            raise
        except BaseException as failure:  # noqa: BLE001 - kept for the test to look at
            error = failure
        self._arrived.append(_End(error))
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _next(self) -> None:
        """Hand over one thing that arrived, or wait until something does. Nothing comes after the end."""
        if not self._arrived:
            async with self._news:
                if not self._arrived:
                    await self._news.wait()
            return
        self._hand_over(self._arrived.popleft())
        await self._tell()
        await asyncio.sleep(0)

    def _hand_over(self, arrived: pb.Answer | tuple[int, int, pb.Event] | _End) -> None:
        if isinstance(arrived, _End):
            self.ended, self.error = True, arrived.error
        elif isinstance(arrived, pb.Answer):
            if arrived.seat_ref == NOBODY and arrived.action_id in self._marks:
                self._marks.remove(arrived.action_id)
            else:
                self.answers.append(arrived)
        else:
            self.events.append(arrived)
            self._note_offer(arrived[0], arrived[2])

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
        """Wait until something is true; looked at whenever something is handed over."""
        async with asyncio.timeout(seconds):
            while not (true() or self.ended):
                await self._next()
        assert true(), f"the stream ended first: {self.error!r}"

    async def caught_up(self) -> None:
        """Take in all that the server has said on this stream until now: it answers a question of this client behind it."""
        mark = next(_ids)
        self._marks.add(mark)
        await self.send(pb.Input(seat_ref=NOBODY, act=pb.Act(action_id=mark)))
        await self.until(lambda: mark not in self._marks)

    async def listen(self, seconds: float) -> None:
        """Take in what arrives within a time."""
        with contextlib.suppress(TimeoutError):
            await self.until(lambda: False, seconds)

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
                while not (until() or self.ended or any(done.get(ref) != offer.decision for ref, offer in self.offers.items())):
                    await self._next()
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
