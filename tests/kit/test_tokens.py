import base64
import json
import time
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from services.kit import tokens
from services.kit.errors import PermissionDeniedError, ServiceError, UnauthenticatedError
from services.kit.secrets import KeyRing, generate

RING = generate().tokens
OTHERS = generate().tokens


def signed(claims: dict[str, Any], *, key: bytes | None = None, algorithm: str = "HS256", kid: str = "k1") -> str:
    return jwt.encode(claims, RING.signing()[1] if key is None else key, algorithm=algorithm, headers={"kid": kid})


def unsigned(claims: dict[str, Any]) -> str:
    parts = ({"alg": "none", "typ": "JWT", "kid": "k1"}, claims)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + "."


GOOD: dict[str, Any] = {"aud": "player", "sub": "anna", "exp": 4e9}


def test_a_token_says_who_calls() -> None:
    assert tokens.read_caller(RING, tokens.player_token(RING, "anna")) == tokens.Caller("anna", is_service=False)
    assert tokens.read_caller(RING, tokens.service_token(RING, "table")) == tokens.Caller("table", is_service=True)
    expires = time.time() + 60
    assert tokens.read_seat(RING, tokens.seat_token(RING, "m1", 3, "anna", expires)) == tokens.SeatPass("m1", 3, "anna", int(expires))


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("", "bad_token"),
        ("a.b.c", "bad_token"),
        ("x" * 3000, "bad_token"),
        ("\u4e2d.\u6587.\u5b57", "bad_token"),
        (tokens.player_token(OTHERS, "anna"), "bad_token"),
        (tokens.player_token(RING, "anna", ttl_seconds=-1), "expired"),
        (signed(GOOD, kid="k2"), "bad_token"),
        (signed(GOOD, algorithm="HS512"), "bad_token"),
        (unsigned(GOOD), "bad_token"),
        (signed({**GOOD, "sub": ""}), "bad_token"),
        (signed({**GOOD, "exp": "soon"}), "bad_token"),
        (signed({**GOOD, "exp": "9999999999"}), "bad_token"),
        (signed({**GOOD, "exp": 10**400}), "bad_token"),
        *((signed({key: value for key, value in GOOD.items() if key != missing}), "bad_token") for missing in ("exp", "sub")),
    ],
)
def test_a_token_that_is_missing_wrong_or_expired_is_refused(token: str, reason: str) -> None:
    with pytest.raises(UnauthenticatedError) as caught:
        tokens.read_caller(RING, token)
    assert caught.value.reason == reason


def test_the_three_audiences_cannot_stand_in_for_one_another() -> None:
    seat = tokens.seat_token(RING, "m1", 0, "anna", time.time() + 60)
    for read, token in (
        (tokens.read_caller, seat),
        (tokens.read_seat, tokens.player_token(RING, "anna")),
        (tokens.read_seat, tokens.service_token(RING, "table")),
    ):
        with pytest.raises(PermissionDeniedError):
            read(RING, token)


@pytest.mark.parametrize(
    "claims", [{}, {"table": 1, "seat": 0}, {"table": "m1", "seat": "0"}, {"table": "m1"}, {"table": "m1", "seat": True}]
)
def test_a_seat_token_names_table_and_seat(claims: dict[str, Any]) -> None:
    with pytest.raises(UnauthenticatedError):
        tokens.read_seat(RING, signed({**GOOD, "aud": "seat", **claims}))


def test_a_token_that_is_nested_too_deep_is_refused_like_any_other() -> None:
    """Anybody can send one: its header is read before its signature."""
    for opening in (b"[", b'{"a":'):
        head = base64.urlsafe_b64encode(opening * (1400 // len(opening))).rstrip(b"=").decode()
        for read in (tokens.read_caller, tokens.read_seat):
            with pytest.raises(UnauthenticatedError):
                read(RING, f"{head}.e30.{'x' * 43}")


def test_an_older_key_still_checks_and_the_newest_signs() -> None:
    turned = KeyRing(current="k2", keys={**RING.keys, "k2": SecretStr("x" * 64)})
    assert tokens.read_caller(turned, tokens.player_token(RING, "anna")).subject == "anna"
    assert jwt.get_unverified_header(tokens.player_token(turned, "anna"))["kid"] == "k2"
    with pytest.raises(UnauthenticatedError):
        tokens.read_caller(RING, tokens.player_token(turned, "anna"))


@given(st.text(max_size=200) | st.binary(max_size=100).map(lambda raw: base64.urlsafe_b64encode(raw).decode() + ".e30.x"))
def test_nothing_but_a_refusal_comes_of_nonsense(token: str) -> None:
    with pytest.raises(ServiceError):
        tokens.read_caller(RING, token)


def test_a_service_makes_its_token_anew_when_half_of_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    own = tokens.OwnToken(RING, "table")
    first = own.current()
    now[0] += tokens.SERVICE_TTL_SECONDS / 2 - 1
    assert own.current() == first
    now[0] += 2
    assert own.current() != first
    now[0] -= 10_000
    assert jwt.decode(own.current(), options={"verify_signature": False})["exp"] == int(now[0]) + tokens.SERVICE_TTL_SECONDS


def test_a_seat_token_is_read_the_same_way_by_the_short_path_and_by_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short path only ever says what the library would; everything else is left to it."""
    ring = generate().tokens
    later = time.time() + 60
    key = ring.key("k1")
    assert key is not None
    claims = {"aud": "seat", "sub": "ann", "table": "t", "seat": 1, "exp": int(later)}
    good = tokens.seat_token(ring, "t", 1, "ann", later)
    head, _, signature = good.split(".")
    cases = {
        "good": good,
        "expired": tokens.seat_token(ring, "t", 1, "ann", time.time() - 5),
        "another body": f"{head}.{base64.urlsafe_b64encode(json.dumps(claims | {'seat': 2}).encode()).decode().rstrip('=')}.{signature}",
        "unsigned": jwt.encode(claims, "", algorithm="none", headers={"kid": "k1"}),
        "another algorithm": jwt.encode(claims, key * 2, algorithm="HS512", headers={"kid": "k1"}),
        "another key": tokens.seat_token(generate().tokens, "t", 1, "ann", later),
        "an unknown key id": jwt.encode(claims, key, algorithm="HS256", headers={"kid": "k2"}),
        "a player's": tokens.player_token(ring, "ann"),
        "a fraction of a second": jwt.encode(claims | {"exp": later}, key, algorithm="HS256", headers={"kid": "k1"}),
        "more claims": jwt.encode(claims | {"iss": "x"}, key, algorithm="HS256", headers={"kid": "k1"}),
        "no seat": jwt.encode({name: value for name, value in claims.items() if name != "seat"}, key, headers={"kid": "k1"}),
        "no dots": "abc",
        "too many dots": good + ".x",
        "other letters": good[:-1] + "é",
    }

    def outcome(token: str) -> Any:
        try:
            return tokens.read_seat(ring, token)
        except ServiceError as error:
            return type(error), error.reason

    short = {name: outcome(token) for name, token in cases.items()}
    monkeypatch.setattr(tokens, "_plain_seat", lambda _ring, _token: None)
    assert short == {name: outcome(token) for name, token in cases.items()}
    assert short["good"] == tokens.SeatPass("t", 1, "ann", float(int(later)))
