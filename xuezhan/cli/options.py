"""Arguments that several commands share."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from xuezhan.cli.errors import CommandError

F = TypeVar("F", bound=Callable[..., Any])

MAX_COINS: Final = 2**53 - 1


class GivenText(click.ParamType[str]):
    """Text that says something: "" is what a script's unset variable leaves, and must not pass for an option that was not given."""

    name = "text"

    def __init__(self, needed: str) -> None:
        self._needed = needed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as it is."""
        text = str(value)
        if not text.strip():
            self.fail(f"it is empty: {self._needed} is needed", param, ctx)
        return text


class PlayerName(click.ParamType[str]):
    """A player's id, checked before anybody is asked."""

    name = "player"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id."""
        from pydantic import TypeAdapter, ValidationError

        from services.kit.names import PlayerId, is_reserved

        player = str(value)
        try:
            TypeAdapter(PlayerId).validate_python(player)
        except ValidationError:
            needed = f"{player} is a reserved name" if is_reserved(player) else "1 to 64 letters, digits or any of _ . : @ - are needed"
            self.fail(needed, param, ctx)
        return player


class Coins(click.ParamType[int]):
    """A number of coins to move."""

    name = "coins"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        text = str(value)
        if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:20]) <= MAX_COINS:
            self.fail(f"{text!r} is no number of coins: a whole number from 1 to {MAX_COINS} is needed", param, ctx)
        return int(text)


class GivenUrl(GivenText):
    """A URL. One with a password does not belong into a command line: `ps` shows that to everybody on the machine."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as it is. Warns on standard error of a password in the command line."""
        from services.kit.urls import without_passwords

        url = super().convert(value, param, ctx)
        name = "" if param is None else param.name or ""
        typed = ctx is not None and ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if typed and without_passwords(url) != url:
            option, variable = f"--{name.replace('_', '-')}", f"XUEZHAN_{name.upper()}"
            click.echo(
                f"xuezhan: {option}: `ps` shows its password to everybody here: use {variable}, {option}-file FILE, or {option}-file -"
                " (standard input)",
                err=True,
            )
        return url


class GivenPath(click.Path):
    """A path; "" is none, though pathlib takes it for the folder one is in."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True, allow_dash: bool = False) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, allow_dash=allow_dash, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the Path."""
        if not os.fspath(value):
            self.fail("it is empty: a path is needed", param, ctx)
        return super().convert(value, param, ctx)


class DataFolder(GivenPath):
    """The data folder of `up`: one that others can be beside, since its secrets are."""

    def __init__(self) -> None:
        super().__init__(file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the Path, which has a name."""
        path: Path = super().convert(value, param, ctx)
        if path.name in {"", ".."}:
            path = path.resolve()
        if not path.name:
            self.fail(f"{path}: a folder with a name is needed, which its secrets are kept beside", param, ctx)
        return path


who_option = click.option("--who", type=GivenText("a name"), default=getpass.getuser, show_default="you", help="Who does it; recorded.")
why_option = click.option("--why", type=GivenText("a reason"), required=True, help="Why; recorded.")

ADDRESS: Final = GivenText("an address")
URL: Final = GivenUrl("a URL")
URL_FILE: Final = GivenPath(dir_okay=False, allow_dash=True)
"""A file with a URL; `-` is standard input. So a password stands where `ps` does not show it."""


def url_from(url: str | None, file: Path | None) -> str | None:
    """Return the URL of a database that was given, or the one in a file. CommandError, which repeats neither, when it cannot be used.

    A database that is reached by TLS is believed by XUEZHAN_CA_FILE, or by the ca.pem beside the file.
    """
    from services.kit import urls
    from services.kit.config import TlsSettings
    from services.kit.role_folder import CA

    field, ca_file = "database_url", TlsSettings().ca_file
    try:
        if not url and file is not None:
            field = "database_url_file"
            url = urls.read_url(file)
            beside = file.parent / CA
            if ca_file is None and beside.is_file():
                ca_file = beside
        return urls.with_ca(urls.checked(url, urls.DATABASES), ca_file) if url else None
    except ValueError as error:
        raise CommandError(f"{field}: {error}", 2) from None


def _pairs(_context: click.Context, _parameter: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise click.BadParameter(f"{text!r} is not KEY=VALUE")
        if key in pairs:
            raise click.BadParameter(f"{key} is given twice")
        pairs[key] = value
    return pairs


def game_options(function: F) -> F:
    """Add the argument GAME (`game`) and the repeated --option KEY=VALUE (`option`, a dict of texts)."""
    add_option = click.option(
        "--option", multiple=True, metavar="KEY=VALUE", callback=_pairs, help="An option of the game; may be repeated."
    )
    return click.argument("game")(add_option(function))
