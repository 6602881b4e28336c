"""A table as one seat sees it, without a network: it keeps to the rules of the shuffle, and tests bend it.

What it says of the game comes from the real rules; statements, bytes and the order of everything are its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from random import Random
from typing import Any

from games.bots import bot
from games.events import HandOver, StageClaimed
from games.hand import Refusal, Setup
from games.record import Recorder
from games.registry import ruleset
from services.kit.signing import SigningKey
from services.table.codec import registry
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Place, Seat
from xuezhan.client.receipts import Receipts

INSTALLATION = "00112233445566ff"
Change = Callable[[dict[str, Any]], object]


def unchanged(_said: dict[str, Any]) -> None:
    """Change nothing."""


class StubTable:
    """`seat` is the client's. Everything that tests bend is a field."""

    def __init__(
        self, game: str = "crazy_xuezhan", seed: object = 0, players: int | None = None, options: dict[str, Any] | None = None
    ) -> None:
        self.random = Random(f"{game} {seed}")
        self.rules = ruleset(game, options or {}, players)
        self.count = self.rules.players
        self.me = self.random.randrange(self.count)
        self.id = "table-1"
        self.key = SigningKey.generate()
        self.number = 0
        self.log: list[pb.Event] = []
        self.queue: list[pb.Input] = []
        self.revealed: list[bytes] = []
        self.hash = b""
        self.committed: pb.HandCommitted | None = None
        self.dealt: pb.DealSigned | None = None
        self.over: pb.HandOver | None = None
        self.recorder: Recorder | None = None
        self.before: Any = None
        self.away = False
        self.players: list[str | None] = ["ann", None, "cem", "dee"]
        self.receipts = Receipts()
        # What a server may do wrong.
        self.answers_offers = True
        self.leave_out = False
        self.drop = False
        self.swap = b""
        self.dealt_seed = b""
        self.shown_seed = b""
        self.signs = True
        self.says: Change = unchanged
        self.says_of_deal: Change = unchanged
        self.called_off = ""
        self.show: Callable[[pb.Event], pb.Event | None] = lambda event: event
        self.sit_down()

    def sit_down(self) -> None:
        """The client's program starts, or is started again."""
        self.seat = Seat(Place("127.0.0.1:1", "token", self.id, self.me), "me", receipts=self.receipts)
        self.seat.carrier = self
        self.attach()

    # The stream.

    def send(self, _seat: Seat, item: pb.Input) -> None:
        if not self.away:
            self.queue.append(item)

    def attach(self, *, view: bool = True) -> None:
        """A stream is opened; the seat is shown what it missed, or all."""
        self.away, self.queue = False, []
        self.send(self.seat, self.seat.attach_input())
        self.serve(view=view)

    def cut(self) -> None:
        """The stream breaks: nothing is heard, and what was sent last is lost."""
        self.away, self.queue = True, []
        self.seat.detached()

    def serve(self, *, view: bool = True) -> None:
        """Read what the client sent."""
        while self.queue:
            item = self.queue.pop(0)
            kind = item.WhichOneof("input")
            if kind == "attach":
                self.hash = item.attach.contribution_hash
                self.tell(pb.Event(attached=self.attached()))
                self.catch_up(item.attach.last_number, view=view)
            elif kind == "contribute":
                self.hash = item.contribute.contribution_hash
                if self.answers_offers:
                    self.tell(pb.Event(contributed=pb.Contributed(contribution_hash=self.hash)))
            elif kind == "reveal":
                self.seat.proof.sent()
                self.revealed.append(item.reveal.contribution)
                self._reveal(item.reveal.contribution)
            elif kind == "resync":
                self.catch_up(item.resync.last_number, view=view)

    def attached(self) -> pb.Attached:
        assignments = [pb.SeatAssignment(player_id=name or "", bot=not name) for name in self.names()]
        room = f"{self.rules.game}/{self.rules.options['room']}"
        return pb.Attached(table_id=self.id, seat=self.me, room_id=room, seats=assignments, contribution_hash=self.hash)

    def names(self) -> list[str | None]:
        names = self.players[: self.count]
        names[self.me] = "me"
        return names

    def catch_up(self, last: int, *, view: bool) -> None:
        if last and not view:
            for number, event in enumerate(self.log[last:], last + 1):
                self._hear(number, event)
        else:
            self.tell(pb.Event(view=self.view()))

    def view(self) -> pb.View:
        hand = self.recorder.hand if self.recorder is not None else None
        view = pb.View() if hand is None else registry.hand_view(hand.view(self.me), self.number)
        view.number, view.state = len(self.log), pb.TABLE_STATE_OPEN
        for name, value in (("committed", self.committed), ("deal_signed", self.dealt), ("over", self.over)):
            if value is not None:
                getattr(view, name).CopyFrom(value)
        return view

    def tell(self, event: pb.Event) -> None:
        self._hear(0, event)

    def event(self, event: pb.Event) -> None:
        """Something counted happens; the client hears it unless it is away."""
        shown = self.show(event)
        if shown is not None:
            self.log.append(shown)
            if not self.away:
                self._hear(len(self.log), shown)

    def _hear(self, number: int, event: pb.Event) -> None:
        copied = pb.Event.FromString(event.SerializeToString())
        name = str(copied.WhichOneof("what"))
        self.seat.hear(number, name, getattr(copied, name))

    # One hand.

    def commit(self, seed: bytes = b"") -> None:
        self.number += 1
        self.recommit(seed)

    def recommit(self, seed: bytes = b"") -> None:
        self.seed = seed or self.random.randbytes(32)
        self.bytes: list[bytes | None] = [self.random.randbytes(16) if name == "ann" else None for name in self.names()]
        hashes = [hashlib.sha256(given).digest() if given else b"" for given in self.bytes]
        hashes[self.me], self.hash = (b"" if self.leave_out else self.hash), b""
        self.bytes[self.me] = None
        self.hashes = hashes
        options = json.dumps(dict(self.rules.options), sort_keys=True)
        told = pb.HandCommitted(
            hand=self.number, commitment=hashlib.sha256(self.seed).digest(), contribution_hashes=hashes, options=options
        )
        told.money.extend([1000] * self.count)
        said = {
            "at": 1, "base": 1, "commitment": told.commitment.hex(), "deck": self.rules.deck, "game": self.rules.game, "hand": self.number,
            "hashes": [one.hex() or None for one in hashes], "installation": INSTALLATION, "money": [1000] * self.count,
            "options": dict(self.rules.options), "rules": self.rules.version, "seats": self.names(), "table": self.id,
            "type": "xuezhan/commit/1",
        }  # fmt: skip
        self.says(said)
        self.commit_text = self.signed(said, told.signed) if self.signs else ""
        self.committed, self.dealt, self.over = told, None, None
        self.dealing = False
        self.event(pb.Event(hand_committed=told))

    def signed(self, said: dict[str, Any], into: pb.Signed) -> str:
        into.statement = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        into.signature, into.key_id = self.key.sign(into.statement.encode()), self.key.key_id
        return into.statement

    def _reveal(self, contribution: bytes) -> None:
        if self.drop or self.dealing or self.bytes[self.me] or hashlib.sha256(contribution).digest() != self.hashes[self.me]:
            return
        self.bytes[self.me] = contribution
        self.event(pb.Event(contribution_revealed=pb.ContributionRevealed(seat=self.me, contribution=contribution)))

    def deal(self) -> None:
        self.dealing = True
        for seat, given in enumerate(self.bytes):
            if seat != self.me and given:
                self.event(pb.Event(contribution_revealed=pb.ContributionRevealed(seat=seat, contribution=given)))
            elif self.hashes[seat] and not given:
                self.event(pb.Event(contribution_revealed=pb.ContributionRevealed(seat=seat)))
        if self.swap:
            self.bytes[self.me] = self.swap
        withheld = [seat for seat, given in enumerate(self.bytes) if self.hashes[seat] and not given]
        said = {
            "bytes": [given.hex() if given else None for given in self.bytes],
            "commit": hashlib.sha256(self.commit_text.encode()).hexdigest(),
            "hand": self.number, "installation": INSTALLATION, "table": self.id, "type": "xuezhan/deal/1", "withheld": withheld,
        }  # fmt: skip
        self.says_of_deal(said)
        if self.signs:
            self.dealt = pb.DealSigned(hand=self.number)
            self.signed(said, self.dealt.signed)
            self.event(pb.Event(deal_signed=self.dealt))
        setup = Setup(self.id, self.number, self.dealt_seed or self.seed, tuple(self.bytes), self.before)
        self.recorder = Recorder(self.rules, setup)
        self.tell_all(self.recorder.first_events)

    def tell_all(self, events: list[Any]) -> None:
        for event in events:
            if event.to >> self.me & 1 and not isinstance(event, StageClaimed | HandOver):
                self.event(pb.Event.FromString(registry.event(event, self.number)))

    def play(self, steps: int = 10_000) -> None:
        """Play up to so many actions, or to the end."""
        assert self.recorder is not None
        hand = self.recorder.hand
        minds = [bot(self.rules.game, "random", self.random) for _ in range(self.count)]
        while not hand.over and steps > 0:
            for seat in range(self.count):
                if hand.offers[seat] is not None and steps > 0:
                    steps -= 1
                    action = hand.default(seat) if hand.offers[seat].at_once else minds[seat].choose(hand, seat)
                    events = self.recorder.apply(action)
                    assert not isinstance(events, Refusal)
                    self.tell_all(events)

    def end(self) -> None:
        given = [one or b"" for one in self.bytes]
        self.over = pb.HandOver(hand=self.number, seed=self.shown_seed or self.seed, contributions=given, called_off=self.called_off)
        if self.recorder is not None and self.recorder.hand.over:
            self.before = self.recorder.hand.carry() or None
        self.event(pb.Event(hand_over=self.over))

    def whole_hand(self) -> None:
        self.serve()
        self.commit()
        self.serve()
        self.deal()
        self.serve()
        self.play()
        self.end()
        self.serve()

    @property
    def names_of_faults(self) -> list[str]:
        return [str(fault.name) for fault in self.seat.faults]
