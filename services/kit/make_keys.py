"""Making the folders of keys of an installation, one a role, and dividing the one file that earlier versions shared among them.

Law: nothing that is there is made anew. Whatever interrupts it, beginning again completes it; two that start together agree.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from services.kit import jwks, key_files, keys, trust
from services.kit.roles import Role
from services.kit.secrets import KeyRing, SecretsError
from services.kit.signing import SigningKey
from services.kit.trust import Trust, TrustedKey

OLD: Final = "keys.json"
_DIVIDED: Final = ".divided"
_CHECKS_PLAYERS: Final = (Role.MATCHMAKING, Role.TABLE, Role.SETTLEMENT)
_RING_BYTES: Final = 32


class _OldSecrets(BaseModel):
    """The file of earlier versions. Of its rings only `deal` is of use: hands in play were dealt with it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: KeyRing
    items: KeyRing
    deal: KeyRing


@dataclass
class Made:
    """What is being made, and what is to be said of it."""

    folder: Path
    said: list[str] = field(default_factory=list)
    """A line about each thing that was done."""
    divided: str = ""
    """The line about the file of an earlier version."""
    deal: KeyRing | None = None
    """The ring of an earlier version."""


def make(folder: Path, *, development: bool, old: Sequence[Path] = ()) -> Made:
    """Make what is missing of an installation's folders of keys, and return what was done.

    `development`: also make a key for players' tokens, for machines that no player reaches. `old`: where a file of an earlier version may
    be; the first that is there is divided. Raises SecretsError.
    """
    try:
        with key_files.locked(folder):
            made = Made(folder)
            path = next((path for path in old if path.is_file()), None)
            if path is not None:
                made.deal = _read_old(path).deal
            _make(made, development=development)
            if path is not None:
                done = path.with_name(f"{path.name}{_DIVIDED}")
                path.rename(done)
                key_files.sync_folder(path.parent)
                made.divided = f"{path}: divided: the deal keys are the table servers' alone now, all others are new; kept as {done.name}"
                made.said.append(made.divided)
            return made
    except OSError as error:
        raise SecretsError(f"secrets folder {error.filename or folder}: {error.strerror}") from error


def new_ring() -> KeyRing:
    """Make a ring of one fresh key."""
    key_id = secrets.token_hex(4)
    return KeyRing(current=key_id, keys={key_id: SecretStr(secrets.token_hex(_RING_BYTES))})


def _make(made: Made, *, development: bool) -> None:
    folder = made.folder
    for role in Role:
        if not (folder / role).exists():
            key_files.write_folder(folder / role, _files(role, made.deal))
            made.said.append(f"{folder / role}: made")
        elif role is Role.TABLE and made.deal is not None:
            _add_deal_keys(folder / role / keys.DEAL, made.deal)
    if development and not (folder / keys.DEVELOPMENT).exists():
        key_files.write_folder(folder / keys.DEVELOPMENT, {keys.KEY: SigningKey.generate().pem()})
        made.said.append(f"{folder / keys.DEVELOPMENT}: made: its key makes players' tokens, for development only")
    _keep_record_key(made)
    _tell_each_other(made)
    if development:
        _let_development_in(made)


def _files(role: Role, deal: KeyRing | None) -> dict[str, bytes]:
    files = {keys.KEY: SigningKey.generate().pem()}
    if role is Role.TABLE:
        record = SigningKey.generate()
        files |= {
            keys.SEATS: _ring_bytes(new_ring()),
            keys.DEAL: _ring_bytes(deal or new_ring()),
            f"{keys.RECORDS}/{keys.KEY}": record.pem(),
            f"{keys.RECORDS}/{keys.PUBLIC}/{record.key_id}.pem": record.public.pem(),
        }
    return files


def _add_deal_keys(path: Path, old: KeyRing) -> None:
    """Add the keys of an earlier version to a ring that is there already, for the hands that were dealt with them."""
    ring = keys.load_ring(path)
    for key_id, secret in old.keys.items():
        if ring.keys.setdefault(key_id, secret) != secret:
            raise SecretsError(f"secrets file {path}: its key {key_id!r} is another one in {OLD}: which of the two is in use?")
    key_files.write(path, _ring_bytes(ring))


def _keep_record_key(made: Made) -> None:
    """Keep the public half of the record key: it is needed as long as there is a record, however often the key is changed."""
    folder = made.folder / Role.TABLE / keys.RECORDS
    key = keys.load_key(folder / keys.KEY)
    kept = folder / keys.PUBLIC / f"{key.key_id}.pem"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True, mode=0o700)
        key_files.write(kept, key.public.pem())
        made.said.append(f"{folder}: {key.key_id} signs records now; the public halves of earlier keys are kept")


def _tell_each_other(made: Made) -> None:
    """Let every role know the public keys of all: those that it knows already, and those that are new."""
    paths = [made.folder / name / trust.FILE for name in (*Role, keys.DEVELOPMENT) if (made.folder / name).exists()]
    before = {path: trust.load(path) for path in paths if path.exists()}
    installations = {one.installation for one in before.values()}
    if len(installations) > 1:
        raise SecretsError(f"secrets folder {made.folder}: its roles are of several installations: {', '.join(sorted(installations))}")
    known = {key.public: key for one in before.values() for key in one.keys}
    for role in Role:
        public = keys.load_key(made.folder / role / keys.KEY).public.raw.hex()
        if public not in known:
            known[public] = TrustedKey(name=role, role=role, public=public)
    whole = Trust(installation=next(iter(installations), secrets.token_hex(8)), keys=tuple(known.values()))
    for path in paths:
        if before.get(path) != whole:
            key_files.write(path, json.dumps(whole.model_dump(mode="json"), indent=1).encode())
            if path in before:
                made.said.append(f"{path}: knows {len(known) - len(before[path].keys)} more keys")


def _let_development_in(made: Made) -> None:
    """Write the development key where players' tokens are checked, unless the studio's keys are there."""
    key = keys.load_key(made.folder / keys.DEVELOPMENT / keys.KEY)
    text = json.dumps(jwks.development_set(key.public), indent=1).encode()
    for role in _CHECKS_PLAYERS:
        path = made.folder / role / keys.PLAYERS
        if not path.exists():
            key_files.write(path, text)


def _read_old(path: Path) -> _OldSecrets:
    try:
        return _OldSecrets.model_validate_json(key_files.read_secret(path))
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise SecretsError(f"secrets file {path}: {where or 'content'} is unusable; no file of an earlier version: move it away") from None


def _ring_bytes(ring: KeyRing) -> bytes:
    body: dict[str, Any] = {"current": ring.current, "keys": {key: value.get_secret_value() for key, value in ring.keys.items()}}
    return json.dumps(body, indent=1).encode()
