"""Which ids players may have."""

import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import OKPAlgorithm
from pydantic import TypeAdapter, ValidationError

from services.kit import items
from services.kit.errors import PermissionDeniedError
from services.kit.names import KnownPlayerId, PlayerId
from services.kit.players import Players

RESERVED = [
    "bot",
    "Bot",
    "BOT",
    "bots",
    "house",
    "house:bots",
    "House:Bots",
    "outside",
    "escrow:m:0",
    "pool:t",
    "wallet:ann",
    "simulate",
    "bot:1",
]
FREE = ["ann", "bob@example.com", "robot", "bot-1", "bot.ann", "houses", "guest:7", "my:bot", "pools", "x" * 64]


@pytest.mark.parametrize("name", RESERVED)
def test_names_of_bots_of_the_house_and_of_accounts_are_no_players(name: str) -> None:
    with pytest.raises(ValidationError, match="reserved"):
        TypeAdapter(PlayerId).validate_python(name)


@pytest.mark.parametrize("name", FREE)
def test_other_names_may_be_players(name: str) -> None:
    assert TypeAdapter(PlayerId).validate_python(name) == name


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "安娜", "bоt", "ann\n", "ann/1"])
def test_what_is_no_id_at_all_is_none_of_a_known_player_either(name: str) -> None:
    """The о of the fifth is Cyrillic."""
    for kind in (PlayerId, KnownPlayerId):
        with pytest.raises(ValidationError):
            TypeAdapter(kind).validate_python(name)


@pytest.mark.parametrize("name", RESERVED)
def test_who_had_such_a_name_before_is_seated_and_paid_to_the_end(name: str) -> None:
    body: Any = items.OpenBody(room="crazy_xuezhan/mayou", seats=[items.SeatHolder(seat=0, player=name)])
    assert items.BODY.validate_json(items.canonical(body)) == body


def test_a_token_with_a_reserved_name_is_refused_and_says_so(tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    public = OKPAlgorithm.to_jwk(key.public_key(), as_dict=True) | {"kid": "studio", "alg": "EdDSA", "use": "sig"}
    file = tmp_path / "players.jwks"
    file.write_text(json.dumps({"keys": [public]}))
    reader = Players(file, "studio", "xuezhan")

    def token(name: str) -> str:
        claims = {"iss": "studio", "aud": "xuezhan", "sub": name, "exp": int(time.time()) + 60}
        return jwt.encode(claims, key, algorithm="EdDSA", headers={"kid": "studio"})

    assert reader.read(token("robot"))[0] == "robot"
    for name in RESERVED:
        with pytest.raises(PermissionDeniedError, match="reserved") as caught:
            reader.read(token(name))
        assert caught.value.reason == "reserved_name"
