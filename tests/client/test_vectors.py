"""The client's own deal and its reading of signed texts against the vectors for programs in any language (tests/vectors/)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from xuezhan.client import deal, signed
from xuezhan.client.acts import card_name, tile_name
from xuezhan.client.signed import PublicKey, keys_in

VECTORS = Path(__file__).parent.parent / "vectors"


def vectors(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text())


KEYS = vectors("keys")
STATEMENTS = vectors("statements")


@pytest.mark.parametrize("case", vectors("deal")["hands"], ids=lambda case: f"{case['game']} {case['players']} {case['hand']}")
def test_the_clients_own_deal_is_that_of_the_vectors(case: dict[str, Any]) -> None:
    given = tuple(None if one is None else bytes.fromhex(one) for one in case["contributions"])
    dealt = deal.deal(case["deck"], bytes.fromhex(case["seed"]), case["table"], case["hand"], given)
    name = card_name if case["deck"] == "cards" else tile_name
    assert [name(number) for number in dealt.wall] == case["wall"]
    assert [[name(number) for number in dealt.block(seat)] for seat in range(case["players"])] == case["tiles"]
    if case["dealer_from"] == "draw":
        assert dealt.dealer() == case["dealer"]
    if "shift" in case:
        assert dealt.shift(len(case["exchanging"]), dealer_drawn=case["dealer_from"] == "draw") == case["shift"]
    if case["deck"] == "cards":
        assert (dealt.shown(), dealt.leader()) == (case["shown"], case["leader"])
    assert deal.deck_of(case["game"], case["options"]) == case["deck"]


@pytest.mark.parametrize("case", vectors("deal")["uniform"], ids=str)
def test_words_that_would_favour_some_numbers_are_passed_over(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal, "_word", lambda _key, index: case["words"][index])
    assert deal._uniform(b"", 0, case["n"]) == (case["is"], len(case["words"]))


@pytest.mark.parametrize(
    "given", [(b"seed", (None,), "mps"), (bytes(32), (b"short",), "mps"), (bytes(32), (None,), "mmp"), (bytes(32), (None,), "")]
)
def test_what_cannot_be_dealt_is_refused(given: tuple[bytes, tuple[bytes | None, ...], str]) -> None:
    seed, contributions, deck = given
    with pytest.raises(ValueError):
        deal.deal(deck, seed, "t", 1, contributions)


def test_a_game_that_the_client_does_not_know_has_no_deck() -> None:
    assert deal.deck_of("another", {}) == ""


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key["key_id"])
def test_a_key_is_known_by_the_first_16_digits_of_its_hash(key: dict[str, str]) -> None:
    assert PublicKey(bytes.fromhex(key["public"])).key_id == key["key_id"]
    assert [one.key_id for one in keys_in(key["pem"].encode())] == [key["key_id"]]


def test_a_file_may_hold_several_keys_and_words_between_them() -> None:
    text = "record keys\n" + "\n".join(key["pem"] for key in KEYS)
    assert [one.key_id for one in keys_in(text.encode())] == [key["key_id"] for key in KEYS]
    for wrong in (b"", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"):
        with pytest.raises(ValueError):
            keys_in(wrong)


def holds(statement: dict[str, str]) -> bool:
    keys = {key.key_id: key for one in KEYS[:1] for key in keys_in(one["pem"].encode())}
    key = keys.get(statement["key_id"])
    return key is not None and key.verifies(statement["statement"].encode(), bytes.fromhex(statement["signature"]))


def test_statements_are_verified_as_the_bytes_that_were_received() -> None:
    assert [holds(statement) for statement in STATEMENTS["good"]] == [True, True]
    assert {statement["why"]: holds(statement) for statement in STATEMENTS["bad"]} == {one["why"]: False for one in STATEMENTS["bad"]}


def test_a_broker_message_is_verified_by_its_text() -> None:
    message = vectors("broker")
    assert holds({**message, "statement": message["text"]})
    assert signed.read(message["text"])["type"] == "xuezhan/items/1"


def test_a_record_is_verified_by_its_canonical_text_without_the_signature() -> None:
    record = vectors("record")
    read = signed.read(record["line"])
    signature = read.pop("signature")
    assert signed.canonical(read).decode() == record["canonical"]
    assert holds({"key_id": signature["key_id"], "signature": signature["value"], "statement": record["canonical"]})


def test_a_canonical_text_has_the_characters_themselves_and_no_escape_that_json_does_not_need() -> None:
    odd = vectors("record")["odd"]
    assert signed.canonical(odd["value"]).decode() == odd["canonical"]
    assert "\\u2028" not in odd["canonical"]


@pytest.mark.parametrize("text", [*vectors("texts")["refused"], "[" * 100_000], ids=lambda text: text[:24])
def test_a_text_that_two_programs_could_read_differently_is_not_read(text: str) -> None:
    with pytest.raises(ValueError):
        signed.read(text)


@pytest.mark.parametrize("text", vectors("texts")["taken"])
def test_any_other_object_is_read(text: str) -> None:
    assert signed.read(text) == json.loads(text)


@pytest.mark.parametrize("value", [{"a": 1.0}, {"a": float("nan")}, {"a": 2**53}, {"a": "\ud800"}])
def test_what_no_signed_text_may_hold_has_no_canonical_text(value: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        signed.canonical(value)


def test_a_value_that_is_nested_too_deep_has_no_canonical_text() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="too deep"):
        signed.canonical({"a": deep})


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (1, 1.0), ("1", 1), ([], {}), (None, 0)])
def test_values_that_python_takes_for_one_another_are_told_apart(one: object, other: object) -> None:
    assert not signed.same(one, other)
    assert signed.same({"b": [one], "a": other}, {"a": other, "b": [one]})
