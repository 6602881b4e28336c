"""The keys of one role, read from its own folder and from no other.

`<secrets>/<role>/` holds `key.pem` (the role's Ed25519 key), `trust.json` (whom it believes) and, where players' tokens are checked,
`players.jwks`. The table servers' also holds `seats.json` (seat tokens), `deal.json` (seeds of hands) and `records/`: `key.pem` signs
statements and records, `public/` keeps the public half of every key that ever did.

Law: what was signed or dealt with a key can be checked only while the key is kept: one that is in use is missed at the start, not later.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from services.kit import key_files, trust
from services.kit.roles import Role
from services.kit.secrets import KeyRing, SecretsError
from services.kit.signing import PublicKey, SigningKey
from services.kit.trust import Trust

KEY: Final = "key.pem"
PLAYERS: Final = "players.jwks"
SEATS: Final = "seats.json"
DEAL: Final = "deal.json"
RECORDS: Final = "records"
PUBLIC: Final = "public"
DEVELOPMENT: Final = "development"
"""Folder of the key that makes players' tokens in development; no role's."""


@dataclass(frozen=True)
class RoleKeys:
    """What a role signs with and whom it believes."""

    role: Role
    name: str
    """The name under which others know the role's key."""
    key: SigningKey
    trust: Trust
    folder: Path

    @property
    def installation(self) -> str:
        """Return the installation's id."""
        return self.trust.installation


class RecordKeys:
    """The key that signs statements and records now, and the public halves of all that ever did."""

    def __init__(self, key: SigningKey, retired: Iterable[PublicKey] = ()) -> None:
        self._key = key
        self._public = {one.key_id: one for one in (key.public, *retired)}

    def signing(self) -> SigningKey:
        """Return the key that signs now."""
        return self._key

    def public(self) -> list[PublicKey]:
        """Return every public key, the one that signs now first."""
        return list(self._public.values())

    def find(self, key_id: str) -> PublicKey | None:
        """Return the public key of that id."""
        return self._public.get(key_id)

    def require(self, key_ids: Iterable[str]) -> None:
        """Check that the keys with which something was signed are all here. Raises SecretsError that names those that are missing."""
        _require("records/public", key_ids, self._public)


@dataclass(frozen=True)
class TableKeys(RoleKeys):
    """The keys of the table servers."""

    seats: KeyRing
    deal: KeyRing
    records: RecordKeys

    def require_deal(self, key_ids: Iterable[str]) -> None:
        """Check that the keys with which hands in play were dealt are all here. Raises SecretsError that names those that are missing."""
        _require(DEAL, key_ids, self.deal.keys)


def _require(where: str, key_ids: Iterable[str], known: Iterable[str]) -> None:
    missing = sorted(set(key_ids) - set(known))
    if missing:
        raise SecretsError(f"{where}: the keys {', '.join(missing)} are in use and not there: put them back")


def folder_of(secrets: Path, role: str) -> Path:
    """Return a role's folder: `secrets` itself, or the one of its name in it."""
    # os.path: it says no of what may not be looked at, where pathlib raises.
    return secrets if os.path.exists(secrets / KEY) and not os.path.exists(secrets / role) else secrets / role  # noqa: PTH110


def load(secrets: Path, role: Role) -> RoleKeys:
    """Read a role's keys. `secrets`: its folder, or the one that holds it. Raises SecretsError."""
    folder = folder_of(secrets, role)
    key_files.check_folder(folder)
    key = load_key(folder / KEY)
    known = trust.load(folder / trust.FILE)
    own = known.find(key.key_id)
    if own is None:
        raise SecretsError(f"secrets file {folder / KEY}: {trust.FILE} beside it does not know this key")
    if own.role != role:
        raise SecretsError(f"secrets file {folder / KEY}: it is the key of role {own.role}, and role {role} is needed")
    return RoleKeys(role, own.name, key, known, folder)


def load_table(secrets: Path) -> TableKeys:
    """Read the keys of the table servers. Raises SecretsError."""
    own = load(secrets, Role.TABLE)
    seats, deal = load_ring(own.folder / SEATS), load_ring(own.folder / DEAL)
    return TableKeys(own.role, own.name, own.key, own.trust, own.folder, seats, deal, _load_records(own.folder / RECORDS))


def load_ring(path: Path) -> KeyRing:
    """Read a key ring. Raises SecretsError."""
    try:
        return KeyRing.model_validate_json(key_files.read_secret(path))
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in wrong["loc"])
        raise SecretsError(f"secrets file {path}: {where or 'content'} is unusable: {wrong['msg']}") from None


def load_key(path: Path) -> SigningKey:
    """Read a private key. Raises SecretsError."""
    pem = key_files.read_secret(path)
    try:
        return SigningKey.from_pem(pem)
    except (ValueError, TypeError):
        # TypeError: it asks for a password.
        raise SecretsError(f"secrets file {path}: no Ed25519 private key in PEM, without a password") from None


def _load_records(folder: Path) -> RecordKeys:
    key_files.check_folder(folder)
    key = load_key(folder / KEY)
    found = [_load_public(path) for path in sorted((folder / PUBLIC).glob("*.pem"))]
    if key.key_id not in {one.key_id for one in found}:
        # Else it would be gone with the next one.
        raise SecretsError(f"secrets file {folder / KEY}: its public half is not in {PUBLIC}/: `xuezhan keys` puts it there")
    return RecordKeys(key, found)


def _load_public(path: Path) -> PublicKey:
    pem = key_files.read_public(path)
    try:
        return PublicKey.from_pem(pem)
    except ValueError:
        raise SecretsError(f"secrets file {path}: no Ed25519 public key in PEM") from None
