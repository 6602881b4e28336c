"""The users of an installation at a test's PostgreSQL, made as its administrator makes them."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

from sqlalchemy.engine import make_url

from tests.cli.command import xuezhan
from tests.support.postgres import Postgres, program

ROLES = ("matchmaking", "table", "settlement", "worker")
_numbers = itertools.count(1)


class Users:
    """Users of one installation, by names that no other of this server has. `url("table")` is that of the table servers, on PostgreSQL."""

    def __init__(self, folder: Path, postgres: Postgres, database: str) -> None:
        """Describe them: `database` is the URL of an administrator."""
        parsed = make_url(database)
        self.secrets = folder
        self.prefix = f"u{next(_numbers)}_"
        self._postgres = postgres
        self._database = str(parsed.database)
        self._administrator = f"postgresql://{parsed.username}@{parsed.host}:{parsed.port}/{parsed.database}"

    def write(self, *options: object) -> None:
        """Run `xuezhan users`."""
        where = f"127.0.0.1:{self._postgres.port}/{self._database}"
        options = ("--database", where, "--broker", "127.0.0.1/none", *options)
        ran = xuezhan("users", "--secrets", self.secrets, "--user-prefix", self.prefix, *options)
        assert ran.status == 0, ran.err

    def make(self) -> None:
        """Run the administrator's script."""
        script = self.secrets / "administrator" / "database.sql"
        psql: list[str | Path] = [program("psql") or "psql", "--no-psqlrc", "--quiet", self._administrator]
        with script.open() as given:
            done = subprocess.run(psql, stdin=given, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr

    def url(self, role: str) -> str:
        """The URL of a role's user."""
        return (self.secrets / role / "database.url").read_text().strip()
