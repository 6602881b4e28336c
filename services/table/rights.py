"""What table servers do to the rows of their tables, and so may do in PostgreSQL."""

from __future__ import annotations

from typing import Final

from services.kit.database_rights import ADD, CHANGE, SchemaRights
from services.kit.roles import Role

RIGHTS: Final = SchemaRights(
    "table",
    {
        Role.TABLE: {
            "servers": CHANGE,
            "tables": CHANGE,
            "journal": ADD,
            "outbox": CHANGE,
            "records": CHANGE,
            "record_keys": ADD,
            "acts": ADD,
        }
    },
)
