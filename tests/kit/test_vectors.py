"""The parts' own signed texts against the vectors for programs in any language (tests/vectors/)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.kit import statements
from services.kit.signing import PublicKey, SigningKey

VECTORS = Path(__file__).parent.parent / "vectors"


def vectors(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text())


def signing_key() -> SigningKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return SigningKey(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vectors("keys")[0]["private"])))


def test_a_part_signs_as_the_vectors_do() -> None:
    key, texts = signing_key(), [*vectors("statements")["good"], {**vectors("broker"), "statement": vectors("broker")["text"]}]
    for signed in texts:
        assert statements.compose(statements.read(signed["statement"])) == signed["statement"]
        assert key.sign(signed["statement"].encode()).hex() == signed["signature"]
        assert key.key_id == signed["key_id"]
    assert [PublicKey.from_pem(one["pem"].encode()).key_id for one in vectors("keys")] == [one["key_id"] for one in vectors("keys")]


def test_a_part_writes_a_record_as_the_vectors_do() -> None:
    record = vectors("record")
    read = statements.read(record["line"])
    assert statements.compose(read) == record["line"]
    del read["signature"]
    assert statements.compose(read) == record["canonical"]
    assert statements.compose(record["odd"]["value"]) == record["odd"]["canonical"]


@pytest.mark.parametrize("text", vectors("texts")["refused"], ids=lambda text: text[:24])
def test_a_part_reads_no_text_that_two_programs_could_read_differently(text: str) -> None:
    with pytest.raises(ValueError):
        statements.read(text)


@pytest.mark.parametrize("text", vectors("texts")["taken"])
def test_a_part_reads_any_other_object(text: str) -> None:
    assert statements.read(text) == json.loads(text)
