"""Ed25519 signatures of an installation: tokens between parts, broker messages, statements and hand records.

Law: only Ed25519, and a key's id follows from its public half alone, so that nobody can name a key after another.
"""

from __future__ import annotations

import hashlib
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_ID_CHARS: Final = 16
PUBLIC_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64


def key_id_of(public: bytes) -> str:
    """Return the id of a raw public key: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(public).hexdigest()[:KEY_ID_CHARS]


class PublicKey:
    """A key that verifies. ValueError for what is no Ed25519 public key."""

    __slots__ = ("_key", "key_id", "raw")

    def __init__(self, raw: bytes) -> None:
        self._key = Ed25519PublicKey.from_public_bytes(raw)
        self.raw = raw
        self.key_id = key_id_of(raw)

    @classmethod
    def from_pem(cls, pem: bytes) -> PublicKey:
        """Read a PEM file's public key. ValueError for any other kind of key, or none."""
        key = serialization.load_pem_public_key(pem)
        if not isinstance(key, Ed25519PublicKey):
            raise ValueError("not an Ed25519 public key")
        return cls(key.public_bytes_raw())

    def pem(self) -> bytes:
        """Return the key as PEM (SubjectPublicKeyInfo)."""
        return self._key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def verifies(self, data: bytes, signature: bytes) -> bool:
        """Whether the signature is this key's over exactly these bytes."""
        try:
            self._key.verify(signature, data)
        except InvalidSignature:
            return False
        return True


class SigningKey:
    """A private key. It shows itself to nobody: neither in a text of it nor in an error."""

    __slots__ = ("_key", "public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    @classmethod
    def generate(cls) -> SigningKey:
        """Make a fresh key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, pem: bytes) -> SigningKey:
        """Read a PEM file's private key. ValueError for any other kind of key, or none."""
        key = serialization.load_pem_private_key(pem, password=None)
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError("not an Ed25519 private key")
        return cls(key)

    @property
    def key_id(self) -> str:
        """Return the id under which others know the key."""
        return self.public.key_id

    def pem(self) -> bytes:
        """Return the key as PEM (PKCS8, not encrypted): for a file that its owner alone may read."""
        return self._key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    def sign(self, data: bytes) -> bytes:
        """Return the 64 bytes of the signature over these bytes."""
        return self._key.sign(data)
