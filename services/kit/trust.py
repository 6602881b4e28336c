"""Whom a part believes: the public keys of an installation's roles (`trust.json`).

Law: a key speaks for the role it stands under and for no other; a message of another installation is nobody's.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from services.kit import key_files
from services.kit.roles import Role
from services.kit.secrets import SecretsError
from services.kit.signing import PublicKey

INSTALLATION: Final = r"^[0-9a-f]{16}$"
FILE: Final = "trust.json"


class TrustError(SecretsError):
    """The trust file cannot be used; the message says why and names the file."""


class TrustedKey(BaseModel):
    """A public key, whose it is, and what its owner may be. A name may have several keys while they are turned."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
    role: Role
    public: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """The raw key in hex."""

    @cached_property
    def key(self) -> PublicKey:
        """Return the key."""
        return PublicKey(bytes.fromhex(self.public))


class Trust(BaseModel):
    """Everybody a part believes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    installation: Annotated[str, Field(pattern=INSTALLATION)]
    keys: tuple[TrustedKey, ...]

    @field_validator("keys")
    @classmethod
    def _each_once(cls, keys: tuple[TrustedKey, ...]) -> tuple[TrustedKey, ...]:
        if len({key.public for key in keys}) != len(keys):
            raise ValueError("a key stands twice: what it may do would depend on the order")
        return keys

    @cached_property
    def _by_id(self) -> dict[str, TrustedKey]:
        return {one.key.key_id: one for one in self.keys}

    def find(self, key_id: str) -> TrustedKey | None:
        """Return the key of that id, or None for a stranger's."""
        return self._by_id.get(key_id)


def load(path: Path) -> Trust:
    """Read a trust file. Raises SecretsError."""
    try:
        return Trust.model_validate_json(key_files.read_public(path))
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise TrustError(f"trust file {path}: {where or 'content'} is unusable") from None
