"""Settlement items and their outcomes: the messages between a table's owner and the settlement workers.

Law: an item is (table, seq, kind, body). Every table has one ordered list of items, seq from 1 without gaps.
A message is only a hint that rows exist: lost, doubled, late or reordered ones change nothing.
"""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from services.kit.names import KnownPlayerId

MAX_COINS = 2**53 - 1
MOST_TO_PLAY = 2**52
"""A wallet that holds more gets no ticket: hardly anybody could be seated beside it."""
MAX_BATCH_ITEMS = 200
MAX_BATCH_BYTES = 256 * 1024

TableId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
SeatNo = Annotated[int, Field(ge=0, le=7, strict=True)]
Coins = Annotated[int, Field(ge=0, le=MAX_COINS, strict=True)]
Multiple = Annotated[int, Field(ge=1, le=MAX_COINS, strict=True)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ItemKind(StrEnum):
    """What an item does."""

    OPEN = "open"
    JOIN = "join"
    TOP_UP = "top_up"
    STAGE = "stage"
    HAND_END = "hand_end"
    LEFT = "left"
    CLOSE = "close"


class SeatHolder(_Strict):
    """Who sits in a seat; `player` is None for a bot, whose coins are the house's."""

    seat: SeatNo
    player: KnownPlayerId | None


class OpenBody(_Strict):
    """Binds the stakes held for this match to its table, and funds its bots. Settled as `refused` when a hold is missing or void."""

    kind: Literal[ItemKind.OPEN] = ItemKind.OPEN
    room: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,32}/[a-z0-9_]{1,32}$")]
    seats: Annotated[list[SeatHolder], Field(min_length=1, max_length=8)]


class JoinBody(_Strict):
    """A player takes a free seat between two hands; the stake is held under `hold` (a match id of its own)."""

    kind: Literal[ItemKind.JOIN] = ItemKind.JOIN
    seat: SeatNo
    player: KnownPlayerId | None
    hold: TableId


class TopUpBody(_Strict):
    """Makes a seat's stake up to the room's lock before a further hand. Settled as `refused` when the wallet has too little."""

    kind: Literal[ItemKind.TOP_UP] = ItemKind.TOP_UP
    seat: SeatNo


class ClaimRow(_Strict):
    """payer owes payee multiple x base."""

    payer: SeatNo
    payee: SeatNo
    multiple: Multiple


class StageBody(_Strict):
    """One payout stage under the stage policy. `base` is checked against the room."""

    kind: Literal[ItemKind.STAGE] = ItemKind.STAGE
    hand: Annotated[int, Field(ge=1, strict=True)]
    stage: Annotated[int, Field(ge=0, strict=True)]
    cause: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")]
    base: Coins
    claims: Annotated[list[ClaimRow], Field(min_length=1, max_length=64)]


class CauseLine(_Strict):
    """Points that one cause gave each seat: for the statement under a pooled payout, and to tell that a rated hand was escaped."""

    cause: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")]
    claims: Annotated[list[ClaimRow], Field(min_length=1, max_length=64)]


class HandEndBody(_Strict):
    """The end of a hand: the pooled payout where the game pays so, and rating points where the room rates."""

    kind: Literal[ItemKind.HAND_END] = ItemKind.HAND_END
    hand: Annotated[int, Field(ge=1, strict=True)]
    rate: Coins = 0
    points: Annotated[list[Annotated[int, Field(strict=True)]], Field(max_length=8)] = []
    causes: Annotated[list[CauseLine], Field(max_length=256)] = []
    rating: Annotated[list[Annotated[int, Field(strict=True)]], Field(max_length=8)] = []


class LeftBody(_Strict):
    """A seat's player is out of the hand and goes: their stake less what they still owes returns to their wallet, their occupancy ends.

    `points`: under the pooled policy their frozen sum; `rate` and `hand` go with it.
    """

    kind: Literal[ItemKind.LEFT] = ItemKind.LEFT
    seat: SeatNo
    hand: Annotated[int, Field(ge=0, strict=True)] = 0
    rate: Coins = 0
    points: Annotated[int, Field(strict=True)] = 0


class CloseBody(_Strict):
    """The table is over: every stake still at it returns, bots' to the house, and all occupancies end."""

    kind: Literal[ItemKind.CLOSE] = ItemKind.CLOSE
    reason: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")]


Body = Annotated[
    OpenBody | JoinBody | TopUpBody | StageBody | HandEndBody | LeftBody | CloseBody,
    Field(discriminator="kind"),
]
BODY: TypeAdapter[Body] = TypeAdapter(Body)


class Item(_Strict):
    """An item as it travels. `body` is the canonical JSON text."""

    table: TableId
    seq: Annotated[int, Field(ge=1, strict=True)]
    body: Annotated[str, Field(max_length=64 * 1024)]


class Result(StrEnum):
    """How an item ended."""

    APPLIED = "applied"
    REFUSED = "refused"


class MoveRow(_Strict):
    """Coins from seat to seat."""

    payer: SeatNo
    payee: SeatNo
    coins: Coins


class ShortRow(_Strict):
    """A seat that owed more than it had."""

    seat: SeatNo
    owed: Coins
    paid: Coins


class ItemOutcome(_Strict):
    """What an item did.

    `money` is each seat's escrow afterwards, by seat number (0 for a free seat); `change` each seat's coins of a pooled hand; `ratings`
    each seat's rating after a rated one, -1 for a bot.
    """

    seq: int
    kind: ItemKind
    result: Result
    reason: str = ""
    moves: list[MoveRow] = []
    change: list[int] = []
    money: list[Coins] = []
    short: list[ShortRow] = []
    ratings: list[int] = []


class TableOutcome(_Strict):
    """What is settled of one table. `through` is the last seq applied or refused; `stuck` that an operator must look."""

    table: TableId
    through: int
    items: list[ItemOutcome]
    stuck: bool = False


_encode: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def canonical(body: BaseModel) -> str:
    """Return the one JSON text of a body: sorted keys, no spaces."""
    return _encode(body.model_dump(mode="json"))


def body_hash(body: str) -> str:
    """Return the hex SHA-256 of a canonical body; two items with one key are the same if and only if these are."""
    return hashlib.sha256(body.encode()).hexdigest()
