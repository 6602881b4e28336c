"""Sets of public keys: what cannot be read in one way is refused as a whole, and naming where."""

import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from services.kit import jwks
from tests.support.studio import EC, ED, RSA, STRANGER, jwk, text_of


def _weak_exponent() -> dict[str, Any]:
    return jwk(rsa.generate_private_key(3, 2048), "k")


def _private(key: Any) -> dict[str, Any]:
    return {**json.loads(jwt.get_algorithm_by_name("EdDSA").to_jwk(key)), "kid": "k", "key_ops": ["verify"]}


UNUSABLE: dict[str, tuple[Any, str]] = {
    "no list": ({"keys": {}}, "keys"),
    "no keys": ({}, "keys"),
    "a list alone": ([], "keys"),
    "none": ({"keys": []}, "keys"),
    "only for encryption": ({"keys": [jwk(RSA, "k", use="enc")]}, "keys"),
    "too many": ({"keys": [jwk(ED, str(number)) for number in range(65)]}, "at most 64"),
    "no object": ({"keys": ["k"]}, r"keys\[0\]"),
    "a shared secret": ({"keys": [jwk(ED, "k"), {"kty": "oct", "kid": "s", "k": text_of(b"x" * 32)}]}, r"keys\[1\]\.kty"),
    "a shared secret with a public algorithm": ({"keys": [{"kty": "oct", "kid": "s", "alg": "EdDSA", "k": "AAAA"}]}, "kty"),
    "a short RSA key": ({"keys": [jwk(rsa.generate_private_key(65537, 1024), "k")]}, "1024 bits"),
    "a small RSA exponent": ({"keys": [_weak_exponent()]}, "exponent"),
    "a doubled id": ({"keys": [jwk(ED, "k"), jwk(STRANGER, "k")]}, r"keys\[1\]\.kid"),
    "no id": ({"keys": [{name: value for name, value in jwk(ED, "k").items() if name != "kid"}]}, "kid"),
    "an empty id": ({"keys": [jwk(ED, "")]}, "kid"),
    "a number as id": ({"keys": [{**jwk(ED, "k"), "kid": 1}]}, "kid"),
    "a long id": ({"keys": [jwk(ED, "k" * 129)]}, "kid"),
    "another curve": ({"keys": [{**jwk(EC, "k"), "crv": "P-384"}]}, "kty"),
    "X25519": ({"keys": [{**jwk(ED, "k"), "crv": "X25519"}]}, "kty"),
    "a list as kind": ({"keys": [{**jwk(ED, "k"), "kty": ["OKP"]}]}, "kty"),
    "a list as curve": ({"keys": [{**jwk(ED, "k"), "crv": ["Ed25519"]}]}, "kty"),
    "no kind": ({"keys": [{"kid": "k"}]}, "kty"),
    "a shared secret's algorithm": ({"keys": [jwk(RSA, "k", alg="HS256")]}, "alg"),
    "another algorithm": ({"keys": [jwk(RSA, "k", alg="RS512")]}, "alg"),
    "no algorithm": ({"keys": [jwk(RSA, "k", alg="none")]}, "alg"),
    "null as algorithm": ({"keys": [jwk(RSA, "k", alg=None)]}, "alg"),
    "for something else": ({"keys": [jwk(ED, "k", use="x")]}, "use"),
    "not for checking": ({"keys": [jwk(ED, "k", key_ops=["sign"])]}, "use"),
    "a number as use": ({"keys": [jwk(ED, "k", key_ops=5)]}, "use"),
    "a private key": ({"keys": [_private(ED)]}, "private"),
    "half a private key": ({"keys": [jwk(RSA, "k", p="AAAA")]}, "private"),
    "no point": ({"keys": [{**jwk(EC, "k"), "x": text_of(b"\1" * 32)}]}, "no key"),
    "too few bytes": ({"keys": [{**jwk(ED, "k"), "x": "AAAA"}]}, "no key"),
    "no bytes": ({"keys": [{name: value for name, value in jwk(ED, "k").items() if name != "x"}]}, "no key"),
    "a number as bytes": ({"keys": [{**jwk(ED, "k"), "x": 5}]}, "no key"),
    "no JSON": ("keys", "JSON"),
    "a name twice": ('{"keys":[],"keys":[]}', "twice"),
    "nested too deep": ("[" * 100_000, "deep"),
    "a development key": ({"keys": [jwk(ED, "k", xuezhan_development=True)]}, "XUEZHAN_DEVELOPMENT"),
    "a development key that says it is none": ({"keys": [jwk(ED, "k", xuezhan_development=False)]}, "XUEZHAN_DEVELOPMENT"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_set_that_could_be_read_in_two_ways_or_is_weak_is_refused_naming_where(name: str) -> None:
    content, why = UNUSABLE[name]
    with pytest.raises(jwks.KeySetError, match=why):
        jwks.read((content if isinstance(content, str) else json.dumps(content)).encode(), development=False)


def test_keys_for_encryption_are_passed_over() -> None:
    """Identity servers list theirs beside the others."""
    content = {"keys": [jwk(RSA, "k", use="enc", alg="RSA-OAEP"), jwk(ED, "s", use="sig", alg="EdDSA", key_ops=["verify"], x5t="x")]}
    assert list(jwks.read(json.dumps(content).encode(), development=False)) == ["s"]
