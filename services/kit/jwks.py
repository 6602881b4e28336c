"""Public keys of players' tokens: a JSON Web Key Set (RFC 7517).

Law: only public keys, only EdDSA, ES256 and RS256, and the algorithm follows from the key. A set with anything else in it is unusable as a
whole: what of it would count could be read in two ways.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.utils import base64url_encode

from services.kit.signing import PublicKey

DEVELOPMENT: Final = "xuezhan_development"
"""Member of a key whose private half lies on a developer's machine."""
MAX_KEYS: Final = 64
_MAX_KID: Final = 128
_LEAST_RSA_BITS: Final = 2048
_LEAST_RSA_EXPONENT: Final = 65537
_ALGORITHMS: Final = {("OKP", "Ed25519"): "EdDSA", ("EC", "P-256"): "ES256", ("RSA", None): "RS256"}
"""Algorithm by `kty` and `crv`."""
_PRIVATE: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


class KeySetError(Exception):
    """The key set cannot be used; the message names the member that is wrong."""


def development_set(key: PublicKey) -> dict[str, Any]:
    """Return the set of a development key."""
    one = {"kty": "OKP", "crv": "Ed25519", "x": base64url_encode(key.raw).decode(), "kid": key.key_id, "alg": "EdDSA", "use": "sig"}
    return {"keys": [{**one, DEVELOPMENT: True}]}


def read(data: bytes, *, development: bool) -> dict[str, jwt.PyJWK]:
    """Return the keys of a set by their ids. Keys for encryption are passed over. Raises KeySetError.

    `development`: whether a development key may be in it.
    """
    rows = _rows(data)
    found: dict[str, jwt.PyJWK] = {}
    for place, row in enumerate(rows):
        where = f"keys[{place}]"
        if not isinstance(row, dict):
            raise KeySetError(f"{where}: not an object")
        if row.get("use") == "enc":
            continue
        kid = row.get("kid")
        if not isinstance(kid, str) or not 1 <= len(kid) <= _MAX_KID:
            raise KeySetError(f"{where}.kid: 1 to {_MAX_KID} characters are needed")
        if kid in found:
            raise KeySetError(f"{where}.kid: another key has it too")
        if DEVELOPMENT in row and not development:
            raise KeySetError(f"{where}: a development key, which only XUEZHAN_DEVELOPMENT=1 allows: anybody may have its private half")
        found[kid] = _key(where, row)
    if not found:
        raise KeySetError("keys: there is none that signs")
    return found


def _rows(data: bytes) -> list[Any]:
    try:
        whole = json.loads(data, object_pairs_hook=_each_name_once)
    except (ValueError, RecursionError) as error:
        raise KeySetError(f"not JSON: {error}" if not isinstance(error, RecursionError) else "not JSON: nested too deep") from None
    rows = whole.get("keys") if isinstance(whole, dict) else None
    if not isinstance(rows, list):
        raise KeySetError("keys: a list is needed")
    if len(rows) > MAX_KEYS:
        raise KeySetError(f"keys: at most {MAX_KEYS}")
    return rows


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _key(where: str, row: Mapping[str, Any]) -> jwt.PyJWK:
    kty, crv = row.get("kty"), row.get("crv")
    algorithm = _ALGORITHMS.get((kty, None if kty == "RSA" else crv)) if isinstance(kty, str) and isinstance(crv, str | None) else None
    if algorithm is None:
        raise KeySetError(f"{where}.kty: OKP with Ed25519, EC with P-256 or RSA is needed")
    if row.get("alg", algorithm) != algorithm:
        raise KeySetError(f"{where}.alg: {algorithm} is needed for such a key")
    if row.get("use", "sig") != "sig" or row.get("key_ops", ["verify"]) != ["verify"]:
        raise KeySetError(f"{where}.use: the key is not for checking signatures")
    if _PRIVATE & row.keys():
        raise KeySetError(f"{where}: it holds a private key, which belongs to nobody but the studio's backend")
    try:
        made = jwt.PyJWK(dict(row), algorithm)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError):
        raise KeySetError(f"{where}: no key of its kind") from None
    _check_strength(where, made.key)
    return made


def _check_strength(where: str, key: object) -> None:
    if isinstance(key, RSAPublicKey):
        if key.key_size < _LEAST_RSA_BITS:
            raise KeySetError(f"{where}: RSA of {key.key_size} bits, at least {_LEAST_RSA_BITS} are needed")
        if key.public_numbers().e < _LEAST_RSA_EXPONENT:
            raise KeySetError(f"{where}: an RSA exponent below {_LEAST_RSA_EXPONENT}")
    elif not isinstance(key, Ed25519PublicKey | EllipticCurvePublicKey):
        raise KeySetError(f"{where}: no public key")
