"""PartService: what an operator is told of a process, also while its database or broker is away."""

from __future__ import annotations

import asyncio
import math
import time
from importlib.metadata import version
from typing import Any, Final

from prometheus_client import CollectorRegistry

from services.kit.roles import Role
from services.kit.supervise import Supervisor
from xuezhan.api.part.v1 import part_pb2 as pb
from xuezhan.api.part.v1.part_pb2_grpc import PartServiceServicer, add_PartServiceServicer_to_server

FULL_NAME: Final = pb.DESCRIPTOR.services_by_name["PartService"].full_name
FIGURES: Final = frozenset(
    {
        "xuezhan_part_database_reachable",
        "xuezhan_part_broker_connected",
        "xuezhan_part_player_keys_unusable",
        "xuezhan_part_certificate_expires_timestamp_seconds",
        "xuezhan_part_loop_lag_max_seconds",
        "xuezhan_part_disk_free_ratio",
        "xuezhan_table_lease_valid",
        "xuezhan_table_workers",
        "xuezhan_table_set_aside",
        "xuezhan_table_rules_missing",
        "xuezhan_table_standing_still",
        "xuezhan_table_outbox_oldest_seconds",
        "xuezhan_matchmaking_oldest_ticket_seconds",
        "xuezhan_settlement_stuck_tables",
        "xuezhan_settlement_dead_letters",
        "xuezhan_settlement_oldest_unsettled_seconds",
        "xuezhan_settlement_ledger_imbalance_coins",
        "xuezhan_settlement_ledger_findings",
        "xuezhan_settlement_ledger_checked_timestamp_seconds",
    }
)
"""Figures that tell an operator what is wrong. None of them waits for the database when it is asked for."""


class PartServicer(PartServiceServicer):
    """Answers operators."""

    def __init__(self, role: Role, name: str, registry: CollectorRegistry, supervisor: Supervisor) -> None:
        self._role = role
        self._name = name
        self._registry = registry
        self._supervisor = supervisor
        self._version = version("xuezhan")

    def register(self, server: Any) -> None:
        """Add the service."""
        add_PartServiceServicer_to_server(self, server)

    async def GetPart(self, _request: pb.GetPartRequest, _context: Any) -> pb.GetPartResponse:  # noqa: N802 - gRPC's name
        """Say how this process is."""
        return pb.GetPartResponse(
            role=self._role,
            name=self._name,
            version=self._version,
            unix_ms=time.time_ns() // 1_000_000,
            faults=[pb.Fault(what=what, why=why) for what, why in self._supervisor.faults()],
            figures=await asyncio.to_thread(_figures, self._registry),
        )


def _figures(registry: CollectorRegistry) -> list[pb.Figure]:
    return [
        pb.Figure(name=sample.name, labels=sample.labels, value=sample.value)
        for family in registry.collect()
        for sample in family.samples
        if sample.name in FIGURES and math.isfinite(sample.value)
    ]
