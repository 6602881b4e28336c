"""Who calls: a player by the studio's token, or a part by its own. Which of the two is said by the key that a token names."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.kit import compact
from services.kit.errors import UnauthenticatedError
from services.kit.part_tokens import Parts
from services.kit.players import Players
from services.kit.roles import Role


@dataclass(slots=True, frozen=True)
class Caller:
    """Who calls: a player by id, or a part by name."""

    subject: str
    role: Role | None = None
    """None: a player."""
    expires_at: float = field(default=0.0, compare=False)
    """When the token ends, in seconds since 1970: a stream that outlives it must end too."""

    @property
    def is_player(self) -> bool:
        """Whether it is a player."""
        return self.role is None


class Callers:
    """Reads tokens for one service. Without `players` no player's is good."""

    def __init__(self, parts: Parts, players: Players | None) -> None:
        self._parts = parts
        self._players = players

    def read(self, token: str) -> Caller:
        """Check a token. Raises UnauthenticatedError; PermissionDeniedError for a good one of another audience."""
        try:
            kid = compact.header(token).get("kid")
        except ValueError:
            raise UnauthenticatedError("bad_token") from None
        if self._parts.knows(kid):
            owner, ends = self._parts.read(token)
            return Caller(owner.name, owner.role, float(ends))
        if self._players is None:
            raise UnauthenticatedError("bad_token")
        player, ends = self._players.read(token)
        return Caller(player, None, float(ends))
