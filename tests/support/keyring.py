"""The keys of an installation that a test makes, and a token of everybody in it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from services.kit import keys, make_keys, part_tokens, seat_tokens
from services.kit.callers import Callers
from services.kit.keys import RoleKeys, TableKeys
from services.kit.part_tokens import Parts
from services.kit.players import Players
from services.kit.roles import Role
from services.kit.signing import SigningKey
from xuezhan.cli.development import TTL_SECONDS, player_token

ISSUER = "xuezhan"
"""What settings say unless they are told otherwise, for issuer and audience alike."""


class Keyring:
    """Folders of keys; those that are not there are made."""

    def __init__(self, folder: Path, *, development: bool = True) -> None:
        self.folder = folder
        make_keys.make(folder, development=development)

    def of(self, role: Role) -> RoleKeys:
        return keys.load(self.folder, role)

    @cached_property
    def table(self) -> TableKeys:
        return keys.load_table(self.folder)

    @cached_property
    def development(self) -> SigningKey:
        return keys.load_key(self.folder / keys.DEVELOPMENT / keys.KEY)

    def player(self, name: str, *, ttl_seconds: float = TTL_SECONDS) -> str:
        """A player's token."""
        return player_token(self.development, name, ttl_seconds=ttl_seconds)

    def part(self, role: Role, called: Role, *, now: float | None = None) -> str:
        """A token with which one role calls another."""
        return part_tokens.make(self.of(role), called, now)

    def seat(self, table: str, seat: int, player: str, expires_at: float) -> str:
        """A seat token, as the table servers make them."""
        return seat_tokens.make(self.table.seats, table, seat, player, expires_at)

    def callers(self, role: Role) -> Callers:
        """What a server of this role reads tokens with."""
        own = self.of(role)
        return Callers(Parts(own.trust, role), Players(own.folder / keys.PLAYERS, ISSUER, ISSUER, development=True))
