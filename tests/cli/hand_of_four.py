"""A signed hand of four with what everybody kept of it, made without a server, for tests of `verify-record`."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

from games.bots import bot
from games.hand import Setup
from games.record import Recorder
from games.registry import ruleset
from games.simulate import play
from services.kit import statements
from services.kit.signing import SigningKey

INSTALLATION = "00112233445566ff"
KEY = SigningKey.generate()
BYTES = tuple(bytes([number] * 16) for number in range(1, 5))
SEATS = ["ann", "bob", "cem", "dee"]
MONEY = [10_000] * 4
Json = dict[str, Any]


def signed(said: Json, key: SigningKey = KEY) -> Json:
    """A statement as a receipt."""
    text = statements.compose(said)
    return {"key_id": key.key_id, "signature": key.sign(text.encode()).hex(), "statement": text}


def digest(receipt: Json) -> str:
    return hashlib.sha256(receipt["statement"].encode()).hexdigest()


class HandOfFour:
    """One hand. `record` is not signed; `receipts[seat]` is what the seat's player kept of a whole hand."""

    def __init__(self, game: str = "crazy_xuezhan", number: int = 1, table: str = "t-1", seed: int = 1, before: Any = None) -> None:
        rules = ruleset(game, {})
        count = rules.players
        given = BYTES[:count]
        setup = Setup(table, number, bytes([seed] * 32), given, before)
        self.recorder = Recorder(rules, setup)
        play(self.recorder, [bot(game, "greedy", Random(f"{seed} {seat}")) for seat in range(count)], Random(0))
        self.record: Json = json.loads(json.dumps(self.recorder.record(2, MONEY[:count])))
        hashes = [hashlib.sha256(one).hexdigest() for one in given]
        self.commit_said: Json = {
            "type": "xuezhan/commit/1", "installation": INSTALLATION, "table": table, "hand": number, "at": 1_796_000_000_000, "base": 2,
            "commitment": self.record["commitment"], "deck": rules.deck, "game": game, "hashes": hashes, "money": MONEY[:count],
            "options": dict(rules.options), "rules": rules.version, "seats": SEATS[:count],
        }  # fmt: skip
        self.commit = signed(self.commit_said)
        self.deal_said: Json = {
            "type": "xuezhan/deal/1", "installation": INSTALLATION, "table": table, "hand": number, "commit": digest(self.commit),
            "bytes": [one.hex() for one in given], "withheld": [],
        }  # fmt: skip
        self.deal = signed(self.deal_said)
        self.record |= {
            "type": "xuezhan/record/1", "installation": INSTALLATION, "seats": SEATS[:count], "contribution_hashes": hashes, "withheld": [],
            "times": list(range(len(self.record["actions"]))), "commit": digest(self.commit), "deal": digest(self.deal),
        }  # fmt: skip
        self.receipts = [self._kept_by(seat) for seat in range(count)]

    def _kept_by(self, seat: int) -> list[Json]:
        record = self.record

        def seen(**what: Any) -> Json:
            return {"type": "xuezhan/seen/1", "table": record["table"], "hand": record["hand"], "seat": seat, **what}

        if record["game"] == "crazy_duel":
            dealt = seen(player=SEATS[seat], cards=record["wall"][10 + 25 * seat : 35 + 25 * seat])
        else:
            dealt = seen(player=SEATS[seat], tiles=record["wall"][13 * seat : 13 * seat + 13])
        kept = [self.commit, self.deal, dealt]
        for action in record["actions"]:
            if action["seat"] == seat and not action.get("auto"):
                words = {name: value for name, value in action.items() if name != "seat"}
                kept += [seen(sent=words), seen(accepted=words)]
        return [*kept, seen(seed=record["seed"])]

    def line(self, key: SigningKey = KEY, **changes: Any) -> Json:
        """The record, signed after these changes."""
        record = copy.deepcopy(self.record) | changes
        text = statements.compose(record)
        return record | {"signature": {"key_id": key.key_id, "value": key.sign(text.encode()).hex()}}


def write(folder: Path, name: str, lines: list[Json]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def key_file(folder: Path, *keys: SigningKey) -> Path:
    path = folder / "record.pem"
    path.write_bytes(b"".join(key.public.pem() for key in keys or (KEY,)))
    return path
