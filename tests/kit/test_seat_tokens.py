"""Seat tokens: one seat of one table, under a ring that only table servers have."""

import hmac
import json
import time
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from services.kit import make_keys, seat_tokens
from services.kit.errors import UnauthenticatedError
from services.kit.seat_tokens import SeatPass
from services.kit.secrets import KeyRing
from tests.support.studio import ED, text_of

RING = KeyRing(current="k1", keys={"k1": SecretStr("1" * 64)})
SAME_NAME = KeyRing(current="k1", keys={"k1": SecretStr("2" * 64)})
LATER = int(time.time()) + 3600
CLAIMS: dict[str, Any] = {"aud": "seat", "sub": "anna", "table": "t", "seat": 1, "exp": LATER}
GOOD = seat_tokens.make(RING, "t", 1, "anna", LATER)
HEAD, BODY, SIGNATURE = GOOD.split(".")


def ours(claims: Any, header: str = '{"alg":"HS256","kid":"k1","typ":"JWT"}') -> str:
    """A token truly signed with a key of the ring, with whatever is in it."""
    signed = f"{text_of(header.encode())}.{text_of((claims if isinstance(claims, str) else json.dumps(claims)).encode())}"
    return f"{signed}.{text_of(hmac.digest(b'1' * 64, signed.encode(), 'sha256'))}"


def test_a_token_says_which_seat_of_which_table_and_whose_until_when() -> None:
    assert seat_tokens.read(RING, GOOD) == SeatPass("t", 1, "anna", float(LATER))
    assert seat_tokens.read(RING, ours(CLAIMS)) == SeatPass("t", 1, "anna", float(LATER))


BAD: dict[str, str] = {
    "nothing": "",
    "no token": "abc",
    "too long": "x" * 3000,
    "other letters": GOOD[:-1] + "é",
    "four parts": GOOD + ".x",
    "no signature": f"{HEAD}.{BODY}.",
    "another signature": f"{HEAD}.{BODY}.{'A' * 43}",
    "another body": f"{HEAD}.{text_of(json.dumps({**CLAIMS, 'seat': 2}).encode())}.{SIGNATURE}",
    "another key of that name": seat_tokens.make(SAME_NAME, "t", 1, "anna", LATER),
    "unsigned": jwt.encode(CLAIMS, "", "none", headers={"kid": "k1"}),
    "another digest": jwt.encode(CLAIMS, "1" * 64, "HS512", headers={"kid": "k1"}),
    "a header in another order": ours(CLAIMS, '{"kid":"k1","alg":"HS256","typ":"JWT"}'),
    "no algorithm": ours(CLAIMS, '{"alg":"none","kid":"k1","typ":"JWT"}'),
    "a number as key id": ours(CLAIMS, '{"alg":"HS256","kid":1,"typ":"JWT"}'),
    "a list as key id": ours(CLAIMS, '{"alg":"HS256","kid":["k1"],"typ":"JWT"}'),
    "no key id": ours(CLAIMS, '{"alg":"HS256","typ":"JWT"}'),
    "a header that is a list": ours(CLAIMS, "[]"),
    "a public key's signature": jwt.encode(CLAIMS, ED, "EdDSA", headers={"kid": "k1"}),
    "a header nested too deep": f"{text_of(b'[' * 1200)}.{BODY}.{SIGNATURE}",
    "claims nested too deep": ours("[" * 1200),
    "claims that are a list": ours("[]"),
    "claims that are no JSON": ours("{x"),
    "another audience": ours({**CLAIMS, "aud": "player"}),
    "a list as audience": ours({**CLAIMS, "aud": ["seat"]}),
    "one claim more": ours({**CLAIMS, "iss": "x"}),
    **{f"no {name}": ours({key: value for key, value in CLAIMS.items() if key != name}) for name in CLAIMS},
    **{f"the seat {seat!r}": ours({**CLAIMS, "seat": seat}) for seat in ("1", True, 1.0, None, [1])},
    **{f"the player {player!r}": ours({**CLAIMS, "sub": player}) for player in ("", None, 7, ["anna"])},
    **{f"the table {table!r}": ours({**CLAIMS, "table": table}) for table in (None, 7, ["t"])},
    **{
        f"ends at {end}": ours(json.dumps(CLAIMS).replace(str(LATER), end))
        for end in ("NaN", "Infinity", "1e999", f"{LATER}.0", f'"{LATER}"', "true", "null", str(2**53 + 1), str(10**400))
    },
}


@pytest.mark.parametrize("name", BAD)
def test_a_token_that_no_table_server_made_is_refused(name: str) -> None:
    with pytest.raises(UnauthenticatedError) as caught:
        seat_tokens.read(RING, BAD[name])
    assert caught.value.reason == "bad_token"


def test_a_token_whose_time_or_whose_key_is_over_is_told_so_that_its_player_asks_for_another() -> None:
    """The ring of earlier versions is used no more: a client with its token looks at the ticket as after any end."""
    for ring, token in (
        (RING, seat_tokens.make(RING, "t", 1, "anna", time.time() - 1)),
        (make_keys.new_ring(), GOOD),
        (KeyRing(current="k2", keys={"k2": SecretStr("3" * 64)}), GOOD),
    ):
        with pytest.raises(UnauthenticatedError) as caught:
            seat_tokens.read(ring, token)
        assert caught.value.reason == "expired"


def test_an_older_key_still_checks_and_the_newest_signs() -> None:
    turned = KeyRing(current="k2", keys={**RING.keys, "k2": SecretStr("3" * 64)})
    assert seat_tokens.read(turned, GOOD).player == "anna"
    assert jwt.get_unverified_header(seat_tokens.make(turned, "t", 1, "anna", LATER))["kid"] == "k2"


NONSENSE = st.text(max_size=200) | st.binary(max_size=100).map(lambda data: f"{text_of(data)}.e30.x")


@given(NONSENSE | st.binary().map(lambda data: f"{HEAD}.{text_of(data)}.x"))
def test_nothing_but_a_refusal_comes_of_nonsense(token: str) -> None:
    with pytest.raises(UnauthenticatedError):
        seat_tokens.read(RING, token)
