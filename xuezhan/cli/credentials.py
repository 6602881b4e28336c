"""The keys with which a command speaks for a role: each takes the one that it needs from the folders of an installation."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from xuezhan.cli.development import player_token
from xuezhan.cli.errors import CommandError

if TYPE_CHECKING:
    from services.kit.config import PlayerSettings
    from services.kit.keys import RoleKeys
    from services.kit.part_tokens import OwnToken
    from services.kit.roles import Role
    from services.kit.signing import SigningKey

OPERATORS: Final = ("viewer", "operator", "finance")
READERS: Final = ("auditor", *OPERATORS)
CASHIERS: Final = ("cashier", "finance")
LOOKERS: Final = (*OPERATORS, "cashier")
"""Roles that may ask for a player's coins."""


class Credentials:
    """The folders of an installation's keys, or the folder of one role."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tokens: dict[tuple[tuple[str, ...], str], OwnToken] = {}

    def token(self, roles: tuple[str, ...], called: str) -> str:
        """Return a token with which to call the role `called`, as the first of `roles` whose key is here. CommandError if none is."""
        if (roles, called) not in self._tokens:
            from services.kit.part_tokens import OwnToken
            from services.kit.roles import Role

            self._tokens[roles, called] = OwnToken(self._load(tuple(Role(role) for role in roles)), Role(called))
        return self._tokens[roles, called].current()

    def player_token(self, player: str) -> str:
        """Return a player's token, for development."""
        return player_token(self._development, player, issuer=self._players.players_issuer, audience=self._players.players_audience)

    @cached_property
    def installation(self) -> str:
        """Return the id of the installation whose keys these are; empty if there are none."""
        from services.kit import trust
        from services.kit.secrets import SecretsError

        try:
            found = {trust.load(path).installation for path in (*self.folder.glob(f"*/{trust.FILE}"), *self.folder.glob(trust.FILE))}
        except (SecretsError, OSError) as error:
            raise CommandError(f"{error} (--secrets names another)", 2) from None
        if len(found) > 1:
            raise CommandError(f"secrets folder {self.folder}: its keys are of several installations: {', '.join(sorted(found))}", 2)
        return next(iter(found), "")

    def _load(self, roles: tuple[Role, ...]) -> RoleKeys:
        from services.kit import keys
        from services.kit.secrets import SecretsError

        folders = {role: keys.folder_of(self.folder, role) for role in roles}
        role = next((role for role, folder in folders.items() if folder.is_dir()), roles[0])
        try:
            return keys.load(self.folder, role)
        except SecretsError as error:
            raise self._missing(error, role, folders[role]) from None

    @cached_property
    def _development(self) -> SigningKey:
        from services.kit import keys
        from services.kit.secrets import SecretsError

        folder = keys.folder_of(self.folder, keys.DEVELOPMENT)
        try:
            return keys.load_key(folder / keys.KEY)
        except SecretsError as error:
            raise self._missing(error, keys.DEVELOPMENT, folder) from None

    @cached_property
    def _players(self) -> PlayerSettings:
        from pydantic import ValidationError

        from services.kit.config import PlayerSettings, one_line

        try:
            return PlayerSettings()
        except ValidationError as error:
            raise CommandError(one_line(error), 2) from None

    def _missing(self, error: Exception, role: str, folder: Path) -> CommandError:
        if folder.exists():
            return CommandError(f"{error} (--secrets names another)", 2)
        return CommandError(f"the key of role {role} is needed, and there is no folder {folder} (--secrets names another)", 2)
