"""Settings of the settlement service and of its workers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

from pydantic import Field

from services.kit.config import Port, ServiceSettings
from services.kit.roles import Role

SCHEMA: Final = "settlement"


class Settings(ServiceSettings):
    """What the service and its workers are told beyond what every service is."""

    role: ClassVar[Role | None] = Role.SETTLEMENT
    port: Port = 7300
    metrics_port: Port = 7301
    pool: Annotated[int, Field(ge=1, le=64)] = 4
    """Connections to PostgreSQL a process."""
    batch_seconds: Annotated[float, Field(gt=0, le=600)] = 60
    """A worker gives a batch up after this long; whoever sent it sends the rest again. Far below the broker's consumer time-out."""
    ledger_check_seconds: Annotated[float, Field(ge=1, le=86_400)] = 900
    """How often the settlement service checks the whole ledger; of several replicas one does."""


class WorkerSettings(Settings):
    """The same for a worker process: it has no RPC port."""

    role: ClassVar[Role | None] = Role.WORKER
    metrics_port: Port = 7401
