"""Tokens with which one part of an installation calls another.

Law: a token is for one role of one installation, for five minutes at most; what its owner is follows from the trust file and from nothing
in the token.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Final

from services.kit import compact
from services.kit.errors import PermissionDeniedError, UnauthenticatedError
from services.kit.keys import RoleKeys
from services.kit.roles import Role
from services.kit.trust import Trust, TrustedKey

TTL_SECONDS: Final = 300
_AHEAD_SECONDS: Final = 30
"""How far the clock of the machine that made a token may go before ours."""
_REMEMBERED: Final = 1024


def make(keys: RoleKeys, audience: Role, now: float | None = None) -> str:
    """Make a token with which `keys` calls the role `audience`."""
    begins = int(time.time() if now is None else now)
    found = {"iss": keys.installation, "sub": keys.name, "aud": audience.value, "iat": begins, "exp": begins + TTL_SECONDS}
    return compact.compose(keys.key.key_id, found, keys.key.sign)


class OwnToken:
    """The token with which a part calls a role, made anew when half of its time is over."""

    def __init__(self, keys: RoleKeys, audience: Role) -> None:
        self._keys = keys
        self._audience = audience
        self._token = ""
        self._renew_at = 0.0

    def current(self) -> str:
        """Return a token that is good for at least a call."""
        now = time.time()
        # One that begins later was made before the clock was set back: nobody whose clock is right takes it.
        if not self._renew_at - TTL_SECONDS / 2 <= now < self._renew_at:
            self._token = make(self._keys, self._audience, now)
            self._renew_at = now + TTL_SECONDS / 2
        return self._token


class Parts:
    """Checks the tokens of other parts that call `role`."""

    def __init__(self, trust: Trust, role: Role) -> None:
        self._trust = trust
        self._role = role
        self._genuine = lru_cache(maxsize=_REMEMBERED)(self._check)

    def knows(self, key_id: object) -> bool:
        """Whether a token under this key is one of a part."""
        return isinstance(key_id, str) and self._trust.find(key_id) is not None

    def read(self, token: str) -> tuple[TrustedKey, int]:
        """Return whose token it is, and when it ends. Raises UnauthenticatedError; PermissionDeniedError for one to another role."""
        try:
            owner, begins, ends = self._genuine(token)
        except ValueError:
            raise UnauthenticatedError("bad_token") from None
        now = time.time()
        if begins > now + _AHEAD_SECONDS:
            raise UnauthenticatedError("bad_token")
        if ends <= now:
            raise UnauthenticatedError("expired")
        return owner, ends

    def _check(self, token: str) -> tuple[TrustedKey, int, int]:
        head = compact.header(token)
        kid = head.get("kid")
        owner = self._trust.find(kid) if isinstance(kid, str) else None
        if owner is None or head.get("alg") != "EdDSA":
            raise ValueError("kid: a stranger's")
        found = compact.signed_claims(token, owner.key.verifies)
        if found.get("iss") != self._trust.installation or found.get("sub") != owner.name:
            raise ValueError("iss, sub: another's")
        begins, ends = compact.whole_seconds(found, "iat"), compact.whole_seconds(found, "exp")
        if not 0 < ends - begins <= TTL_SECONDS:
            raise ValueError("exp: too long a life")
        if found.get("aud") != self._role.value:
            raise PermissionDeniedError("wrong_audience")
        return owner, begins, ends
