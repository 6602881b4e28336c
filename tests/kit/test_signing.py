"""Signatures, trust and signed texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from services.kit import statements, trust
from services.kit.roles import Role
from services.kit.signing import PublicKey, SigningKey, key_id_of


def test_a_signature_fits_its_key_and_its_bytes_alone() -> None:
    key, other = SigningKey.generate(), SigningKey.generate()
    signature = key.sign(b"deal")
    assert key.public.verifies(b"deal", signature)
    assert not key.public.verifies(b"Deal", signature)
    assert not other.public.verifies(b"deal", signature)
    assert not key.public.verifies(b"deal", signature[:-1])


def test_a_key_survives_its_file_and_keeps_its_id() -> None:
    key = SigningKey.generate()
    again, public = SigningKey.from_pem(key.pem()), PublicKey.from_pem(key.public.pem())
    assert again.key_id == public.key_id == key.key_id == key_id_of(key.public.raw)
    assert len(key.key_id) == 16


def test_a_key_of_another_kind_is_refused() -> None:
    curve = ec.generate_private_key(ec.SECP256R1())
    large = rsa.generate_private_key(65537, 2048)
    for private in (curve, large):
        with pytest.raises(ValueError, match="Ed25519"):
            SigningKey.from_pem(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        with pytest.raises(ValueError, match="Ed25519"):
            PublicKey.from_pem(private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))


def test_a_key_does_not_show_itself() -> None:
    key = SigningKey.generate()
    secret = key.pem().decode().splitlines()[1]
    assert secret not in repr(key) + str(key)


def _trust_file(folder: Path, *keys: dict[str, str]) -> Path:
    path = folder / "trust.json"
    path.write_text(json.dumps({"installation": "0123456789abcdef", "keys": list(keys)}))
    return path


def test_a_trusted_key_is_found_by_its_id_with_its_role(tmp_path: Path) -> None:
    key = SigningKey.generate()
    believed = trust.load(_trust_file(tmp_path, {"name": "table", "role": "table", "public": key.public.raw.hex()}))
    found = believed.find(key.key_id)
    assert found is not None
    assert found.role is Role.TABLE
    assert believed.find(SigningKey.generate().key_id) is None


def test_one_key_cannot_stand_for_two_roles(tmp_path: Path) -> None:
    public = SigningKey.generate().public.raw.hex()
    rows = [{"name": role, "role": role, "public": public} for role in ("table", "cashier")]
    with pytest.raises(trust.TrustError, match="keys"):
        trust.load(_trust_file(tmp_path, *rows))


@pytest.mark.parametrize("row", [{"role": "king"}, {"public": "00"}, {"name": "a/b"}, {"secret": "x"}])
def test_an_unusable_trust_file_names_what_is_wrong(tmp_path: Path, row: dict[str, str]) -> None:
    good = {"name": "table", "role": "table", "public": SigningKey.generate().public.raw.hex()}
    with pytest.raises(trust.TrustError, match=r"trust\.json: keys\.0"):
        trust.load(_trust_file(tmp_path, {**good, **row}))


def test_a_composed_text_is_sorted_and_read_back() -> None:
    text = statements.compose({"b": [None, "张", 2**53 - 1], "a": -1})
    assert text == '{"a":-1,"b":[null,"张",9007199254740991]}'
    assert statements.read(text) == {"a": -1, "b": [None, "张", 2**53 - 1]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a":1,"a":1}', "twice"),
        ('{"a":{"b":1,"b":2}}', "twice"),
        ('{"a":1.0}', "whole"),
        ('{"a":1e3}', "whole"),
        ('{"a":NaN}', "whole"),
        ('{"a":-Infinity}', "whole"),
        ('{"a":9007199254740992}', "beyond"),
        ('{"a":-9007199254740992}', "beyond"),
        ('{"a":' + "9" * 5000 + "}", "beyond"),
        ('{"a":"\\ud800"}', "half"),
        ('{"\\udc00":1}', "half"),
        ("[1]", "object"),
        ("null", "object"),
        ("", "Expecting"),
        ("[" * 100_000, "deep"),
    ],
)
def test_a_text_that_two_programs_could_read_differently_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        statements.read(text)


def test_a_fraction_is_not_composed() -> None:
    with pytest.raises(ValueError, match="whole"):
        statements.compose({"a": 0.5})
    with pytest.raises(ValueError, match="compliant"):
        statements.compose({"a": float("nan")})
