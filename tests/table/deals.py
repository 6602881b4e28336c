"""Deals that are the same in every run: a deal key and nonces that a test knows, instead of ones drawn at random.

A test that depends on what is dealt, without saying so, then fails always or never.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path

from pydantic import SecretStr

from services.kit import secrets
from services.kit.secrets import KeyRing

RING = KeyRing(current="k1", keys={"k1": SecretStr("00" * 32)})


def keys_in(folder: Path) -> Path:
    """Return the file with a folder's keys; one that is not there is made, with the known deal key and others of its own."""
    file = folder / "keys.json"
    if not file.exists():
        made = secrets.generate()
        rings = {"tokens": made.tokens, "items": made.items, "deal": RING}
        keys = {
            name: {"current": ring.current, "keys": {key: one.get_secret_value() for key, one in ring.keys.items()}}
            for name, ring in rings.items()
        }
        file.touch(mode=0o600)
        file.write_text(json.dumps(keys))
    return file


def nonce(number: int) -> str:
    """Return the nonce with this number."""
    return f"{number:032x}"


def nonces() -> Callable[[], str]:
    """Return a source of nonces, number after number."""
    numbers = count(1)
    return lambda: nonce(next(numbers))
