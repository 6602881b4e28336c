"""What a pause tells: nothing, when the server answers. Bots, 托管 and players' switches answer claims within the claim window."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from statistics import median
from typing import Any, NamedTuple

import pytest

from games.hand import Do
from games.mahjong.melds import MeldKind
from services.table import switches
from services.table.table import Table
from tests.support.ranks import mann_whitney
from tests.table.client import any_act
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb

P = 1e-4
OUTCOMES = {"drew", "melded", "won", "hand_over", "kong_robbed", "stage_claimed"}
PER_TABLE = 4
"""Names of seats on the stream: a table's seats follow one another."""


class Delay(NamedTuple):
    """How long a seat waited for the outcome of a discard or added kong, and for the discard itself since the draw; was anybody asked?

    `bots`: of a bot, all of which wait for as long before they throw.
    """

    after: float
    before: float
    asked: bool
    bots: bool


@dataclass
class Table0:
    """What seat 0 of a table was shown, with times."""

    happened: list[tuple[float, str, int]] = field(default_factory=list)
    asked: list[bool] = field(default_factory=list)

    def delays(self) -> list[Delay]:
        found, drew = [], 0.0
        numbers = iter(self.asked)
        for place, (at, kind, seat) in enumerate(self.happened):
            if kind == "drew":
                drew = at
            elif kind in {"discarded", "kong_announced"}:
                asked = next(numbers)
                outcome = next((later for later, what, _ in self.happened[place + 1 :] if what in OUTCOMES), None)
                if outcome is not None:
                    found.append(Delay(outcome - at, at - drew, asked, seat > 1))
        return found


class Crowd:
    """Many tables over one stream: a player who passes all claims and throws at once, one on 托管, and two bots."""

    def __init__(self, w: World, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
        self.w = w
        self.tables: dict[str, Table0] = defaultdict(Table0)
        self.ids: list[str] = []
        self.rng = random.Random(seed)
        self.shown = 0
        w.hall.bots._random = random.Random(seed + 1)
        step = Table.step

        def noted(table: Table, action: Any, *args: Any, **more: Any) -> Any:
            refused = step(table, action, *args, **more)
            if refused is None and (action.do is Do.DISCARD or action.kind == MeldKind.ADDED_KONG):
                self.tables[table.id].asked.append(switches.claims_open(table.course))
            return refused

        monkeypatch.setattr(Table, "step", noted)

    async def play(self, tables: int, discards: int) -> list[Delay]:
        """Play until so many outcomes were shown."""
        async with self.w.stub() as stub:
            call = stub.Play()
            self.ids = [f"t{number}" for number in range(tables)]
            opening = [self.w.open("ann", "bob", None, None, table_id=table_id) for table_id in self.ids]
            for number, opened in enumerate(await asyncio.gather(*opening)):
                attach = [pb.Input(seat_ref=number * PER_TABLE + one.seat, attach=pb.Attach(token=one.token)) for one in opened.tokens]
                await call.write(pb.PlayRequest(inputs=attach))
            async for response in call:
                answers = self.take(response, asyncio.get_running_loop().time())
                if answers:
                    await call.write(pb.PlayRequest(inputs=answers))
                if self.shown >= discards:
                    break
            call.cancel()
        return [delay for table in self.tables.values() for delay in table.delays()]

    def take(self, response: pb.PlayResponse, now: float) -> list[pb.Input]:
        inputs: list[pb.Input] = []
        for event in response.events:
            kind = event.WhichOneof("what") or ""
            for ref in event.seat_refs:
                number, seat = divmod(ref, PER_TABLE)
                if seat:
                    # It is on 托管 from here on.
                    inputs += [pb.Input(seat_ref=ref, leave=pb.Leave())] * (kind == "offer" or event.view.HasField("offer"))
                    continue
                table = self.tables[self.ids[number]]
                if kind == "offer" or event.view.HasField("offer"):
                    inputs.append(pb.Input(seat_ref=ref, act=any_act(event.offer if kind == "offer" else event.view.offer, self.rng)))
                if kind in {"dealt", "view"}:
                    inputs.append(pb.Input(seat_ref=ref, auto_pass=pb.AutoPass(on=True, action_id=self.rng.getrandbits(60) | 1)))
                elif event.numbers:
                    self.shown += kind == "discarded"
                    table.happened.append((now, kind, event.discarded.seat))
        return inputs


AFTER = attrgetter("after")
BEFORE = attrgetter("before")


def told_apart(delays: list[Delay], which: Callable[[Delay], float], shift: float = 0.0) -> float:
    """How likely the delays with somebody asked, so much later, and without differ as they do, if it makes no difference."""
    asked = [which(delay) + shift for delay in delays if delay.asked]
    free = [which(delay) for delay in delays if not delay.asked]
    return mann_whitney(asked, free)


async def measured(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tables: int, window: float, discards: int = 2000
) -> list[Delay]:
    """So many discards with a claim window of so many seconds, and pauses longer than any."""
    rules = Rules(window=int(window * 1000), pause=int(window * 1700), contribution=0.2)
    w = await world(rules=rules, options={"auto_pause_ms": int(window * 2000)})
    delays = await Crowd(w, monkeypatch, seed=20).play(tables, discards + 2 * tables)
    asked = sum(delay.asked for delay in delays)
    print(f"{len(delays)} discards, {asked} with somebody asked, p = {told_apart(delays, AFTER):.3g}")
    assert len(delays) >= discards
    assert 0.1 <= asked / len(delays) <= 0.5
    return delays


async def test_nobody_can_tell_by_the_time_whether_the_server_was_asked(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """With somebody asked and without, the outcome of a discard or added kong takes as long."""
    delays = await measured(world, monkeypatch, 40, 0.06)
    assert median(map(AFTER, delays)) >= 0.06
    assert told_apart(delays, AFTER) >= P
    assert told_apart(delays, AFTER, 0.02) < P, "a shift of 20 ms is found"
    assert told_apart([delay for delay in delays if delay.bots], BEFORE) >= P, "nor by the time that it took to throw"


async def test_until_the_window_ends_nothing_is_sent_but_the_discard(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether or not a bot is asked: the same events of the same sizes in as many messages, on the stream of a seat that is not."""
    w = await world(rules=Rules(window=80, contribution=0.2))
    crowd = Crowd(w, monkeypatch, seed=3)
    sent: dict[bool, Counter[tuple[Any, ...]]] = {True: Counter(), False: Counter()}
    async with w.stub() as stub:
        for number in range(3):
            crowd.ids = [f"t{number}"]
            opened = await w.open("ann", None, None, None, table_id=crowd.ids[0])
            call = stub.Play()
            await call.write(pb.PlayRequest(inputs=[pb.Input(seat_ref=0, attach=pb.Attach(token=opened.tokens[0].token))]))
            await _note(crowd, call, sent)
            call.cancel()
    assert {len(whole) for kind in sent.values() for whole in kind} == {2}, "the discard, and the end of its message"
    assert set(sent[True]) <= set(sent[False])
    assert sum(sent[True].values()) > 15


async def _note(crowd: Crowd, call: Any, sent: dict[bool, Counter[tuple[Any, ...]]]) -> None:
    """Play a hand, and note what is sent between each discard of a bot and its outcome."""
    asked, happened = crowd.tables[crowd.ids[0]].asked, 0
    waiting: list[Any] | None = None
    async for response in call:
        for event in response.events:
            kind = event.WhichOneof("what") or ""
            if kind in OUTCOMES and waiting is not None:
                sent[asked[happened - 1]][tuple(waiting)] += 1
                waiting = None
            if kind in {"discarded", "kong_announced"}:
                happened += 1
                waiting = [] if kind == "discarded" and event.discarded.seat else None
            if waiting is not None:
                waiting.append((kind, event.ByteSize()))
            if kind == "hand_over":
                return
        if waiting is not None:
            waiting.append("end of message")
        answers = crowd.take(response, 0.0)
        if answers:
            await call.write(pb.PlayRequest(inputs=answers))


@pytest.mark.drill
@pytest.mark.timeout(300)
async def test_nobody_can_tell_in_a_room_as_it_comes_whether_the_server_was_asked(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same in real time. Windows differ by up to 300 ms there, so that more discards are needed to be sure to find 20 ms."""
    delays = await measured(world, monkeypatch, 300, 0.6, 8000)
    assert median(map(AFTER, delays)) >= 0.6
    assert told_apart(delays, AFTER) >= P
    assert told_apart(delays, AFTER, 0.02) < P, "a shift of 20 ms is found"
