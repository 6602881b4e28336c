"""Settings of what callers may take: connections, calls, and one address's share of every bound."""

from __future__ import annotations

from typing import Annotated

import limits
from pydantic import AfterValidator, Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from services.kit import peers


def _rate(text: str) -> str:
    try:
        limits.parse(text)
    except ValueError:
        raise ValueError(f"{text!r} is no rate such as '20 per 10 seconds'") from None
    return text


Rate = Annotated[str, AfterValidator(_rate)]


class LimitSettings(BaseSettings):
    """How much a server gives, and how much of it to one address."""

    model_config = SettingsConfigDict(env_prefix="XUEZHAN_", extra="ignore", frozen=True)

    max_connections: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    """Connections that a port takes; fewer where the system allows fewer open files."""
    peer_connections: Annotated[int, Field(ge=1)] = 256
    """Connections that one address may have to a port; the newest are closed."""
    handshake_seconds: Annotated[float, Field(gt=0, le=120)] = 5
    """A connection that has not said by then that it speaks gRPC (and TLS) is closed."""
    connection_idle_seconds: Annotated[float, Field(ge=1, le=86_400)] = 300
    """A connection without calls is closed after so long."""
    peer_share: Annotated[float, Field(gt=0, le=1)] = 0.1
    """The part of streams, watchers and waiting calls that one address may have."""
    max_calls: Annotated[int, Field(ge=1)] = 20_000
    """Calls of players and strangers at a time."""
    limit_tickets: Rate = "20 per 10 seconds"
    """CreateTicket of one player. This and the next ones: a number of calls in a time, as in "5 per minute"."""
    limit_cancels: Rate = "20 per 10 seconds"
    """CancelTicket of one player."""
    limit_watches: Rate = "30 per 10 seconds"
    """WatchTicket and Watch of one player."""
    limit_lists: Rate = "30 per 10 seconds"
    """ListRooms, ListTables and ListServers of one player."""
    limit_records: Rate = "20 per 10 seconds"
    """GetRecord of one player."""
    limit_balances: Rate = "50 per 10 seconds"
    """GetBalance and GetStatement of one player."""
    limit_calls: Rate = "50 per 10 seconds"
    """All other calls of one player."""
    limit_address: Rate = "3000 per 10 seconds"
    """All calls of all players at one address."""
    trusted_proxies: Annotated[str, Field(description="comma-separated")] = ""
    """Addresses and networks of proxies of ours: their X-Forwarded-For says who calls, and their connections are not counted."""

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, text: str) -> str:
        peers.networks(text)
        return text
