"""Finding an installation: where its services listen, and the keys with which this machine may speak for its roles.

A running `xuezhan up` leaves its addresses in its data folder (`running.json`); whatever is given as an option or in the environment
goes before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from services.kit.private_files import read_unlinked
from services.kit.role_folder import CA
from xuezhan.cli.credentials import CASHIERS, LOOKERS, OPERATORS, READERS, Credentials
from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import ADDRESS, DataFolder, GivenPath

if TYPE_CHECKING:
    from xuezhan.client import Client

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

CA_VARIABLE: Final = "XUEZHAN_CA_FILE"
DATA: Final = "./xuezhan-data"
RUNNING: Final = "running.json"
_HINTS: Final = {
    "UNAVAILABLE": " (is it running? `xuezhan doctor` tells what is wrong)",
    "UNAUTHENTICATED": " (are these its secrets? --data or --secrets names others)",
    "tls": "",
    "hung_up": "",
    "silent": "",
    "wrong_installation": " (--data, --secrets or the addresses name another)",
    "unknown_table": " (`xuezhan tables` lists the live ones)",
}
"""What may help, by reason or gRPC code."""
DEFAULT_ADDRESSES: Final = {"matchmaking": "127.0.0.1:7100", "table": "127.0.0.1:7200", "settlement": "127.0.0.1:7300"}


def secrets_beside(data: Path) -> Path:
    """Return where `up` keeps the secrets of a data folder: beside it, so that a copy of the data does not carry them along."""
    return data.with_name(f"{data.name}.secrets")


@dataclass(frozen=True)
class Installation:
    """One installation as a command sees it. `tables`: addresses at which to ask which table servers there are."""

    data: Path
    secrets: Path
    """The folder of the folders of its keys, one a role; or one of them."""
    matchmaking: str
    tables: tuple[str, ...]
    settlement: str
    ca_file: str = ""
    """The CA that signed the servers' certificates; "": they do without TLS."""

    @cached_property
    def credentials(self) -> Credentials:
        """Return the keys. CommandError where nothing has run yet."""
        if not self.data.exists() and not self.secrets.exists():
            raise CommandError(f"nothing has run in {self.data} yet: start `xuezhan up`, or name its folder with --data", 2)
        return Credentials(self.secrets)

    def player_token(self, player: str) -> str:
        """Make a player's token for development."""
        return self.credentials.player_token(player)

    def viewer_token(self) -> str:
        """Make an operator's token for looking at tables."""
        return self.credentials.token(OPERATORS, "table")

    def operator_token(self) -> str:
        """Make an operator's token for draining a table server."""
        return self.credentials.token(("operator",), "table")

    def rooms_token(self, *, acts: bool = False) -> str:
        """Make an operator's token for looking at rooms, or for closing and opening them."""
        return self.credentials.token(("operator",) if acts else OPERATORS, "matchmaking")

    def reader_token(self) -> str:
        """Make an auditor's or operator's token for reading records."""
        return self.credentials.token(READERS, "table")

    def coins_token(self) -> str:
        """Make an operator's token for looking at players' coins."""
        return self.credentials.token(LOOKERS, "settlement")

    def cashier_token(self) -> str:
        """Make a cashier's token for moving coins in and out."""
        return self.credentials.token(CASHIERS, "settlement")

    def auditor_token(self) -> str:
        """Make an auditor's or operator's token for reading the ledger."""
        return self.credentials.token(READERS, "settlement")

    def finance_token(self) -> str:
        """Make a token of finance, for acts upon the ledger."""
        return self.credentials.token(("finance",), "settlement")

    def client(self, patience_seconds: float = 0) -> Client:
        """Return a client that sends this installation a token, and no other."""
        from xuezhan.client import Client

        return Client(
            self.matchmaking,
            self.tables[0],
            self.settlement,
            patience_seconds=patience_seconds,
            ca=self.ca_file,
            installation=self.credentials.installation,
        )


def installation_options(function: F) -> F:
    """Add the options that find an installation; the command gets them as `where`."""

    def collect(data: Path, secrets: Path | None, matchmaking: str | None, table: str | None, settlement: str | None, **rest: Any) -> Any:
        return function(where=find(data, secrets, matchmaking, table, settlement), **rest)

    options = [
        click.option("--data", type=DataFolder(), default=DATA, show_default=True, envvar="XUEZHAN_DATA", help="Data folder of `up`."),
        click.option("--secrets", type=GivenPath(), envvar="XUEZHAN_SECRETS", help="Folder of the keys.  [default: beside the data]"),
        click.option(
            "--matchmaking", type=ADDRESS, metavar="HOST:PORT,...", envvar="XUEZHAN_MATCHMAKING_ADDRESS", help="Matchmaking service."
        ),
        click.option("--table", type=ADDRESS, metavar="HOST:PORT,...", envvar="XUEZHAN_TABLE_ADDRESSES", help="Table servers."),
        click.option(
            "--settlement", type=ADDRESS, metavar="HOST:PORT,...", envvar="XUEZHAN_SETTLEMENT_ADDRESS", help="Settlement service."
        ),
    ]
    collect.__name__, collect.__doc__ = function.__name__, function.__doc__
    collect.__click_params__ = list(getattr(function, "__click_params__", []))  # type: ignore[attr-defined]
    for option in reversed(options):
        option(collect)
    return collect  # type: ignore[return-value]


def find(data: Path, secrets: Path | None, matchmaking: str | None, table: str | None, settlement: str | None) -> Installation:
    """Return the installation that these options, the environment and a running `up` mean."""
    known = {**DEFAULT_ADDRESSES, **_running(data)}
    return Installation(
        data,
        secrets or secrets_beside(data),
        matchmaking or known["matchmaking"],
        tuple((table or known["table"]).split(",")),
        settlement or known["settlement"],
        os.environ.get(CA_VARIABLE) or known.get("ca_file", _ca_beside(secrets)),
    )


def _ca_beside(secrets: Path | None) -> str:
    """Return the CA that `xuezhan certificates` put into a folder of keys; "" if there is none."""
    file = secrets / CA if secrets is not None else None
    return str(file) if file is not None and file.is_file() else ""


def check_owner(data: Path) -> None:
    """Check that a data folder, if there is one, is this user's or root's. CommandError if not."""
    try:
        owner = data.stat().st_uid
    except OSError:
        return
    if owner not in {0, os.geteuid()}:
        raise CommandError(f"data: {data} belongs to user {owner}: work as that user, chown -R it, or name another folder with --data", 2)


def _running(data: Path) -> dict[str, str]:
    check_owner(data)
    try:
        found = json.loads(read_unlinked(data / RUNNING))
    except (OSError, ValueError):
        return {}
    return {name: str(found[name]) for name in (*DEFAULT_ADDRESSES, "ca_file") if name in found}


def run(work: Coroutine[Any, Any, T], **hints: str) -> T:
    """Run a command's asynchronous part; what a service refuses becomes one line and exit status 1.

    `hints`: by reason, what may help after this command in particular.
    """
    try:
        import uvloop

        from xuezhan.client import ClientError
    except BaseException:
        # Ctrl-C meanwhile: else Python complains of work that was never begun.
        work.close()
        raise
    try:
        return uvloop.run(work)
    except ClientError as error:
        known = {**_HINTS, **hints}
        hint = known.get(error.reason, known.get(error.code, ""))
        raise CommandError(f"{error}{hint}") from None
