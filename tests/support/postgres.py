"""A PostgreSQL of the tests' own."""

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import psycopg

from tests.support.process import Process
from tests.support.server import Server


class Postgres(Server):
    """PostgreSQL; run as the user `postgres` when we are root, since it refuses to be root."""

    def __init__(
        self,
        *,
        durable: bool = False,
        settings: Mapping[str, str] | None = None,
        network: tuple[str, str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Describe the server: `durable` flushes to disk as in production (for measuring); a kill loses nothing without, too.

        `network`: an address more that it listens on, and the range from which it may be reached there. `env`: added to its environment.
        """
        super().__init__()
        fast = {} if durable else {"fsync": "off", "full_page_writes": "off"}
        self._network = network
        self._env = env
        self._settings = {"max_connections": "200", "shared_buffers": "64MB", **fast, **(settings or {})}
        self._numbers = itertools.count(1)

    @classmethod
    def missing(cls) -> str | None:
        """What must be installed first; None when nothing."""
        return None if program("initdb") and program("postgres") else "PostgreSQL (Debian: apt-get install postgresql)"

    def new_database(self, name: str) -> str:
        """Make an empty database whose name begins with `name`; its SQLAlchemy URL."""
        unique = f"{name}_{next(self._numbers)}"
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{unique}"'.encode())
        return self.url(unique)

    def url(self, database: str) -> str:
        """The SQLAlchemy URL of a database."""
        return f"postgresql+psycopg://xuezhan@127.0.0.1:{self.port}/{database}"

    def _dsn(self, database: str) -> str:
        return f"postgresql://xuezhan@127.0.0.1:{self.port}/{database}?connect_timeout=5"

    def _prepare(self) -> Process:
        user = "postgres" if os.geteuid() == 0 else None
        if user is not None:
            account = pwd.getpwnam(user)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        data = self.folder / "data"
        subprocess.run(
            [
                program("initdb") or "initdb",
                "--pgdata",
                data,
                "--username=xuezhan",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
            ],
            check=True,
            capture_output=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            cwd=self.folder,
        )
        listens = "127.0.0.1"
        if self._network is not None:
            listens += f",{self._network[0]}"
            with (data / "pg_hba.conf").open("a") as file:
                file.write(f"host all all {self._network[1]} trust\n")
        settings = {"port": str(self.port), "listen_addresses": listens, "unix_socket_directories": "", **self._settings}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return Process(
            [program("postgres") or "postgres", "-D", data, *options], log=self.folder / "log", env=self._env, cwd=self.folder, user=user
        )

    def stop(self) -> None:
        """Stop it at once, rolling back what is open (fast shutdown): an open pool of a test must not hold it up."""
        if self.process is not None and self.process.running:
            self.process.signal(signal.SIGINT)
            self.process.wait(seconds=30)

    def _ready(self) -> bool:
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self._dsn("postgres")):
            return True
        return False


def program(name: str) -> str | None:
    """The newest program of that name that PostgreSQL brings."""
    newest_first = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: -float(path.parts[-3]))
    return str(newest_first[0]) if newest_first else shutil.which(name)
