"""Players' tokens: made with the studio's private key, checked with its public keys, whatever the token says of itself."""

import hashlib
import hmac
import json
import os
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from hypothesis import given
from hypothesis import strategies as st

from services.kit import jwks, players
from services.kit.errors import PermissionDeniedError, ServiceError, UnauthenticatedError
from services.kit.players import Players
from services.kit.secrets import SecretsError
from tests.support.studio import ED, GOOD, KEYS, RSA, SET, STRANGER, jwk, raw, signed, text_of


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "players.jwks"
    path.write_text(json.dumps(SET))
    return path


@pytest.fixture
def studio(file: Path) -> Players:
    return Players(file, "studio", "xuezhan")


def reason(reader: Players, token: str) -> str:
    with pytest.raises(ServiceError) as caught:
        reader.read(token)
    assert isinstance(caught.value, PermissionDeniedError if caught.value.reason == "wrong_audience" else UnauthenticatedError)
    return caught.value.reason


@pytest.mark.parametrize("algorithm", KEYS)
def test_a_token_of_the_studio_says_who_plays(studio: Players, algorithm: str) -> None:
    for claims in (
        GOOD,
        {**GOOD, "aud": ["shop", "xuezhan"], "iat": 1.5, "nbf": int(time.time()), "name": "安娜", "x": {"y": [0.5, None]}},
    ):
        assert studio.read(signed(claims, algorithm)) == ("anna", 4_000_000_000)


PUBLIC_TEXTS = {
    "PEM": RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
    "DER": RSA.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo),
    "JWK": json.dumps(SET["keys"][2]).encode(),
    "raw": ED.public_key().public_bytes_raw(),
}


def confused(secret: bytes, kid: str) -> str:
    """Signed with what everybody knows, as if it were a shared secret."""
    parts = [text_of(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": kid}, GOOD)]
    return ".".join([*parts, text_of(hmac.digest(secret, ".".join(parts).encode(), "sha256"))])


def unsigned(alg: str) -> str:
    return ".".join([*(text_of(json.dumps(part).encode()) for part in ({"alg": alg, "kid": "EdDSA"}, GOOD)), ""])


CLAIMS = json.dumps(GOOD)
EARLIER = {
    "a player's of earlier versions": {"aud": "player", "sub": "anna", "exp": 4_000_000_000},
    "a service's of earlier versions": {"aud": "service", "sub": "matchmaking", "exp": 4_000_000_000},
    "a list with service": {"aud": ["service"], "sub": "anna", "exp": 4_000_000_000},
    "a list with player": {"aud": ["player"], "sub": "anna", "exp": 4_000_000_000},
}
BAD: dict[str, str] = {
    "nothing": "",
    "no token": "abc",
    "no parts": "a.b.c",
    "four parts": signed(GOOD) + ".x",
    "other letters": "中.文.字",
    "too long": "x" * 3000,
    "a good one that is too long": signed({**GOOD, "name": "x" * 2000}),
    "unsigned": unsigned("none"),
    "unsigned, written otherwise": unsigned("nOnE"),
    "no signature": signed(GOOD).rpartition(".")[0] + ".",
    "a changed signature": signed(GOOD)[:-6] + "AAAAAA",
    "another's key": signed(GOOD, key=STRANGER),
    "an unknown key id": signed(GOOD, kid="k1"),
    "no key id": jwt.encode(GOOD, ED, "EdDSA"),
    "an empty key id": signed(GOOD, kid=""),
    "a path as key id": signed(GOOD, kid="../../dev/null"),
    "a list as key id": raw(CLAIMS, '{"alg":"EdDSA","kid":["EdDSA"]}'),
    "a number as key id": raw(CLAIMS, '{"alg":"EdDSA","kid":0}'),
    "an object as key id": raw(CLAIMS, '{"alg":"EdDSA","kid":{"EdDSA":1}}'),
    "two key ids": raw(CLAIMS, '{"alg":"EdDSA","kid":"x","kid":"EdDSA"}'),
    "the key in the header": signed(GOOD, key=STRANGER, kid="own", jwk=jwk(STRANGER, "own")),
    "an address of keys in the header": signed(GOOD, key=STRANGER, kid="own", jku="http://127.0.0.1/keys"),
    "another key's algorithm": signed(GOOD, "ES256", kid="EdDSA"),
    "an algorithm that is not the key's": signed(GOOD, "RS256", kid="RS256").replace(
        text_of(b'{"alg":"RS256"'), text_of(b'{"alg":"PS256"')
    ),
    "RSA with another digest": jwt.encode(GOOD, RSA, "RS512", headers={"kid": "RS256"}),
    "RSA with another padding": jwt.encode(GOOD, RSA, "PS256", headers={"kid": "RS256"}),
    "no algorithm": raw(CLAIMS, '{"kid":"EdDSA"}'),
    "a list as algorithm": raw(CLAIMS, '{"alg":["EdDSA"],"kid":"EdDSA"}'),
    "an extension": raw(CLAIMS, '{"alg":"EdDSA","kid":"EdDSA","crit":["exp"],"exp":1}'),
    "claims that are not encoded": raw(CLAIMS, '{"alg":"EdDSA","kid":"EdDSA","b64":false,"crit":["b64"]}'),
    "a header that is a list": raw(CLAIMS, "[]"),
    "a header nested too deep": raw(CLAIMS, "[" * 1200),
    "a header of another encoding": raw(CLAIMS, '{"alg":"EdDSA","kid":"EdDSA"}'.encode("utf-16")),
    "claims of another encoding": raw(CLAIMS.encode("utf-16")),
    "claims that are a list": raw("[]"),
    "claims that are no JSON": raw("{x"),
    "claims nested too deep": raw("[" * 1200),
    "claims that are compressed": raw(b"x\x9c" + CLAIMS.encode(), '{"alg":"EdDSA","kid":"EdDSA","zip":"DEF"}'),
    "a claim that stands twice": raw(CLAIMS[:-1] + ',"sub":"bela"}'),
    "another issuer": signed({**GOOD, "iss": "other"}),
    "no issuer": signed({name: value for name, value in GOOD.items() if name != "iss"}),
    "a list as issuer": raw(json.dumps({**GOOD, "iss": ["studio"]})),
    "no player": signed({name: value for name, value in GOOD.items() if name != "sub"}),
    **{
        f"the player {player!r}": raw(json.dumps({**GOOD, "sub": player}))
        for player in ("", " ", "a b", "x" * 65, "anna\n", "安娜", "../anna", None, 7, True, ["anna"], {"anna": 1})
    },
    "no end": signed({name: value for name, value in GOOD.items() if name != "exp"}),
    **{
        f"ends at {end}": raw(CLAIMS.replace("4000000000", end))
        for end in (
            *("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "4e9", "4000000000.0", "4000000000.5", '"4000000000"', "true", "null"),
            *("[]", "{}", "-1", str(2**53 + 1), str(10**400), str(10**1200), "04000000000", "4_000_000_000"),
        )
    },
    **{
        f"begins at {begins}": raw(CLAIMS[:-1] + f',"nbf":{begins}}}')
        for begins in ("NaN", "Infinity", "1e999", "true", '"0"', "null", "3999999999")
    },
    **{f"the public key ({name}) as a secret": confused(secret, "RS256") for name, secret in PUBLIC_TEXTS.items()},
    **{f"the public key ({name}) as a secret, of Ed25519": confused(secret, "EdDSA") for name, secret in PUBLIC_TEXTS.items()},
    "an empty secret": confused(b"", "EdDSA"),
    **{name: jwt.encode(claims, "0" * 64, "HS256", headers={"kid": "k1"}) for name, claims in EARLIER.items()},
    **{f"{name}, signed well": raw(json.dumps(claims)) for name, claims in EARLIER.items()},
}


@pytest.mark.parametrize("name", BAD)
def test_a_token_that_is_not_the_studios_word_is_refused(studio: Players, name: str) -> None:
    assert reason(studio, BAD[name]) == "bad_token"
    # Nor does it count after a good one, or a second time.
    studio.read(signed(GOOD))
    assert reason(studio, BAD[name]) == "bad_token"


@pytest.mark.parametrize(
    "audience", ["shop", "", "player", ["shop"], ["service"], [], [["xuezhan"]], {"xuezhan": 1}, None, 1, True, "xuezhan "]
)
def test_a_token_for_somebody_else_is_refused(studio: Players, audience: Any) -> None:
    assert reason(studio, raw(json.dumps({**GOOD, "aud": audience}))) == "wrong_audience"


def test_a_token_counts_until_its_end_however_often_it_was_used(studio: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    token = signed({**GOOD, "exp": 1010})
    assert studio.read(token) == studio.read(token) == ("anna", 1010)
    now[0] = 1009.9
    studio.read(token)
    now[0] = 1010
    assert reason(studio, token) == "expired"


def test_tokens_that_are_remembered_are_bounded(studio: Players) -> None:
    for number in range(50):
        studio.read(signed({**GOOD, "sub": f"p{number}"}))
    info = studio._checked.read.cache_info()
    assert (info.currsize, info.maxsize) == (50, players._REMEMBERED)


def test_a_genuine_token_is_checked_once(studio: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    token = signed(GOOD)
    studio.read(token)
    monkeypatch.setattr("services.kit.compact.claims", None)
    assert studio.read(token) == ("anna", 4_000_000_000)


@given(st.text(max_size=200) | st.binary(max_size=100).map(lambda data: f"{text_of(data)}.e30.x"))
def test_nothing_but_a_refusal_comes_of_nonsense(token: str) -> None:
    checked = players._Checked({}, "studio", "xuezhan")
    with pytest.raises(ValueError, match=r"."):
        checked.read(token)


# The file of keys.


def changed(file: Path, content: Any) -> None:
    """Put another file in its place, as secret stores do."""
    other = file.with_name("other")
    other.write_text(content if isinstance(content, str) else json.dumps(content))
    other.replace(file)


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to when the file is looked at again."""
    began = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: began + 10)


def test_another_set_of_keys_counts_when_it_is_there_and_the_one_before_no_longer(
    studio: Players, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = signed(GOOD), signed(GOOD, key=STRANGER, kid="new")
    studio.read(old)
    assert reason(studio, new) == "bad_token"
    changed(file, {"keys": [jwk(STRANGER, "new")]})
    later(monkeypatch)
    assert studio.read(new) == ("anna", 4_000_000_000)
    assert reason(studio, old) == "bad_token"
    assert not studio.unusable()


def test_a_key_that_takes_anothers_id_does_not_inherit_its_tokens(studio: Players, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = signed(GOOD)
    studio.read(old)
    changed(file, {"keys": [jwk(STRANGER, "EdDSA")]})
    later(monkeypatch)
    assert reason(studio, old) == "bad_token"


SHARED = {"kty": "oct", "k": "AAAA", "kid": "x"}


@pytest.mark.parametrize("content", ["", "{", '{"keys":[]}', {"keys": [jwk(ED, "EdDSA", d="AAAA")]}, {"keys": [SHARED]}])
def test_a_set_that_cannot_be_used_leaves_the_one_before_in_force_and_is_alarmed(
    studio: Players, file: Path, monkeypatch: pytest.MonkeyPatch, content: Any
) -> None:
    changed(file, content)
    later(monkeypatch)
    assert studio.unusable()
    assert studio.read(signed(GOOD)) == ("anna", 4_000_000_000)
    changed(file, SET)
    later(monkeypatch)
    assert not studio.unusable()


def test_a_file_that_is_gone_leaves_the_keys_in_force_and_is_alarmed(studio: Players, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.unlink()
    later(monkeypatch)
    assert studio.unusable()
    studio.read(signed(GOOD))


def test_a_link_that_points_elsewhere_is_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is how a mounted secret is changed."""
    for name, key in (("one", ED), ("two", STRANGER)):
        (tmp_path / name).write_text(json.dumps({"keys": [jwk(key, "k")]}))
        os.utime(tmp_path / name, (1000, 1000))
    link = tmp_path / "players.jwks"
    link.symlink_to("one")
    studio = Players(link, "studio", "xuezhan")
    studio.read(signed(GOOD, kid="k"))
    link.unlink()
    link.symlink_to("two")
    later(monkeypatch)
    studio.read(signed(GOOD, key=STRANGER, kid="k"))


def test_an_unusable_file_at_the_start_is_named_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "players.jwks"
    with pytest.raises(SecretsError, match=r"players\.jwks: not there.*JSON Web Key Set"):
        Players(path, "studio", "xuezhan")
    path.write_text("{")
    with pytest.raises(SecretsError, match=r"players\.jwks: not JSON"):
        Players(path, "studio", "xuezhan")
    path.write_text(json.dumps(SET))
    path.chmod(0o666)
    with pytest.raises(SecretsError, match="chmod go-w"):
        Players(path, "studio", "xuezhan")


def test_no_two_of_the_bad_tokens_are_the_same_and_each_differs_from_a_good_one() -> None:
    """The table is worth what its rows are."""
    assert len(set(BAD.values())) == len(BAD)
    assert hashlib.sha256(raw(CLAIMS).encode()).digest() not in {hashlib.sha256(token.encode()).digest() for token in BAD.values()}
    assert players._Checked(jwks.read(json.dumps(SET).encode(), development=False), "studio", "xuezhan").read(raw(CLAIMS)) == (
        "anna",
        4_000_000_000,
    )
