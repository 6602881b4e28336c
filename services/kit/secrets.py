"""Secret keys of an installation: three key rings in one file that only its owner may read.

`tokens` signs player, service and seat tokens; `items` signs settlement items; `deal` derives the seeds of hands. Each ring names the key
that signs now and keeps older ones for checking, so that keys can be turned without a stop.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

_KEY_BYTES = 32


class SecretsError(Exception):
    """The secrets file cannot be used; the message says why and names the file."""


class KeyRing(BaseModel):
    """Named keys; `current` signs, all of them verify."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    current: str
    keys: dict[str, Annotated[SecretStr, Field(min_length=32)]]

    @model_validator(mode="after")
    def _current_is_there(self) -> KeyRing:
        if self.current not in self.keys:
            raise ValueError(f"current key {self.current!r} is not among the keys")
        return self

    def key(self, key_id: str) -> bytes | None:
        """Return the key's bytes, or None for a key this ring does not have."""
        secret = self.keys.get(key_id)
        return None if secret is None else secret.get_secret_value().encode()

    def signing(self) -> tuple[str, bytes]:
        """Return id and bytes of the key that signs now."""
        return self.current, self.keys[self.current].get_secret_value().encode()


class Secrets(BaseModel):
    """All key rings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: KeyRing
    items: KeyRing
    deal: KeyRing


def generate() -> Secrets:
    """Make fresh random keys."""

    def ring() -> KeyRing:
        return KeyRing(current="k1", keys={"k1": SecretStr(secrets.token_hex(_KEY_BYTES))})

    return Secrets(tokens=ring(), items=ring(), deal=ring())


def load(path: Path) -> Secrets:
    """Read the secrets file. Raises SecretsError when it is missing, readable by others, or malformed."""
    try:
        mode = path.stat().st_mode
        text = path.read_text("utf-8")
    except OSError as error:
        raise SecretsError(f"secrets file {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise SecretsError(f"secrets file {path}: content is unusable") from None
    if mode & 0o077:
        raise SecretsError(f"secrets file {path} may be read by others: chmod 600 {path}")
    try:
        return Secrets.model_validate_json(text)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise SecretsError(f"secrets file {path}: {where or 'content'} is unusable") from None


def load_or_create(path: Path) -> Secrets:
    """Read the secrets file, or make it (0600) with fresh keys. Two processes that start together agree on one. Raises SecretsError."""
    if not path.exists():
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write_once(path, generate())
        except OSError as error:
            raise SecretsError(f"secrets file {path}: {error.strerror}") from error
    return load(path)


def _write_once(path: Path, made: Secrets) -> None:
    body = {
        name: {"current": ring.current, "keys": {key: value.get_secret_value() for key, value in ring.keys.items()}}
        for name, ring in (("tokens", made.tokens), ("items", made.items), ("deal", made.deal))
    }
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(body, file)
            file.flush()
            os.fsync(file.fileno())
        # A link, unlike a rename, never replaces what another process has made meanwhile.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
    # Hands in play could not be dealt again without these keys: the name must survive a loss of power as the content does.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
