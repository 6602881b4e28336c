"""What the settlement service and its workers do to the rows of their tables, and so may do in PostgreSQL.

Workers apply items; the service holds stakes, deposits and withdraws, and only reads what workers write. What operators did is added by the
owner's user, with which the commands for operators run.
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
            "items": READ,
            "attempts": READ,
            "dead_letters": READ,
            "operator_actions": READ,
            "ledger_checks": CHANGE,
            "ratings": READ,
            "rating_changes": READ,
            "rating_created": READ,
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
            "ledger_checks": READ,
            "ratings": CHANGE,
            "rating_changes": ADD,
            "rating_created": REMOVE,
        },
    },
)
