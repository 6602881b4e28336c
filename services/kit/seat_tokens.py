"""Seat tokens: the right to play one seat of one table, made and checked by the table servers alone.

Thousands of seats come back at once after a restart: one keyed hash a token, and only texts that are exactly as ours are looked at.
"""

from __future__ import annotations

import base64
import hmac
import json
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from services.kit.compact import LATEST, MAX_TOKEN_CHARS
from services.kit.errors import UnauthenticatedError
from services.kit.secrets import KeyRing

TTL_SECONDS: Final = 3600
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(slots=True, frozen=True)
class SeatPass:
    """The right to play one seat until `expires_at` (seconds since 1970)."""

    table: str
    seat: int
    player: str
    expires_at: float


def make(ring: KeyRing, table: str, seat: int, player: str, expires_at: float) -> str:
    """Make the token of one seat at one table."""
    key_id, key = ring.signing()
    claims = {"aud": "seat", "sub": player, "table": table, "seat": seat, "exp": int(expires_at)}
    signed = f"{_our_header(key_id)}.{_text_of(_encode(claims).encode())}"
    return f"{signed}.{_signature(key, signed)}"


def read(ring: KeyRing, token: str) -> SeatPass:
    """Check a seat token. Raises UnauthenticatedError.

    One under a key that is used no more has `expired` too: its player has a fresh one by the ticket.
    """
    head, body, signature = _parts(token)
    key_id = _key_id(head)
    if key_id is None:
        raise UnauthenticatedError("bad_token")
    key = ring.key(key_id)
    if key is None:
        raise UnauthenticatedError("expired")
    claims = _genuine(key, head, body, signature)
    if claims is None:
        raise UnauthenticatedError("bad_token")
    if claims["exp"] <= time.time():
        raise UnauthenticatedError("expired")
    return SeatPass(claims["table"], claims["seat"], claims["sub"], float(claims["exp"]))


@lru_cache(maxsize=64)
def _our_header(key_id: str) -> str:
    return _text_of(_encode({"alg": "HS256", "kid": key_id, "typ": "JWT"}).encode())


@lru_cache(maxsize=16)
def _keyed(key: bytes) -> hmac.HMAC:
    return hmac.new(key, digestmod="sha256")


def _signature(key: bytes, signed: str) -> str:
    # A copy is keyed already, and does not let go of the interpreter as `hmac.digest` does, which costs more than the hash.
    one = _keyed(key).copy()
    one.update(signed.encode())
    return _text_of(one.digest())


def _text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@lru_cache(maxsize=64)
def _key_id(head: str) -> str | None:
    """Return the key id of a header that is exactly as ours are; None for any other."""
    try:
        key_id = json.loads(_bytes_of(head))["kid"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    return key_id if isinstance(key_id, str) and _our_header(key_id) == head else None


def _parts(token: str) -> list[str]:
    if len(token) > MAX_TOKEN_CHARS or token.count(".") != 2 or not token.isascii():
        raise UnauthenticatedError("bad_token")
    return token.split(".")


def _genuine(key: bytes, head: str, body: str, signature: str) -> dict[str, Any] | None:
    """Return the claims of a token that is one of ours, though it may have expired."""
    if not hmac.compare_digest(_signature(key, f"{head}.{body}"), signature):
        return None
    try:
        claims = json.loads(_bytes_of(body))
    except (ValueError, RecursionError):
        return None
    good = (
        isinstance(claims, dict)
        and claims.keys() == {"aud", "sub", "table", "seat", "exp"}
        and claims["aud"] == "seat"
        and isinstance(claims["sub"], str)
        and claims["sub"] != ""
        and isinstance(claims["table"], str)
        and type(claims["seat"]) is int
        and type(claims["exp"]) is int
        and claims["exp"] <= LATEST
    )
    return claims if good else None
