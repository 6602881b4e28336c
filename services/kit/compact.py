"""The compact form of signed tokens (RFC 7515), read strictly: header and claims before and after the signature is checked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

import jwt
from jwt.utils import base64url_decode, base64url_encode

from services.kit.strict_json import read_object

MAX_TOKEN_CHARS: Final = 2048
LATEST: Final = 2**53
"""No moment that a token ends is later, in seconds since 1970."""
_JWS: Final = jwt.PyJWS()


def header(token: str) -> dict[str, Any]:
    """Return a token's header, not yet proven. ValueError for what is no token."""
    if len(token) > MAX_TOKEN_CHARS or token.count(".") != 2 or not token.isascii():
        raise ValueError("not a token")
    found = _object(base64url_decode(token.partition(".")[0]))
    if "crit" in found or "b64" in found:
        raise ValueError("a header that changes what the token means")
    return found


def claims(token: str, key: jwt.PyJWK) -> dict[str, Any]:
    """Check a token's signature, with the key's own algorithm, and return its claims. ValueError if it is not by this key."""
    try:
        payload = _JWS.decode(token, key)
    except jwt.PyJWTError as error:
        raise ValueError(str(error)) from None
    return _object(payload)


def compose(key_id: str, found: Mapping[str, Any], sign: Callable[[bytes], bytes]) -> str:
    """Return a token of these claims, signed with an Ed25519 key."""
    parts = ({"alg": "EdDSA", "kid": key_id, "typ": "JWT"}, found)
    signed = b".".join(base64url_encode(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
    return f"{signed.decode()}.{base64url_encode(sign(signed)).decode()}"


def signed_claims(token: str, verifies: Callable[[bytes, bytes], bool]) -> dict[str, Any]:
    """Check a token's Ed25519 signature and return its claims. ValueError if it is not by this key."""
    signed, _, signature = token.rpartition(".")
    if not verifies(signed.encode(), base64url_decode(signature)):
        raise ValueError("not signed by this key")
    return _object(base64url_decode(signed.partition(".")[2]))


def whole_seconds(found: dict[str, Any], name: str) -> int:
    """Return a claim that is a moment in whole seconds. ValueError for anything else."""
    value = found.get(name)
    if type(value) is not int or not 0 <= value <= LATEST:
        raise ValueError(f"{name}: whole seconds are needed")
    return value


def _object(data: bytes) -> dict[str, Any]:
    return read_object(data.decode(), parse_constant=_no_number, parse_float=_number)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:20]} is too large")
    return value
