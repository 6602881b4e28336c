"""Deals that are the same in every run: a deal key and nonces that a test knows, instead of ones drawn at random.

A test that depends on what is dealt, without saying so, then fails always or never.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path

from pydantic import SecretStr

from services.kit.secrets import KeyRing
from tests.support.keyring import Keyring

RING = KeyRing(current="k1", keys={"k1": SecretStr("00" * 32)})


def keys_in(folder: Path) -> Keyring:
    """Return the keys beside a folder's data; if they are not there they are made, with the known deal key and others of their own."""
    secrets = folder / "secrets"
    made = secrets.exists()
    found = Keyring(secrets)
    if not made:
        ring = {"current": RING.current, "keys": {key: one.get_secret_value() for key, one in RING.keys.items()}}
        (secrets / "table" / "deal.json").write_text(json.dumps(ring))
    return found


def nonce(number: int) -> str:
    """Return the nonce with this number."""
    return f"{number:032x}"


def nonces() -> Callable[[], str]:
    """Return a source of nonces, number after number."""
    numbers = count(1)
    return lambda: nonce(next(numbers))
