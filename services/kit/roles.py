"""The roles of an installation: what a key may do follows from the role it was made for, and what a role may do stands in code."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """Who holds a key."""

    CASHIER = "cashier"
    """The studio's own backend: moves coins in and out."""
    MATCHMAKING = "matchmaking"
    TABLE = "table"
    SETTLEMENT = "settlement"
    WORKER = "worker"
    """A settlement worker: applies items and publishes their outcomes."""
    GATEWAY = "gateway"
    VIEWER = "viewer"
    """An operator who only looks."""
    OPERATOR = "operator"
    """An operator who calls off, drains, opens and closes rooms; also a viewer."""
    FINANCE = "finance"
    """An operator who moves and corrects coins; also a viewer."""
    AUDITOR = "auditor"
