"""Players' tokens: made by the studio's own backend, checked here with its public keys alone.

Law: nothing here can make one. A token counts until its `exp`, however often it was checked before; a key set that becomes unusable leaves
the last usable one in force and raises an alarm.
"""

from __future__ import annotations

import os
import re
import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import jwt

from services.kit import compact, jwks, key_files, logs
from services.kit.errors import PermissionDeniedError, UnauthenticatedError
from services.kit.names import is_reserved
from services.kit.secrets import SecretsError

log = logs.get(__name__)

PLAYER: Final = re.compile(r"[A-Za-z0-9_.:@-]{1,64}")
_REMEMBERED: Final = 4096
"""Tokens that are known to be genuine. A check takes some 0.1 ms; a player calls with the same token again and again."""
_LOOK_SECONDS: Final = 1.0
_EARLY_SECONDS: Final = 30
"""How far the studio's clock may go before ours."""
_Stamp = tuple[int, int, int]


class Players:
    """Checks players' tokens with the keys of one file, which is read again when it changes."""

    def __init__(self, path: Path, issuer: str, audience: str, *, development: bool = False) -> None:
        """Read the file. Raises SecretsError."""
        self._broken = False
        self._path = path
        self._issuer = issuer
        self._audience = audience
        self._development = development
        self._stamp = _stamp(path)
        self._checked = _Checked(self._read(), issuer, audience)
        self._look_at = 0.0
        self._turn = threading.Lock()

    def read(self, token: str) -> tuple[str, int]:
        """Return the player of a token, and when it ends. Raises UnauthenticatedError; PermissionDeniedError for another audience."""
        self.look()
        try:
            player, ends = self._checked.read(token)
        except ValueError:
            raise UnauthenticatedError("bad_token") from None
        if ends <= time.time():
            raise UnauthenticatedError("expired")
        return player, ends

    def unusable(self) -> bool:
        """Whether the file as it is now cannot be used; the keys before are in force."""
        self.look()
        return self._broken

    def look(self) -> None:
        """Read the file again if it is another one, at most once a second."""
        if time.monotonic() < self._look_at or not self._turn.acquire(blocking=False):
            return
        try:
            self._look_at = time.monotonic() + _LOOK_SECONDS
            stamp = _stamp(self._path)
            if stamp != self._stamp:
                self._stamp = stamp
                self._reload()
        finally:
            self._turn.release()

    def _reload(self) -> None:
        try:
            self._checked = _Checked(self._read(), self._issuer, self._audience)
        except SecretsError as error:
            self._broken = True
            log.warning("player_keys_unusable", why=str(error), still="the keys before")
        else:
            self._broken = False
            log.info("player_keys_read", path=str(self._path))

    def _read(self) -> dict[str, jwt.PyJWK]:
        if _stamp(self._path) is None:
            raise SecretsError(f"players' keys {self._path}: not there; it is the JSON Web Key Set with the studio's public keys")
        data = key_files.read_public(self._path)
        try:
            return jwks.read(data, development=self._development)
        except jwks.KeySetError as error:
            raise SecretsError(f"players' keys {self._path}: {error}") from None


class _Checked:
    """The tokens that were found genuine under one set of keys. With another set they are all checked anew."""

    def __init__(self, keys: dict[str, jwt.PyJWK], issuer: str, audience: str) -> None:
        self._keys = keys
        self._issuer = issuer
        self._audience = audience
        self.read = lru_cache(maxsize=_REMEMBERED)(self._check)

    def _check(self, token: str) -> tuple[str, int]:
        kid = compact.header(token).get("kid")
        key = self._keys.get(kid) if isinstance(kid, str) else None
        if key is None:
            raise ValueError("kid: no such key")
        found = compact.claims(token, key)
        if found.get("iss") != self._issuer:
            raise ValueError("iss: another issuer")
        player, ends = found.get("sub"), compact.whole_seconds(found, "exp")
        if not isinstance(player, str) or not PLAYER.fullmatch(player):
            raise ValueError("sub: no player's id")
        _begun(found.get("nbf", 0))
        if not self._is_for_us(found.get("aud")):
            raise PermissionDeniedError("wrong_audience")
        if is_reserved(player):
            raise PermissionDeniedError("reserved_name", f"player: {player} is a reserved name")
        return player, ends

    def _is_for_us(self, audience: Any) -> bool:
        return audience == self._audience or (isinstance(audience, list) and self._audience in audience)


def _begun(value: Any) -> None:
    if type(value) not in {int, float} or value > time.time() + _EARLY_SECONDS:
        raise ValueError("nbf: not yet")


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - through links: a mounted secret is changed by changing a link
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
