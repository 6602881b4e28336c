"""What a database tells when something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from services.kit.database import Database


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_error_does_not_say_what_was_to_be_stored(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """It is logged, and what is stored may be a tile that nobody may know of."""
    url = f"sqlite:///{tmp_path}/t.db" if kind == "sqlite" else request.getfixturevalue("postgres").new_database("errors")
    database = Database(url, "errors")

    def fail(connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT CASE WHEN :tile = '' THEN 1 ELSE nothing END"), {"tile": "5p"})

    try:
        with pytest.raises(Exception) as caught:
            database.run_sync(fail)
    finally:
        database.close()
    told = repr((caught.value, str(caught.value), str(caught.value.__cause__)))
    assert "nothing" in told
    assert "5p" not in told
