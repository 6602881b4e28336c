"""Somebody with a stolen folder of keys, and everything that they can make of it."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from services.kit import keys, seat_tokens
from services.kit.roles import Role
from services.kit.secrets import KeyRing, SecretsError
from services.kit.signing import SigningKey
from services.kit.trust import Trust
from tests.support.studio import text_of


class Thief:
    """Knows what is in one folder or file, and what anybody can ask the servers for."""

    def __init__(self, stolen: Path, installation: str) -> None:
        files = [stolen] if stolen.is_file() else [path for path in stolen.rglob("*") if path.is_file()]
        self.installation = installation
        self.keys: list[SigningKey] = []
        self.rings: list[KeyRing] = []
        self.trust = Trust(installation=installation, keys=())
        self.known_ids: list[str] = []
        for path in files:
            self._take(path.read_bytes())

    def _take(self, data: bytes) -> None:
        if b"PRIVATE" in data:
            self.keys.append(SigningKey.from_pem(data))
            return
        try:
            found = json.loads(data)
        except ValueError:
            return
        if "installation" in found:
            self.trust = Trust.model_validate(found)
        elif isinstance(found.get("keys"), list):
            self.known_ids += [one["kid"] for one in found["keys"]]
        elif "current" in found:
            self.rings.append(KeyRing.model_validate(found))
        else:
            # The file of earlier versions: several rings.
            self.rings += [KeyRing.model_validate(ring) for ring in found.values()]

    def forged(self, claims: Mapping[str, Any], whose: str = "") -> Iterator[str]:
        """These claims under every key, with every way to name a key that might be believed; `whose`: only keys of this name."""
        trusted = [one for one in self.trust.keys if whose in {"", one.name}]
        ids = [*(one.key.key_id for one in trusted), *self.known_ids]
        for key in self.keys:
            for key_id in (key.key_id, *ids):
                yield _token({"alg": "EdDSA", "kid": key_id, "typ": "JWT"}, claims, key.sign)
        for ring in self.rings:
            for key_id in (ring.current, *ids):
                yield _token({"alg": "HS256", "kid": key_id, "typ": "JWT"}, claims, _mac(ring.signing()[1]))
        for one in trusted:
            for secret in (one.key.raw, one.key.pem(), one.public.encode()):
                yield _token({"alg": "HS256", "kid": one.key.key_id, "typ": "JWT"}, claims, _mac(secret))

    def as_parts(self, called: Role) -> Iterator[str]:
        """Tokens of every role, for calling one."""
        now = int(time.time())
        for name in map(str, Role):
            yield from self.forged({"iss": self.installation, "sub": name, "aud": called.value, "iat": now, "exp": now + 300}, name)
            # As earlier versions made them.
            yield from self.forged({"aud": "service", "sub": name, "exp": now + 300}, name)

    def as_player(self, player: str) -> Iterator[str]:
        """Tokens of a player."""
        later = int(time.time()) + 3600
        yield from self.forged({"iss": "xuezhan", "aud": "xuezhan", "sub": player, "exp": later})
        yield from self.forged({"aud": "player", "sub": player, "exp": later})

    def as_seat(self, table: str, seat: int, player: str) -> Iterator[str]:
        """Tokens of a seat."""
        later = time.time() + 3600
        yield from (seat_tokens.make(ring, table, seat, player, later) for ring in self.rings)
        yield from self.forged({"aud": "seat", "sub": player, "table": table, "seat": seat, "exp": int(later)})


def _mac(secret: bytes) -> Callable[[bytes], bytes]:
    return lambda data: hmac.digest(secret, data, "sha256")


def _token(header: Mapping[str, Any], claims: Mapping[str, Any], sign: Any) -> str:
    signed = ".".join(text_of(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    return f"{signed}.{text_of(sign(signed.encode()))}"


def record_key(stolen: Path) -> bool:
    """Whether the folder holds what signs records."""
    try:
        return bool(keys.load_table(stolen).records.signing())
    except SecretsError:
        return False
