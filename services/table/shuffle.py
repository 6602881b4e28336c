"""The fair shuffle: where a hand's seed comes from, and what players may add (docs/rules/README.md).

Law: the seed is derived from the deal key, which is in no database; until the hand is over the journal holds only the key's id and a
nonce. It is in no view, log or metric before that.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from games.deal import CONTRIBUTION_BYTES
from services.kit.secrets import KeyRing

HASH_BYTES = 32
_NONCE_BYTES = 16


def new_nonce() -> str:
    """Return a fresh nonce in hex."""
    return secrets.token_hex(_NONCE_BYTES)


def seed(ring: KeyRing, key_id: str, table: str, hand: int, nonce: str) -> bytes | None:
    """Return the 32 bytes of a hand's seed, or None when the ring no longer has the key."""
    key = ring.key(key_id)
    if key is None:
        return None
    return hmac.digest(key, f"xuezhan/seed/1\0{table}\0{hand}\0{nonce}".encode(), "sha256")


def commitment(hand_seed: bytes) -> bytes:
    """Return what is shown before the deal."""
    return hashlib.sha256(hand_seed).digest()


def is_hash(given: bytes) -> bool:
    """Whether a player may commit to this; empty is none."""
    return len(given) in {0, HASH_BYTES}


def fits(contribution: bytes, given: bytes) -> bool:
    """Whether these are the bytes that a player committed to."""
    return len(contribution) == CONTRIBUTION_BYTES and hmac.compare_digest(hashlib.sha256(contribution).digest(), given)
