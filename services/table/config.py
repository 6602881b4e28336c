"""Settings of a table server."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

from pydantic import Field

from services.kit import seat_tokens
from services.kit.config import Port, ServiceSettings
from services.kit.roles import Role

LONGEST_LEASE_SECONDS: Final = 60.0
SAFE_LEASE_SECONDS: Final = 5.0
"""A shorter lease may end, and another server speak, while the database still carries out a statement of the owner before."""


class TableSettings(ServiceSettings):
    """What a table server is told beyond what every service is."""

    role: ClassVar[Role | None] = Role.TABLE
    port: Port = 7200
    metrics_port: Port = 7201
    server_name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")] = "table-1"
    """Name of this server. Two processes never share one."""
    max_tables: Annotated[int, Field(ge=1, le=100_000)] = 20_000
    """Live tables at most; opening another is refused."""
    lease_seconds: Annotated[float, Field(ge=0.5, le=LONGEST_LEASE_SECONDS)] = 5.0
    """How long this server owns its tables without renewing. Below SAFE_LEASE_SECONDS only in tests: elsewhere the log warns."""
    parent_fd: int | None = None
    """A socket to the process that looks after this one (`--processes`)."""
    drain_seconds: Annotated[float, Field(ge=0, le=3600)] = 60
    """How long a server that is stopped hands its tables over to others; what is left then is taken over without it."""
    seat_token_seconds: Annotated[float, Field(gt=0)] = seat_tokens.TTL_SECONDS
    auto_pause_ms: Annotated[int, Field(ge=0, le=10_000)] = 1_000
    """How long the server waits before it plays for a seat on 托管, so that its player can take over and others can follow."""
    flush_ms: Annotated[float, Field(ge=0, le=100)] = 1.0
    """The least time between two messages on one stream: what falls between goes together."""
    stream_events: Annotated[int, Field(ge=16)] = 20_000
    """Events that may wait for one slow stream; then it must resync."""
    stream_bytes: Annotated[int, Field(ge=4096)] = 2 * 1024 * 1024
    """Bytes that may wait for one slow stream, and 4 KiB more for each of its seats; then all of them must resync."""
    seat_bytes: Annotated[int, Field(ge=4096)] = 32 * 1024
    """Bytes of events that may wait for one seat; then it must resync, and no other seat of its stream."""
    all_streams_bytes: Annotated[int, Field(ge=1024 * 1024)] = 256 * 1024 * 1024
    """Bytes that may wait for all streams together; then whoever has more than an equal part, by seats, must resync."""
    stream_seats: Annotated[int, Field(ge=1)] = 50_000
    """Seats on one stream at most."""
    stream_idle_seconds: Annotated[float, Field(gt=0, le=3600)] = 5
    """A stream that has held no seat for so long is ended."""
    max_streams: Annotated[int, Field(ge=1)] = 20_000
    """Streams of this server at most; opening another is refused."""
    resend_seconds: Annotated[float, Field(gt=0, le=600)] = 2.0
    """When an item is sent again that has no outcome; doubled each time, up to a minute."""
    max_watchers: Annotated[int, Field(ge=0)] = 1_000
    """Watching streams of this server at most."""

    @property
    def process_name(self) -> str:
        """The name of this server."""
        return self.server_name
