"""The users of an installation at a test's PostgreSQL and RabbitMQ, made as their administrators make them."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

from sqlalchemy.engine import make_url

from tests.cli.command import xuezhan
from tests.support.keyring import Keyring
from tests.support.postgres import Postgres, program
from tests.support.rabbitmq import RabbitMQ

ROLES = ("matchmaking", "table", "settlement", "worker")
_numbers = itertools.count(1)


class Users:
    """Users of one installation, by names that no other of this server has. `url("table")` is that of the table servers, on PostgreSQL."""

    def __init__(
        self, folder: Path, postgres: Postgres, database: str, broker: str = "amqp://127.0.0.1/none", *, host: str = "127.0.0.1"
    ) -> None:
        """Describe them: `database` and `broker` are the URLs of administrators; `host`: where the users find PostgreSQL."""
        parsed = make_url(database)
        self.secrets = Keyring(folder).folder
        self.prefix = f"u{next(_numbers)}_"
        self._postgres = postgres
        self._host = host
        self._broker = broker.rpartition("@")[2].removeprefix("amqp://")
        self._database = str(parsed.database)
        self._administrator = f"postgresql://{parsed.username}@{parsed.host}:{parsed.port}/{parsed.database}"

    def write(self, *options: object) -> None:
        """Run `xuezhan users`."""
        where = f"{self._host}:{self._postgres.port}/{self._database}"
        options = ("--database", where, "--broker", self._broker, *options)
        ran = xuezhan("users", "--secrets", self.secrets, "--user-prefix", self.prefix, *options)
        assert ran.status == 0, ran.err

    def make(self) -> None:
        """Run the administrator's script."""
        script = self.secrets / "administrator" / "database.sql"
        psql: list[str | Path] = [program("psql") or "psql", "--no-psqlrc", "--quiet", self._administrator]
        with script.open() as given:
            done = subprocess.run(psql, stdin=given, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr

    def make_at_broker(self, rabbitmq: RabbitMQ) -> None:
        """Import the administrator's definitions."""
        rabbitmq.control("import_definitions", stdin=(self.secrets / "administrator" / "broker.json").read_text())

    def broker(self, role: str) -> str:
        """The URL of a role's user at the broker."""
        return (self.secrets / role / "broker.url").read_text().strip()

    def url(self, role: str) -> str:
        """The URL of a role's user."""
        return (self.secrets / role / "database.url").read_text().strip()
