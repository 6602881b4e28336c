"""What a table server signs: texts about a hand, each made once (docs/rules/deal.md).

Law: a text is serialised when it is signed and never again. The journal keeps it, so that everybody is shown the same bytes at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from services.kit import statements
from services.kit.signing import SigningKey


class Signed(NamedTuple):
    """A statement as it is shown, stored and checked."""

    text: str
    signature: bytes
    key_id: str

    def in_row(self) -> dict[str, str]:
        """Return the statement as part of a row's body."""
        return {"statement": self.text, "signature": self.signature.hex(), "signer": self.key_id}


def from_row(body: Mapping[str, Any]) -> Signed | None:
    """Return the statement in a row's body; None for a row of a release without statements."""
    if "statement" not in body:
        return None
    return Signed(body["statement"], bytes.fromhex(body["signature"]), body["signer"])


@dataclass(slots=True, frozen=True)
class Signer:
    """The installation that a table server speaks for, and the record key by which that is known."""

    installation: str
    key: SigningKey

    def sign(self, value: Mapping[str, Any]) -> Signed:
        """Write a statement and sign it."""
        return self.sign_text(statements.encode(value))

    def sign_text(self, text: str) -> Signed:
        """Sign what was written."""
        return Signed(text, self.key.sign(text.encode()), self.key.key_id)
