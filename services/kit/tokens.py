"""Signed tokens: who calls, and which seat he may play.

Three audiences that cannot stand in for one another: `player` (made by the studio's own backend; `xuezhan token` in development),
`service` (one part calling another) and `seat` (table, seat, player). All are JSON Web Tokens, HS256, with the key's id in the header.
"""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import jwt

from services.kit.errors import PermissionDeniedError, UnauthenticatedError
from services.kit.secrets import KeyRing

PLAYER_TTL_SECONDS = 24 * 3600
SERVICE_TTL_SECONDS = 300
SEAT_TTL_SECONDS = 3600
MAX_TOKEN_CHARS = 2048
_LATEST = 2.0**53
"""No moment that a token ends is later, in seconds since 1970: whole seconds are exact up to there."""


@dataclass(slots=True, frozen=True)
class Caller:
    """Who calls: a player by id, or a service by name."""

    subject: str
    is_service: bool
    expires_at: float = field(default=0.0, compare=False)
    """When the token ends, in seconds since 1970: a stream that outlives it must end too."""


@dataclass(slots=True, frozen=True)
class SeatPass:
    """The right to play one seat until `expires_at` (seconds since 1970)."""

    table: str
    seat: int
    player: str
    expires_at: float


def player_token(ring: KeyRing, player: str, ttl_seconds: float = PLAYER_TTL_SECONDS, now: float | None = None) -> str:
    """Make a player's token."""
    return _sign(ring, {"aud": "player", "sub": player}, ttl_seconds, now)


def service_token(ring: KeyRing, name: str, ttl_seconds: float = SERVICE_TTL_SECONDS, now: float | None = None) -> str:
    """Make a token with which the service `name` calls another."""
    return _sign(ring, {"aud": "service", "sub": name}, ttl_seconds, now)


class OwnToken:
    """The token with which a service calls others, made anew when half of its time is over."""

    def __init__(self, ring: KeyRing, name: str) -> None:
        self._ring = ring
        self._name = name
        self._token = ""
        self._renew_at = 0.0

    def current(self) -> str:
        """Return a token that is good for at least a call."""
        now = time.time()
        if now >= self._renew_at or now < self._renew_at - SERVICE_TTL_SECONDS:
            self._token = service_token(self._ring, self._name, now=now)
            self._renew_at = now + SERVICE_TTL_SECONDS / 2
        return self._token


def seat_token(ring: KeyRing, table: str, seat: int, player: str, expires_at: float) -> str:
    """Make the token of one seat at one table."""
    key_id, key = ring.signing()
    claims = {"aud": "seat", "sub": player, "table": table, "seat": seat, "exp": int(expires_at)}
    signed = f"{_our_header(key_id)}.{_text_of(json.dumps(claims, separators=(',', ':')).encode())}"
    return f"{signed}.{_text_of(hmac.digest(key, signed.encode(), 'sha256'))}"


def read_caller(ring: KeyRing, token: str) -> Caller:
    """Check a player or service token. Raises UnauthenticatedError; a seat token raises PermissionDeniedError."""
    claims = _decode(ring, token, ("player", "service"))
    return Caller(claims["sub"], claims["aud"] == "service", float(claims["exp"]))


def read_seat(ring: KeyRing, token: str) -> SeatPass:
    """Check a seat token. Raises UnauthenticatedError; a token of another audience raises PermissionDeniedError."""
    claims = _plain_seat(ring, token) or _decode(ring, token, ("seat",))
    table, seat = claims.get("table"), claims.get("seat")
    if not isinstance(table, str) or type(seat) is not int:
        raise UnauthenticatedError("bad_token")
    return SeatPass(table, seat, claims["sub"], float(claims["exp"]))


@lru_cache(maxsize=64)
def _our_header(key_id: str) -> str:
    return _text_of(json.dumps({"alg": "HS256", "kid": key_id, "typ": "JWT"}, separators=(",", ":")).encode())


@lru_cache(maxsize=64)
def _header(text: str) -> str | None:
    """Return the key id of a header that is exactly as ours are; None for any other."""
    try:
        header = json.loads(_bytes_of(text))
    except (ValueError, RecursionError):
        return None
    key_id = header.get("kid") if isinstance(header, dict) and header.keys() == {"alg", "kid", "typ"} else None
    return key_id if isinstance(key_id, str) and header["alg"] == "HS256" and header["typ"] == "JWT" else None


def _text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _plain_seat(ring: KeyRing, token: str) -> dict[str, Any] | None:
    """Return the claims of a seat token that is good in every way; None leaves it to the library to say what is wrong, if anything.

    Thousands of seats come back at once after a restart, and the library takes ten times as long.
    """
    if len(token) > MAX_TOKEN_CHARS or token.count(".") != 2 or not token.isascii():
        return None
    head, body, signature = token.split(".")
    key_id = _header(head)
    key = ring.key(key_id) if key_id is not None else None
    if key is None:
        return None
    expected = _text_of(hmac.digest(key, f"{head}.{body}".encode(), "sha256"))
    if not hmac.compare_digest(expected, signature):
        return None
    try:
        claims = json.loads(_bytes_of(body))
    except ValueError:
        return None
    good = (
        isinstance(claims, dict)
        and claims.keys() == {"aud", "sub", "table", "seat", "exp"}
        and claims["aud"] == "seat"
        and isinstance(claims["sub"], str)
        and claims["sub"] != ""
        and type(claims["exp"]) is int
        and time.time() < claims["exp"] <= _LATEST
    )
    return claims if good else None


def _sign(ring: KeyRing, claims: dict[str, Any], ttl_seconds: float, now: float | None) -> str:
    return _encode(ring, {**claims, "exp": int((time.time() if now is None else now) + ttl_seconds)})


def _encode(ring: KeyRing, claims: dict[str, Any]) -> str:
    key_id, key = ring.signing()
    return jwt.encode(claims, key, algorithm="HS256", headers={"kid": key_id})


def _decode(ring: KeyRing, token: str, audiences: tuple[str, ...]) -> Mapping[str, Any]:
    try:
        if len(token) > MAX_TOKEN_CHARS:
            raise UnauthenticatedError("bad_token")
        # The header of our own tokens is one of few, so that it is read once.
        key = ring.key(_header(token.partition(".")[0]) or str(jwt.get_unverified_header(token).get("kid", "")))
        if key is None:
            raise UnauthenticatedError("bad_token")
        claims = _genuine(token, key, audiences)
    except jwt.InvalidAudienceError:
        raise PermissionDeniedError("wrong_audience") from None
    except (jwt.InvalidTokenError, ValueError):
        raise UnauthenticatedError("bad_token") from None
    if not isinstance(claims["sub"], str) or not claims["sub"] or not isinstance(claims["exp"], int | float) or claims["exp"] > _LATEST:
        raise UnauthenticatedError("bad_token")
    if claims["exp"] <= time.time():
        raise UnauthenticatedError("expired")
    return claims


@lru_cache(maxsize=1024)
def _genuine(token: str, key: bytes, audiences: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the claims of a token that is genuine, though it may have expired. Services call with the same token for minutes."""
    options: Any = {"require": ["exp", "sub", "aud"], "verify_exp": False}
    return MappingProxyType(jwt.decode(token, key, algorithms=["HS256"], audience=list(audiences), options=options))
