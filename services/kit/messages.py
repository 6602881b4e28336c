"""Messages between parts, as they travel through the broker: one text, signed once by the process that sends it.

A message is the JSON object {"key_id", "signature", "text"}; the text is another, with `type`, `installation`, `from` and what it is about.

Law: size first, then the signature, then everything else; nothing of a text is believed, or even parsed, before its signature holds for a
key of the role that may send it. Only tables send items, and hear of them themselves; only workers send outcomes, to one table server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.kit import statements
from services.kit.items import MAX_BATCH_BYTES, MAX_BATCH_ITEMS, Item, TableOutcome
from services.kit.roles import Role
from services.kit.signing import SIGNATURE_BYTES, SigningKey
from services.kit.trust import INSTALLATION, Trust

MAX_TEXT_BYTES: Final = MAX_BATCH_BYTES
MAX_MESSAGE_BYTES: Final = 2 * MAX_TEXT_BYTES + 1024
"""Of the whole message: within it each quotation mark of the text takes two bytes."""
_HEAD_BYTES: Final = 512
"""Of a text, for everything but what it is about."""
_TABLE_BYTES: Final = 160
"""Of a table in a text of outcomes, but for its items."""
_FIELDS: Final = {"key_id", "signature", "text"}

ProcessName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
"""A process of a role: a table server's stable name, or one that a worker made up."""


class Reason(StrEnum):
    """Why a message is turned away; also a label of metrics."""

    OVERSIZED = "oversized"
    UNDECODABLE = "undecodable"
    UNSIGNED = "unsigned"
    """No signature of a key that is known here, or one that does not fit the text."""
    FOREIGN = "foreign"
    """Signed by one who may not send this, by another installation, or for another process."""
    MALFORMED = "malformed"
    """Signed by one who may, and not what such a text is."""


class BadMessageError(Exception):
    """A message that nothing of may be believed. `detail` is for the log and holds nothing of the message that could not be printed."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason.value)
        self.reason = reason
        self.detail = detail


class _Text(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    installation: Annotated[str, Field(pattern=INSTALLATION)]
    sender: Annotated[ProcessName, Field(alias="from")]


class ItemsText(_Text):
    """Settlement items of a table server. It is told their outcome under its own name."""

    type: Literal["xuezhan/items/1"]
    reply_to: ProcessName
    items: Annotated[list[Item], Field(min_length=1, max_length=MAX_BATCH_ITEMS)]


class OutcomesText(_Text):
    """What a worker settled of one table server's items, or was asked for again."""

    type: Literal["xuezhan/outcomes/1"]
    to: ProcessName
    tables: list[TableOutcome]


TextT = TypeVar("TextT", ItemsText, OutcomesText)


@dataclass(frozen=True)
class Author:
    """Signs what one process sends."""

    key: SigningKey
    installation: str
    name: str

    def items(self, items: Sequence[Item]) -> bytes:
        """Return the message of these items; their outcome comes back to this process."""
        about = {"reply_to": self.name, "items": [item.model_dump(mode="json") for item in items]}
        return self._sign("xuezhan/items/1", about)

    def outcomes(self, to: str, tables: Sequence[TableOutcome]) -> Iterator[bytes]:
        """Yield messages that hold these outcomes together, for the table server `to`."""
        for some in _portions(tables):
            yield self._sign("xuezhan/outcomes/1", {"to": to, "tables": some})

    def _sign(self, kind: str, about: dict[str, Any]) -> bytes:
        text = statements.compose({"type": kind, "installation": self.installation, "from": self.name, **about})
        signature = self.key.sign(text.encode()).hex()
        return statements.encode({"key_id": self.key.key_id, "signature": signature, "text": text}).encode()


def _portions(tables: Sequence[TableOutcome]) -> Iterator[list[dict[str, Any]]]:
    """Divide outcomes so that each portion fits into a text; a table's items may be divided, too."""
    some: list[dict[str, Any]] = []
    size = 0
    for table in tables:
        head = table.model_dump(mode="json", exclude={"items"}, exclude_defaults=True)
        rows: list[Any] = [item.model_dump(mode="json", exclude_defaults=True) for item in table.items]
        for row in rows or [None]:
            # Each row with its table's head: at most a little too much.
            added = _TABLE_BYTES + (0 if row is None else len(json.dumps(row, ensure_ascii=False).encode()))
            if some and size + added > MAX_TEXT_BYTES - _HEAD_BYTES:
                yield some
                some, size = [], 0
            size += added
            if not some or some[-1]["table"] != table.table:
                some.append({**head, "items": []})
            if row is not None:
                some[-1]["items"].append(row)
    if some:
        yield some


@dataclass(frozen=True)
class Reader:
    """Opens what one process receives. `name`: under which it is written to; None where anybody's messages may be for it."""

    trust: Trust
    name: str | None = None

    def items(self, message: bytes) -> ItemsText:
        """Open a message of items. Raises BadMessageError."""
        text = self._open(message, Role.TABLE, ItemsText)
        if text.reply_to != text.sender:
            raise BadMessageError(Reason.FOREIGN, f"from {text.sender}, to be answered to {text.reply_to}")
        return text

    def outcomes(self, message: bytes) -> OutcomesText:
        """Open a message of outcomes. Raises BadMessageError."""
        text = self._open(message, Role.WORKER, OutcomesText)
        if text.to != self.name:
            raise BadMessageError(Reason.FOREIGN, f"to {text.to}")
        return text

    def _open(self, message: bytes, role: Role, kind: type[TextT]) -> TextT:
        text = self._verified(message, role)
        try:
            statements.read(text)
            found = kind.model_validate_json(text, strict=True)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise BadMessageError(Reason.MALFORMED, f"{where}: {first['type']}") from None
        except ValueError as error:
            raise BadMessageError(Reason.MALFORMED, str(error)) from None
        if found.installation != self.trust.installation:
            raise BadMessageError(Reason.FOREIGN, f"of installation {found.installation}")
        return found

    def _verified(self, message: bytes, role: Role) -> str:
        """Return the text of a message that somebody of the role has signed."""
        if len(message) > MAX_MESSAGE_BYTES:
            raise BadMessageError(Reason.OVERSIZED)
        try:
            envelope = statements.read(message.decode())
        except ValueError as error:
            raise BadMessageError(Reason.UNDECODABLE, str(error)) from None
        if envelope.keys() != _FIELDS or not all(isinstance(value, str) for value in envelope.values()):
            raise BadMessageError(Reason.UNSIGNED, "no signed text")
        data = envelope["text"].encode()
        if len(data) > MAX_TEXT_BYTES:
            raise BadMessageError(Reason.OVERSIZED, "its text")
        owner = self.trust.find(envelope["key_id"])
        if owner is None or not owner.key.verifies(data, _signature(envelope["signature"])):
            raise BadMessageError(Reason.UNSIGNED, "no key of ours" if owner is None else f"not by {owner.name}")
        if owner.role is not role:
            raise BadMessageError(Reason.FOREIGN, f"signed by role {owner.role}")
        return str(envelope["text"])


def _signature(text: str) -> bytes:
    """Return the bytes of a signature in hex; none for anything else, which no key verifies."""
    if len(text) != 2 * SIGNATURE_BYTES or not text.isascii():
        return b""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
