"""Rings of secret keys: one signs or derives, older ones still check, so that keys can be changed without a stop."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator


class SecretsError(Exception):
    """Keys cannot be used; the message says why and names the file or folder."""


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
