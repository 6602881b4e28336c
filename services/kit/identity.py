"""What a server is by its keys, and how it knows who calls it."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Gauge

from services.kit import keys
from services.kit.callers import Callers
from services.kit.config import ServiceSettings
from services.kit.keys import RoleKeys
from services.kit.part_tokens import Parts
from services.kit.players import Players
from services.kit.roles import Role


def own_keys(settings: ServiceSettings, role: Role) -> RoleKeys:
    """Read the keys of a server's role. Raises SecretsError."""
    return keys.load_table(settings.secrets) if role is Role.TABLE else keys.load(settings.secrets, role)


def callers(settings: ServiceSettings, own: RoleKeys, registry: CollectorRegistry) -> Callers:
    """Read whose tokens of players count, and export whether the file of their keys can be used. Raises SecretsError."""
    path = settings.players_file or own.folder / keys.PLAYERS
    players = Players(path, settings.players_issuer, settings.players_audience, development=settings.development)
    export(players.unusable, registry)
    return Callers(Parts(own.trust, own.role), players)


def export(unusable: Callable[[], bool], registry: CollectorRegistry) -> None:
    """Export whether players' public keys cannot be used as they are."""
    text = "Whether the file of players' public keys cannot be used as it is."
    gauge = Gauge("xuezhan_part_player_keys_unusable", text, registry=registry)
    gauge.set_function(unusable)
