"""What a check of the ledger answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

MOST_FINDINGS: Final = 20
"""Of one check; a broken ledger need not be listed to the end."""


class Finding(NamedTuple):
    """Something wrong: which check, about what, and in words."""

    check: str
    about: str
    text: str


def rows(connection: sa.Connection, wanted: Any) -> Iterator[Any]:
    """Return the first rows of a SELECT for what is wrong."""
    return iter(connection.execute(wanted.limit(MOST_FINDINGS)))
