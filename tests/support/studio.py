"""A studio with its own keys: what it signs, and what others might sign in its name."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

ED, EC, RSA = ed25519.Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
KEYS: dict[str, Any] = {"EdDSA": ED, "ES256": EC, "RS256": RSA}
STRANGER = ed25519.Ed25519PrivateKey.generate()
GOOD: dict[str, Any] = {"iss": "studio", "aud": "xuezhan", "sub": "anna", "exp": 4_000_000_000}


def jwk(key: Any, kid: str, **more: Any) -> dict[str, Any]:
    kinds = {ed25519.Ed25519PrivateKey: "EdDSA", ec.EllipticCurvePrivateKey: "ES256", rsa.RSAPrivateKey: "RS256"}
    algorithm = jwt.get_algorithm_by_name(next(name for kind, name in kinds.items() if isinstance(key, kind)))
    return {**json.loads(algorithm.to_jwk(key.public_key())), "kid": kid, **more}


SET = {"keys": [jwk(key, name) for name, key in KEYS.items()]}


def signed(claims: dict[str, Any], algorithm: str = "EdDSA", *, key: Any = None, kid: Any = None, **header: Any) -> str:
    return jwt.encode(claims, key or KEYS[algorithm], algorithm, headers={"kid": algorithm if kid is None else kid, **header})


def text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def raw(claims: str | bytes, header: str | bytes = '{"alg":"EdDSA","kid":"EdDSA"}') -> str:
    """A token with exactly this header and these claims, truly signed."""
    parts = [text_of(part.encode() if isinstance(part, str) else part) for part in (header, claims)]
    return ".".join([*parts, text_of(ED.sign(".".join(parts).encode()))])
