"""What matchmaking does to the rows of its tables, and so may do in PostgreSQL."""

from __future__ import annotations

from typing import Final

from services.kit.database_rights import ADD, CHANGE, REMOVE, SchemaRights
from services.kit.roles import Role

RIGHTS: Final = SchemaRights(
    "matchmaking", {Role.MATCHMAKING: {"tickets": REMOVE, "matches": REMOVE, "room_leases": CHANGE, "room_acts": ADD}}
)
