"""Signed texts: statements of a table server and hand records, as whoever receives them reads them.

Law: the bytes that were received are verified first and parsed afterwards. Nothing is read that two programs could read differently: no
doubled names, no fractions, no NaN, no integer beyond 2^53 - 1, no half of a character.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

LARGEST: Final = 2**53 - 1
_LONGEST: Final = len(str(-LARGEST))
_PEM: Final = re.compile(rb"-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----", re.DOTALL)


class PublicKey:
    """An Ed25519 key that verifies. `key_id` is what signatures name it by."""

    __slots__ = ("_key", "key_id")

    def __init__(self, raw: bytes) -> None:
        """ValueError for what is no Ed25519 public key."""
        self._key = Ed25519PublicKey.from_public_bytes(raw)
        self.key_id = hashlib.sha256(raw).hexdigest()[:16]

    def verifies(self, data: bytes, signature: bytes) -> bool:
        """Whether the signature is this key's over exactly these bytes."""
        try:
            self._key.verify(signature, data)
        except InvalidSignature:
            return False
        return True


def keys_in(pem: bytes) -> list[PublicKey]:
    """Return the public keys of a PEM text, one or more. ValueError if there is none, or one of another kind."""
    found = [_key_of(block) for block in _PEM.findall(pem)]
    if not found:
        raise ValueError("no PEM public key")
    return found


def _key_of(block: bytes) -> PublicKey:
    key = serialization.load_pem_public_key(block)
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("not an Ed25519 public key")
    return PublicKey(key.public_bytes_raw())


def digest(text: str) -> str:
    """Return the SHA-256 of a text in hex, by which statements and records name one another."""
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(value: Mapping[str, Any]) -> bytes:
    """Return the one text of a JSON object: names in order, no spaces, characters as themselves.

    ValueError says what no signed text may hold.
    """
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        encoded = text.encode()
    except RecursionError:
        raise ValueError("nested too deep") from None
    except UnicodeEncodeError:
        raise ValueError("half a character") from None
    read(text)
    return encoded


def read(text: str) -> dict[str, Any]:
    """Read a signed text. ValueError says what no such text may hold."""
    try:
        found = json.loads(text, object_pairs_hook=_each_name_once, parse_float=_no_fraction, parse_constant=_no_fraction, parse_int=_whole)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    if "\\u" in text:
        try:
            # Escapes of plain letters can spell half a character, so what was read is looked at.
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half a character") from None
    return found


def same(one: object, other: object) -> bool:
    """Whether two JSON values are the same: 1, 1.0 and true are not."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    return type(one) is type(other) and one == other


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no whole number")


def _whole(text: str) -> int:
    if len(text) > _LONGEST or abs(int(text)) > LARGEST:
        raise ValueError(f"{text[:20]} is beyond 2^53 - 1")
    return int(text)
