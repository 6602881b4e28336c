"""Players' tokens for development: the only thing here that makes one, with a key that `serve` takes for nobody's unless it is told to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from services.kit.signing import SigningKey

TTL_SECONDS: Final = 24 * 3600


def player_token(
    key: SigningKey, player: str, *, issuer: str = "xuezhan", audience: str = "xuezhan", ttl_seconds: float = TTL_SECONDS
) -> str:
    """Make a player's token."""
    from services.kit import compact

    found = {"iss": issuer, "aud": audience, "sub": player, "exp": int(time.time() + ttl_seconds)}
    return compact.compose(key.key_id, found, key.sign)
