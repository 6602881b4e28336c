"""Tokens between parts: for one role of one installation, for five minutes."""

import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest

from services.kit import compact, make_keys, part_tokens
from services.kit.callers import Caller, Callers
from services.kit.errors import PermissionDeniedError, ServiceError, UnauthenticatedError
from services.kit.keys import RoleKeys
from services.kit.part_tokens import OwnToken, Parts
from services.kit.roles import Role
from services.kit.signing import SigningKey
from services.kit.trust import Trust, TrustedKey
from tests.support.keyring import Keyring
from tests.support.studio import text_of

NOW = 1_800_000_000
MATCHMAKING, TABLE, WORKER = SigningKey.generate(), SigningKey.generate(), SigningKey.generate()
TRUST = Trust(
    installation="0123456789abcdef",
    keys=tuple(
        TrustedKey(name=name, role=role, public=key.public.raw.hex())
        for name, role, key in (
            ("matchmaking", Role.MATCHMAKING, MATCHMAKING),
            ("table", Role.TABLE, TABLE),
            ("worker", Role.WORKER, WORKER),
        )
    ),
)
GOOD: dict[str, Any] = {"iss": TRUST.installation, "sub": "matchmaking", "aud": "table", "iat": NOW, "exp": NOW + 300}
HEADER: dict[str, Any] = {"alg": "EdDSA", "kid": MATCHMAKING.key_id, "typ": "JWT"}


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    moment = [float(NOW)]
    monkeypatch.setattr(time, "time", lambda: moment[0])
    return moment


def own(key: SigningKey = MATCHMAKING, role: Role = Role.MATCHMAKING, installation: str = TRUST.installation) -> RoleKeys:
    return RoleKeys(role, role.value, key, Trust(installation=installation, keys=()), Path())


def raw(claims: Any, header: Any = None, key: SigningKey = MATCHMAKING) -> str:
    parts = [
        text_of((part if isinstance(part, str) else json.dumps(part)).encode()) for part in (HEADER if header is None else header, claims)
    ]
    return ".".join([*parts, text_of(key.sign(".".join(parts).encode()))])


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key != name}


def table() -> Callers:
    return Callers(Parts(TRUST, Role.TABLE), None)


def test_a_part_calls_another_under_its_name_and_role() -> None:
    token = part_tokens.make(own(), Role.TABLE)
    assert table().read(token) == Caller("matchmaking", Role.MATCHMAKING)
    assert table().read(token).expires_at == NOW + 300
    assert jwt.decode(token, options={"verify_signature": False}) == GOOD
    assert table().read(raw(GOOD)) == Caller("matchmaking", Role.MATCHMAKING)


TEXT = json.dumps(GOOD)
EARLIER = {"aud": "service", "sub": "matchmaking", "exp": NOW + 300}
BAD: dict[str, str] = {
    "unsigned": raw(GOOD).rpartition(".")[0] + ".",
    "no algorithm": raw(GOOD, {**HEADER, "alg": "none"}),
    "another's key": raw(GOOD, key=TABLE),
    "a stranger's key": raw(GOOD, {**HEADER, "kid": SigningKey.generate().key_id}, SigningKey.generate()),
    "a stranger's key that names itself": part_tokens.make(own(SigningKey.generate()), Role.TABLE),
    "another's name": raw({**GOOD, "sub": "worker"}),
    "another's key under its own name": raw(GOOD, {**HEADER, "kid": WORKER.key_id}, WORKER),
    "a role as a claim": raw({**GOOD, "sub": "worker", "role": "matchmaking"}, {**HEADER, "kid": WORKER.key_id}, MATCHMAKING),
    "another installation": raw({**GOOD, "iss": "fedcba9876543210"}),
    "no installation": raw(without("iss")),
    "a list as installation": raw({**GOOD, "iss": [TRUST.installation]}),
    "no name": raw(without("sub")),
    "no beginning": raw(without("iat")),
    "no end": raw(without("exp")),
    "too long a life": raw({**GOOD, "exp": NOW + 301}),
    "a day": raw({**GOOD, "exp": NOW + 86_400}),
    "an end before its beginning": raw({**GOOD, "iat": NOW + 20, "exp": NOW + 10}),
    "no life at all": raw({**GOOD, "iat": NOW + 10, "exp": NOW + 10}),
    "begins later": raw({**GOOD, "iat": NOW + 31, "exp": NOW + 331}),
    **{
        f"ends at {end}": raw(TEXT.replace(str(NOW + 300), end))
        for end in (
            "NaN",
            "Infinity",
            "1e999",
            "18e8",
            f"{NOW + 300}.0",
            f'"{NOW + 300}"',
            "true",
            "null",
            "[]",
            str(10**400),
            str(2**53 + 1),
        )
    },
    **{
        f"begins at {begins}": raw(TEXT.replace(f'"iat": {NOW}', f'"iat": {begins}'))
        for begins in ("NaN", "-Infinity", f"{NOW}.0", f'"{NOW}"', "false", "null", "-1")
    },
    "a claim twice": raw(TEXT[:-1] + f',"exp":{NOW + 200}}}'),
    "a key id twice": raw(GOOD, json.dumps(HEADER)[:-1] + f',"kid":"{MATCHMAKING.key_id}"}}'),
    "an extension": raw(GOOD, {**HEADER, "crit": ["b64"], "b64": False}),
    "the public key as a secret": jwt.encode(GOOD, MATCHMAKING.public.raw.hex(), "HS256", headers={"kid": MATCHMAKING.key_id}),
    "an earlier version's": jwt.encode(
        {"aud": "service", "sub": "matchmaking", "exp": NOW + 300}, "0" * 64, "HS256", headers={"kid": "k1"}
    ),
    "an earlier version's, signed well": raw({"aud": "service", "sub": "matchmaking", "exp": NOW + 300}),
    "nested too deep": raw("[" * 1200),
    "too long": raw({**GOOD, "more": "x" * 2000}),
}


@pytest.mark.parametrize("name", BAD)
def test_a_token_that_no_part_made_for_this_one_is_refused(name: str) -> None:
    callers = table()
    for _ in range(2):
        with pytest.raises(UnauthenticatedError) as caught:
            callers.read(BAD[name])
        assert caught.value.reason == "bad_token"


@pytest.mark.parametrize("audience", ["settlement", "matchmaking", "service", "", ["table"], ["service", "table"], None, 1, {"table": 1}])
def test_a_token_to_another_role_is_refused(audience: Any) -> None:
    with pytest.raises(PermissionDeniedError) as caught:
        table().read(raw({**GOOD, "aud": audience}))
    assert caught.value.reason == "wrong_audience"


def test_a_token_ends_when_it_says_however_often_it_was_used(now: list[float]) -> None:
    callers, token = table(), raw(GOOD)
    callers.read(token)
    now[0] += 299.9
    callers.read(token)
    now[0] = NOW + 300
    with pytest.raises(UnauthenticatedError, match="expired"):
        callers.read(token)


def test_a_clock_that_goes_before_ours_is_borne_with_and_one_that_is_far_ahead_is_not(now: list[float]) -> None:
    callers, token = table(), raw({**GOOD, "iat": NOW + 30, "exp": NOW + 330})
    callers.read(token)
    now[0] -= 1
    with pytest.raises(UnauthenticatedError, match="bad_token"):
        callers.read(token)


def test_a_key_that_is_trusted_no_more_speaks_for_nobody() -> None:
    left = Trust(installation=TRUST.installation, keys=TRUST.keys[1:])
    with pytest.raises(UnauthenticatedError):
        Callers(Parts(left, Role.TABLE), None).read(raw(GOOD))


def test_a_name_may_have_two_keys_while_they_are_changed() -> None:
    new = SigningKey.generate()
    second = TrustedKey(name="matchmaking", role=Role.MATCHMAKING, public=new.public.raw.hex())
    both = Trust(installation=TRUST.installation, keys=(*TRUST.keys, second))
    callers = Callers(Parts(both, Role.TABLE), None)
    for key in (MATCHMAKING, new):
        assert callers.read(part_tokens.make(own(key), Role.TABLE)).role is Role.MATCHMAKING


def test_a_part_makes_its_token_anew_when_half_of_its_time_is_over(now: list[float]) -> None:
    token = OwnToken(own(), Role.TABLE)
    first = token.current()
    now[0] += part_tokens.TTL_SECONDS / 2 - 1
    assert token.current() == first
    now[0] += 2
    assert token.current() != first


@pytest.mark.parametrize("seconds", [60, 3600])
def test_a_part_makes_its_token_anew_when_its_clock_is_set_back(now: list[float], seconds: int) -> None:
    """Nobody whose clock was right would take the one that it has."""
    token = OwnToken(own(), Role.TABLE)
    token.current()
    now[0] -= seconds
    assert table().read(token.current()).expires_at == now[0] + part_tokens.TTL_SECONDS


def test_players_and_parts_cannot_stand_in_for_one_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even with the claims of the other, under a key of their own; nor a seat token for either."""
    monkeypatch.undo()
    keys = Keyring(tmp_path / "secrets")
    callers, development, part = keys.callers(Role.TABLE), keys.development, keys.of(Role.MATCHMAKING)
    begins = int(time.time())
    as_part = {"iss": part.installation, "sub": part.name, "aud": "table", "iat": begins, "exp": begins + 300}
    as_player = {"iss": "xuezhan", "sub": "anna", "aud": "xuezhan", "exp": begins + 300}
    assert callers.read(keys.player("matchmaking")).is_player
    for token in (
        compact.compose(development.key_id, as_part, development.sign),
        compact.compose(part.key.key_id, as_player, part.key.sign),
        compact.compose(part.key.key_id, as_part, development.sign),
        compact.compose(development.key_id, as_player, part.key.sign),
        keys.seat("t", 0, "anna", begins + 300),
    ):
        with pytest.raises(ServiceError):
            callers.read(token)


def test_where_no_player_may_call_no_players_token_is_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    keys = Keyring(tmp_path / "secrets")
    callers = Callers(Parts(keys.of(Role.WORKER).trust, Role.WORKER), None)
    with pytest.raises(UnauthenticatedError):
        callers.read(keys.player("anna"))


def test_a_ring_shares_no_key_with_another() -> None:
    assert make_keys.new_ring().signing() != make_keys.new_ring().signing()
