"""The same players, keys, bytes and clock make the same journal, the same records and the same messages, whatever changes in the server.

`same_journals.json` holds what they were. A release that is meant to change them writes it anew:

    XUEZHAN_WRITE_JOURNALS=1 .venv/bin/pytest tests/table/test_same_journals.py
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from games.bots import bot
from games.hand import Action, Do
from services.kit import seat_tokens
from services.kit.items import TableOutcome
from services.kit.signing import SigningKey
from services.table import intake, play, store, store_records
from services.table.phases import Phase
from services.table.signer import Signer
from tests.table.client import act_of
from tests.table.play import PLAYERS, until
from tests.table.staged import card_act
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb

KNOWN = Path(__file__).with_name("same_journals.json")
ROOMS = """
[[room]]
game = "{game}"
id = "{room}"
name = "room"
players = {players}
base = {base}
hands = {hands}
break_seconds = 0
turn_seconds = 0
contribution_seconds = 60
claim_window_ms = {window}
bots = {{ pause_ms = 0, level = "random" }}
"""
WRITES = bool(os.environ.get("XUEZHAN_WRITE_JOURNALS"))


@dataclass
class Plan(Rules):
    """A room and what happens there.

    `bots`: how many of its last seats are bots'; `leaves`: from which step on a player wants to leave the hand; `restarts`: at which step
    the server is killed; `level`: how its players play.
    """

    game: str = ""
    room: str = ""
    players: int = 4
    bots: int = 0
    leaves: int = -1
    restarts: int = -1
    level: str = "greedy"

    def text(self) -> str:
        return ROOMS.format(**vars(self))

    @property
    def room_id(self) -> str:
        return f"{self.game}/{self.room}"


PLANS = {
    plan.game: plan
    for plan in (
        Plan(game="crazy_xuezhan", room="mayou", hands=2, window=2, bots=1, level="random"),
        Plan(game="happy_sichuan", room="open", leaves=70, restarts=30, level="random"),
        Plan(game="kaxinwu", room="coins", hands=3, restarts=25, leaves=70),
        Plan(game="crazy_duel", room="beginner", players=2, base=100, hands=3, restarts=9),
    )
}


class Played:
    """One table in a world where nothing is left to chance: one input at a time, each when nothing of the one before is under way."""

    def __init__(self, w: World, plan: Plan) -> None:
        self.w = w
        self.plan = plan
        self.random = random.Random(plan.game)
        self.mind = bot(plan.game, plan.level, random.Random(plan.room))
        self.names: list[str | None] = [PLAYERS[seat] if seat < plan.players - plan.bots else None for seat in range(plan.players)]
        self.due: list[tuple[int, str]] = []
        self.ids = itertools.count(1)
        self.bytes = (hashlib.sha256(b"%d" % number).digest()[:16] for number in itertools.count())
        self.given: dict[bytes, bytes] = {}
        self.clock = 1_700_000_000_000
        self.said: list[bytes] = []
        self.stream: Any = None
        self.asked_to_go = False

    async def play(self) -> dict[str, Any]:
        """Play the table to its end and return what is left of it."""
        self.steady()
        await self.w.open(*self.names, table_id="t", room=self.plan.room_id)
        self.attach_all()
        for number in itertools.count():
            await self.quiet()
            await self.stream.flush(self.keep)
            if self.table is None:
                break
            self.clock += 137
            await self.step(number)
        return await self.left()

    def steady(self) -> None:
        """Take chance out of a server that has just started."""
        hall = self.w.hall
        hall.unix_ms = lambda: self.clock
        hall.addresses = lambda: ["here:1"]
        hall.relay.add = lambda _table, items: self.due.extend(items)
        hall.bots._random = random.Random(1)
        key = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
        hall.signer = hall.archive._signer = Signer("00112233445566aa", key)

    @property
    def table(self) -> Any:
        return self.w.hall.find("t")

    async def keep(self, data: bytes) -> None:
        self.said.append(data)

    async def quiet(self) -> None:
        """Wait until everything that an input has led to is stored and shown."""

        def is_quiet() -> bool:
            table = self.table
            return table is None or not (
                table.rows
                or table.in_flight
                or table.outlet.held is not None
                or any(play.is_asked(table, seat) and not table.limit(seat) for seat in range(self.plan.players))
            )

        await until(is_quiet, 30)

    def attach_all(self) -> None:
        self.stream = self.w.hall.enter("")
        for seat, name in enumerate(self.names):
            if name is not None:
                self.attach(seat, name)

    def attach(self, seat: int, name: str) -> None:
        token = seat_tokens.make(self.w.hall.seat_keys, "t", seat, name, time.time() + 3600)
        self.send(seat, attach=pb.Attach(token=token, contribution_hash=self.hashed()))

    def send(self, seat: int, **what: Any) -> None:
        intake.receive(self.w.hall, self.stream, pb.Input(seat_ref=seat, **what), 0.0)

    async def step(self, number: int) -> None:
        """Let the next thing happen."""
        course = self.table.course
        seats = [seat for seat, name in enumerate(self.names) if name is not None]
        if number == self.plan.restarts:
            await self.w.crash()
            await self.w.start()
            self.steady()
            self.attach_all()
        elif self.due and (number % 7 == 0 or course.phase not in {Phase.PLAYING, Phase.REVEALING}):
            self.settle()
        elif course.phase is Phase.GATHERING:
            seat = next(seat for seat in seats if not self.table.seats[seat].hash)
            self.send(seat, contribute=pb.Contribute(contribution_hash=self.hashed()))
        elif course.phase is Phase.REVEALING:
            seat = course.awaited()[0]
            self.send(seat, reveal=pb.Reveal(contribution=self.given[course.committed.hashes[seat]]))
        elif number >= self.plan.leaves >= 0 and not self.asked_to_go:
            self.asked_to_go = True
            self.send(2, leave=pb.Leave())
        elif course.phase is Phase.PLAYING:
            self.turn(next(seat for seat in seats if play.is_asked(self.table, seat)))

    def settle(self) -> None:
        """Tell the table what became of all that it owes."""
        due, self.due = self.due, []
        told = [self.w.settlement._apply("t", seq, json.loads(body)) for seq, body in due]
        self.w.hall.outcome(TableOutcome.model_validate({"table": "t", "through": due[-1][0], "items": told}))

    def hashed(self) -> bytes:
        """The hash of a player's next bytes."""
        made = next(self.bytes)
        found = hashlib.sha256(made).digest()
        self.given[found] = made
        return found

    def turn(self, seat: int) -> None:
        """Let a seat that is asked answer, or something else happen to it."""
        hand, decision = self.table.course.hand, self.table.outlet.shown_decisions[seat]
        match self.random.randrange(40):
            case 0:
                run_out(self.table, seat)
            case 1:
                self.send(seat, act=pb.Act(decision=decision + 1, do=pb.DO_PASS, action_id=next(self.ids)))
            case 2:
                self.send(seat, resync=pb.Resync(last_number=5))
            case 3:
                self.send(seat, auto_pass=pb.AutoPass(on=bool(self.random.randrange(2)), action_id=next(self.ids)))
            case 4:
                self.send(seat, auto_discard=pb.AutoDiscard(on=bool(self.random.randrange(2)), action_id=next(self.ids)))
            case 5:
                name = self.names[seat]
                assert name is not None
                self.send(seat, detach=pb.Detach())
                self.attach(seat, name)
            case _:
                act = act_made(self.mind.choose(hand, seat), decision)
                act.action_id = next(self.ids)
                self.send(seat, act=act)

    async def left(self) -> dict[str, Any]:
        """Read what the database holds of the table, and what its players were sent."""
        database = self.w.hall.database

        async def recorded() -> dict[int, str | None]:
            return dict(await database.run(store_records.read, "t", 0))

        records = await recorded()
        while not all(records.values()):
            records = await recorded()
        rows = (await database.run(store.read_journal, ["t"]))["t"]
        return {
            "rows": len(rows),
            "kinds": sorted({row.kind.value for row in rows}),
            "journal": digest(json.dumps([list(row[1:]) for row in rows], sort_keys=True).encode()),
            "records": digest(*((text or "").encode() for text in records.values())),
            "said": digest(*self.said),
        }


def run_out(table: Any, seat: int) -> None:
    """Let a seat's time be up."""
    table.deadlines.answers[seat] = table.deadlines.asked_at[seat]
    table.rest()


def act_made(action: Action, decision: int) -> pb.Act:
    """Return an action as its player would send it."""
    return card_act(action, decision) if action.do is Do.PLAY else act_of(action, decision)


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


@pytest.fixture(scope="module")
def known() -> Iterator[dict[str, Any]]:
    """What the file says; written anew if that is asked for."""
    found: dict[str, Any] = json.loads(KNOWN.read_text()) if KNOWN.exists() else {}
    yield found
    if WRITES:
        KNOWN.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


@pytest.mark.parametrize("game", PLANS)
async def test_seeded_hands_leave_the_same_journal_records_and_messages(
    world: Callable[..., Any], game: str, known: dict[str, Any]
) -> None:
    plan = PLANS[game]
    w = await world(rules=plan, settles=False)
    found = await Played(w, plan).play()
    if WRITES:
        known[game] = found
    assert found == known[game]
