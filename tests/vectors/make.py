"""Writes the test vectors beside it: the deal, key ids, signed statements, a signed record, a broker message, texts to refuse.

The definitions in docs/rules/deal.md and docs/rules/record.md, read word by word, and nothing of the code under test: `python
tests/vectors/make.py`. Programs in other languages may use the files as they are.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HERE = Path(__file__).parent
INSTALLATION = "00112233445566ff"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(32, 64)))
BYTES = [bytes([number] * 16) for number in range(1, 5)]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# The deal.


class Stream:
    def __init__(self, key: bytes) -> None:
        self.key, self.blocks, self.words = key, 0, list[int]()

    def word(self) -> int:
        if not self.words:
            block = hmac.new(self.key, self.blocks.to_bytes(8, "big"), hashlib.sha256).digest()
            self.words = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4)]
            self.blocks += 1
        return self.words.pop(0)

    def uniform(self, n: int) -> int:
        while True:
            word = self.word()
            if word < 2**32 - (2**32 % n):
                return word % n


def ordered(deck: str) -> list[str]:
    if deck == "cards":
        pack = [f"{rank}{suit}" for rank in ("9", "10", "J", "Q", "K", "A", "2") for suit in "SHCD"] + ["w", "W"]
        return pack * 2
    return [f"{rank}{suit}" for suit in deck for rank in range(1, 10) for _ in range(4)]


def in_order(tiles: list[str], deck: str) -> list[str]:
    return sorted(tiles, key=ordered(deck).index)


def exchangers(tiles: list[list[str]]) -> list[int]:
    """The seats that exchange three tiles: of the two suits other than their longest, one has at least three."""
    sizes = [sorted(sum(tile[1] == suit for tile in held) for suit in "mps") for held in tiles]
    return [seat for seat, size in enumerate(sizes) if size[1] >= 3]


def deal(case: dict[str, Any]) -> dict[str, Any]:
    seed, given, deck = bytes.fromhex(case["seed"]), case["contributions"], case["deck"]
    players = len(given)
    parts = [b"xuezhan/1", case["table"].encode(), str(case["hand"]).encode()]
    message = b"".join(part + b"\0" for part in parts) + b"".join(bytes.fromhex(one) if one else bytes(16) for one in given)
    key = hmac.new(seed, message, hashlib.sha256).digest()
    stream, wall = Stream(key), ordered(deck)
    for i in range(len(wall) - 1, 0, -1):
        j = stream.uniform(i + 1)
        wall[i], wall[j] = wall[j], wall[i]
    found = {**case, "players": players, "commitment": sha256(seed), "key": key.hex(), "wall": wall}
    if deck == "cards":
        found["shown"] = 10 + stream.uniform(50)
        found["leader"] = (found["shown"] - 10) // 25
        return found | {"tiles": [in_order(wall[10 + 25 * seat : 35 + 25 * seat], deck) for seat in range(players)]}
    found["tiles"] = [in_order(wall[13 * seat : 13 * seat + 13], deck) for seat in range(players)]
    found["first_draw"] = 13 * players
    if case["dealer_from"] == "draw":
        found["dealer"] = stream.uniform(players)
    taking_part = exchangers(found["tiles"]) if case["game"] == "crazy_xuezhan" else []
    if len(taking_part) >= 2:
        found |= {"exchanging": taking_part, "shift": 1 + stream.uniform(len(taking_part) - 1)}
    return found


CRAZY = {"cap": 4, "phases": "void_exchange", "room": "mayou"}
HAPPY = {"cap": None, "kong_draw_fan": 1, "mode": "xuezhan", "room": "open"}
KAXINWU = {"must_kong": False, "opener": None, "room": "coins", "three_suits": False}
DUEL = {"room": "beginner"}


def case(
    game: str, options: dict[str, Any], deck: str, given: list[bytes | None], table: str = "t-1", hand: int = 1, **more: Any
) -> dict[str, Any]:
    seed = sha256(f"{game} {table} {hand} {deck} {len(given)} {more}".encode())
    contributions = [None if one is None else one.hex() for one in given]
    drawn = {"dealer_from": None if deck == "cards" else "draw"}
    return deal(
        {"game": game, "options": options, "deck": deck, "table": table, "hand": hand, "seed": seed, "contributions": contributions}
        | drawn
        | more
    )


def deals() -> dict[str, Any]:
    nobody: list[bytes | None] = [None] * 4
    return {
        "uniform": [
            {"words": [7], "n": 10, "is": 7},
            {"words": [4294967290, 4294967295, 13], "n": 10, "is": 3},
            {"words": [4294967289], "n": 10, "is": 9},
            {"words": [4294967295], "n": 1, "is": 0},
            {"words": [4294967295], "n": 65536, "is": 65535},
            {"words": [4294967220, 4294967219], "n": 108, "is": 107},
        ],
        "ordered": {deck: ordered(deck) for deck in ("mps", "ps", "cards")},
        "hands": [
            case("crazy_xuezhan", CRAZY, "mps", list(BYTES)),
            case("crazy_xuezhan", CRAZY, "mps", [BYTES[0], None, bytes(16), BYTES[3]], "1a22a2bd21b0930003df4d3", 12),
            case("crazy_xuezhan", CRAZY | {"phases": "exchange_void"}, "mps", nobody, "桌子", 3),
            case("happy_sichuan", HAPPY, "mps", [None, BYTES[1], None, None], hand=2),
            case("happy_sichuan", HAPPY | {"mode": "single"}, "mps", list(BYTES), hand=8, dealer_from="before"),
            case("kaxinwu", KAXINWU, "ps", list(BYTES)),
            case("kaxinwu", KAXINWU, "ps", list(BYTES[:2]), hand=4, dealer_from="before"),
            case("kaxinwu", KAXINWU | {"three_suits": True, "opener": 2}, "mps", [None, BYTES[1], BYTES[2]], dealer_from="option"),
            case("crazy_duel", DUEL, "cards", list(BYTES[:2])),
            case("crazy_duel", {"room": "rating"}, "cards", [None, None], hand=9007199254740991),
        ],
    }  # fmt: skip


# Signed texts.


def text_of(value: dict[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def key_id(key: Ed25519PrivateKey) -> str:
    return sha256(key.public_key().public_bytes_raw())[:16]


def public(key: Ed25519PrivateKey) -> dict[str, str]:
    pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return {
        "private": key.private_bytes_raw().hex(),
        "public": key.public_key().public_bytes_raw().hex(),
        "pem": pem,
        "key_id": key_id(key),
    }


def signed(value: dict[str, Any], key: Ed25519PrivateKey = KEY) -> dict[str, str]:
    text = text_of(value)
    return {"key_id": key_id(key), "signature": key.sign(text.encode()).hex(), "statement": text}


HAND = case("crazy_xuezhan", CRAZY, "mps", [BYTES[0], None, None, BYTES[3]], "1a22a2bd21b0930003df4d3", 2)
HASHES = [sha256(BYTES[0]), sha256(BYTES[1]), None, sha256(BYTES[3])]
SEATS = ["alice", "bob", None, "玩家-4"]
MONEY = [20000, 9007199254740991, 0, 17]
COMMIT = {
    "at": 1796003837123, "base": 1, "commitment": HAND["commitment"], "deck": "mps", "game": "crazy_xuezhan", "hand": 2, "hashes": HASHES,
    "installation": INSTALLATION, "money": MONEY, "options": CRAZY, "rules": "crazy_xuezhan/1", "seats": SEATS, "table": HAND["table"],
    "type": "xuezhan/commit/1",
}  # fmt: skip
DEAL = {
    "bytes": HAND["contributions"], "commit": sha256(text_of(COMMIT).encode()), "hand": 2, "installation": INSTALLATION,
    "table": HAND["table"], "type": "xuezhan/deal/1", "withheld": [1],
}  # fmt: skip
RECORD = {
    "actions": [], "base": 1, "called_off": "operator", "called_off_by": "操作员-1", "coins": [],
    "commit": sha256(text_of(COMMIT).encode()), "commitment": HAND["commitment"], "contribution_hashes": HASHES,
    "contributions": HAND["contributions"],
    "deal": sha256(text_of(DEAL).encode()), "dealer": HAND["dealer"], "dealer_from": "draw", "game": "crazy_xuezhan", "hand": 2,
    "installation": INSTALLATION, "money": MONEY, "options": CRAZY, "players": 4, "points": [0, 0, 0, 0], "rules": "crazy_xuezhan/1",
    "seats": SEATS, "seed": HAND["seed"], "stages": [], "table": HAND["table"], "times": [], "type": "xuezhan/record/1",
    "wall": HAND["wall"], "withheld": [1],
} | ({"shift": HAND["shift"]} if "shift" in HAND else {})  # fmt: skip
ITEMS = {
    "from": "table-1", "installation": INSTALLATION, "items": [{"body": '{"kind":"close","reason":"finished"}', "seq": 9, "table": "t-1"}],
    "reply_to": "outcomes.table-1", "type": "xuezhan/items/1",
}  # fmt: skip


def statements() -> dict[str, Any]:
    commit, dealt = signed(COMMIT), signed(DEAL)
    return {
        "good": [commit, dealt],
        "bad": [
            {"why": "another key", **signed(COMMIT, OTHER), "key_id": commit["key_id"]},
            {"why": "a key nobody knows", **signed(COMMIT, OTHER)},
            {"why": "one character more", **commit, "statement": commit["statement"] + " "},
            {"why": "another hand", **commit, "statement": commit["statement"].replace('"hand":2', '"hand":3')},
            {"why": "half a signature", **commit, "signature": commit["signature"][:64]},
        ],
    }


def record() -> dict[str, Any]:
    text = text_of(RECORD)
    signature = {"key_id": key_id(KEY), "value": KEY.sign(text.encode()).hex()}
    odd = text_of({"b": 'quote " backslash \\ solidus /', "a\n": "\u0000\u001f\u007f\u2028\u20ac😀", "ä": [True, None, -1, {}], "Z": ""})
    return {"canonical": text, "line": text_of(RECORD | {"signature": signature}), "odd": {"canonical": odd, "value": json.loads(odd)}}


def broker() -> dict[str, str]:
    made = signed(ITEMS)
    return {"key_id": made["key_id"], "signature": made["signature"], "text": made["statement"]}


REFUSED = [
    '{"a":1,"a":1}', '{"a":{"b":1,"b":2}}', '{"a":1.0}', '{"a":1e3}', '{"a":-0.5}', '{"a":NaN}', '{"a":Infinity}', '{"a":-Infinity}',
    '{"a":9007199254740992}', '{"a":-9007199254740992}', '{"a":"\\ud800"}', '{"\\udfff":1}', '{"a":["\\udc00\\ud800"]}', "[]", "1", '"a"',
    "null", "", "{", '{"a":1} {}', '{"a":01}', "{'a':1}", '{"a":1,}',
]  # fmt: skip
TAKEN = ['{"a":9007199254740991,"b":-9007199254740991}', '{"a":"\\ud83d\\ude00"}', ' {"a" : [ true , null , "" ] } ', "{}"]


def files() -> dict[str, Any]:
    return {
        "deal.json": deals(),
        "keys.json": [public(KEY), public(OTHER)],
        "statements.json": statements(),
        "record.json": record(),
        "broker.json": broker(),
        "texts.json": {"refused": REFUSED, "taken": TAKEN},
    }


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True) + "\n"


if __name__ == "__main__":
    for name, value in files().items():
        (HERE / name).write_text(written(value))
        sys.stdout.write(f"{name}\n")
