"""The time by which replicas agree: the database's.

Law: no time that another replica acts on is taken from this machine's clock. The database's clock is read with every look at the
database and carried on in between by the monotonic clock, which also counts while the process is stopped.
"""

from __future__ import annotations

import time
from typing import Final

import sqlalchemy as sa

_SQLITE_NOW: Final = "(julianday('now') - 2440587.5) * 86400.0"
_POSTGRES_NOW: Final = "extract(epoch from clock_timestamp())::float8"


class DatabaseClock:
    """Seconds since 1970 by the database's clock. `read` it before the first use, and often."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def __call__(self) -> float:
        """Return the time now."""
        return self._ahead + time.monotonic()

    def read(self, connection: sa.Connection) -> None:
        """Ask the database. An answer that is read late leaves the clock slow, never fast: nothing is taken from others too early."""
        text = _SQLITE_NOW if connection.dialect.name == "sqlite" else _POSTGRES_NOW
        told = float(connection.execute(sa.select(sa.literal_column(text))).scalar_one())
        self._ahead = told - time.monotonic()
