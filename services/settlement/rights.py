"""What the settlement service and its workers do to the rows of their tables, and so may do in PostgreSQL.

Workers apply items. The service holds stakes, deposits and withdraws; it applies items where an operator lets a stuck table go on, and
alone adds what operators did.
"""

from __future__ import annotations

from typing import Final

from services.kit.database_rights import ADD, CHANGE, READ, REMOVE, SchemaRights
from services.kit.roles import Role

RIGHTS: Final = SchemaRights(
    "settlement",
    {
        Role.SETTLEMENT: {
            "accounts": CHANGE,
            "transfers": ADD,
            "entries": ADD,
            "requests": ADD,
            "tables": CHANGE,
            "holds": CHANGE,
            "items": CHANGE,
            "attempts": REMOVE,
            "dead_letters": CHANGE,
            "operator_actions": ADD,
            "frozen_players": REMOVE,
            "ledger_checks": CHANGE,
            "ratings": CHANGE,
            "rating_changes": ADD,
            "rating_created": REMOVE,
        },
        Role.WORKER: {
            "accounts": CHANGE,
            "transfers": ADD,
            "entries": ADD,
            "requests": READ,
            "tables": CHANGE,
            "holds": CHANGE,
            "items": CHANGE,
            "attempts": REMOVE,
            "dead_letters": CHANGE,
            "operator_actions": READ,
            "frozen_players": READ,
            "ledger_checks": READ,
            "ratings": CHANGE,
            "rating_changes": ADD,
            "rating_created": REMOVE,
        },
    },
)
