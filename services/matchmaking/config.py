"""Settings of matchmaking."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from services.kit.config import Port, ServiceSettings
from services.kit.roles import Role
from services.matchmaking.tickets import Limits

Seconds = Annotated[float, Field(gt=0, le=7 * 24 * 3600)]


class Settings(ServiceSettings):
    """What matchmaking is told beyond what every service is."""

    role: ClassVar[Role | None] = Role.MATCHMAKING
    port: Port = 7100
    metrics_port: Port = 7101
    busy_limit_seconds: Seconds = 60
    """How long a ticket waits for its player to come free of another table."""
    seating_limit_seconds: Seconds = 30
    """How long one step of a match is tried before the match is given up."""
    ticket_limit_seconds: Seconds = 3600
    """How long a ticket waits at all."""
    max_waiting: Annotated[int, Field(ge=1)] = 10_000
    """Tickets that may wait in one room."""
    max_watchers: Annotated[int, Field(ge=1)] = 20_000
    """WatchTicket calls at a time."""
    retention_seconds: Annotated[float, Field(ge=3600)] = 7 * 24 * 3600
    """How long tickets and matches are kept after their end."""

    @property
    def servers(self) -> tuple[str, ...]:
        """Return the addresses of the table servers."""
        return _listed(self.table_addresses)

    @property
    def settlements(self) -> tuple[str, ...]:
        """Return the addresses of the settlement service."""
        return _listed(self.settlement_address)

    @property
    def limits(self) -> Limits:
        """Return how long things may take."""
        return Limits(self.busy_limit_seconds, self.seating_limit_seconds, self.ticket_limit_seconds)

    @model_validator(mode="after")
    def _addresses(self) -> Self:
        for field, addresses in (("table_addresses", self.servers), ("settlement_address", self.settlements)):
            for address in addresses:
                host, _, port = address.rpartition(":")
                if not host or not port.isdigit() or not 0 < int(port) < 65536:
                    raise ValueError(f"{field}: {address!r} is not host:port")
        return self


def _listed(addresses: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in addresses.split(",")))
