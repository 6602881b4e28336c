"""The `xuezhan` command.

Law: whatever is wrong with the arguments or the configuration is one line on standard error and exit status 2; work that failed is 1.
A reader that went away (a closed pipe) and Ctrl-C are no errors worth a traceback.

Commands are named here and imported only when they run, so that each starts as fast as what it needs.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final

import click

from xuezhan.cli import interrupt, program
from xuezhan.cli.errors import CommandError

CLOSED_PIPE: Final = 141
"""What a shell shows for a program ended by SIGPIPE."""
_LONGEST_WORD: Final = 200
_KEPT: Final = 40
"""An error repeats so much of a word that is longer, such as a number of 400 digits."""

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "up": ("up:up", "Run everything in one process; no server needed."),
    "serve": ("serve:serve", "Run one service of a large installation."),
    "load": ("load.command:load", "Play many tables at once and check every coin."),
    "doctor": ("doctor.command:doctor", "Ask every part how it is, and say what is wrong."),
    "rooms": ("rooms:rooms", "List the rooms."),
    "room": ("rooms:room", "Close a room, or open it again."),
    "tables": ("tables:tables", "List the live tables."),
    "table": ("table:table", "Look at one live table, or end it."),
    "servers": ("servers:servers", "List the table servers."),
    "drain": ("servers:drain", "Let a table server hand its tables over to the others."),
    "retry-tables": ("servers:retry_tables", "List the tables that were set aside, or let some be taken up once more."),
    "watch": ("watch:watch", "Watch one table in the terminal."),
    "replay": ("tables:replay", "Print the records of a table's finished hands."),
    "balance": ("money:balance", "Show what a player owns."),
    "statement": ("money:statement", "Show a player's ledger lines, newest first."),
    "deposit": ("money:deposit", "Put coins into a wallet, once a key."),
    "withdraw": ("money:withdraw", "Take coins out of a wallet, once a key."),
    "token": ("token:token", "Make a player's token for development."),
    "keys": ("keys:keys", "Make the keys of an installation: a folder for each role."),
    "users": ("users:users", "Make the users of an installation's database and broker."),
    "certificates": ("certificates:certificates", "Make a certificate authority and certificates, for a try-out."),
    "migrate": ("migrate:migrate", "Make or update the databases of a large installation."),
    "ledger": ("ledger:ledger", "Check the coin ledger, and see where coins went."),
    "settlement": ("dead_letters:settlement", "Look after items that cannot be settled, and see who did what."),
    "player": ("player:player", "Freeze a player, or lift that."),
    "options": ("game_options:options", "List the options of a game."),
    "score": ("rules:score", "Value wins, one a line."),
    "waits": ("rules:waits", "List the waits of hands of 13, one a line."),
    "combos": ("rules:combos", "Judge plays of cards, one a line."),
    "payout": ("rules:payout", "Turn claims or points into coins, one payout a line."),
    "simulate": ("simulate:simulate", "Play hands in this process and write their records."),
    "verify-record": ("verify:verify_record", "Deal and play hand records again and compare."),
}
"""Name: (module:attribute below xuezhan.cli, what it does)."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"xuezhan.cli.{module}"), attribute)
        _say_as_typed(command)
        interrupt.begin()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a closed pipe ends it quietly."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
            return answer
        except BrokenPipeError:
            # What is still buffered goes nowhere, without a complaint at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return CLOSED_PIPE


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="\b\nExample:\n  xuezhan up --demo",
)
@click.version_option(package_name="xuezhan")
def cli() -> None:
    """Backend for mahjong and card rooms: match, referee, settle."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    # Else gRPC writes a line of its own for each handshake that fails or asks for another host: a flood would fill the disk.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    given = sys.argv[1:] if arguments is None else arguments
    odd = next((one for one in given if not _is_text(one)), None)
    if odd is not None:
        _complain(f"argument {odd!r} is not UTF-8")
        return 2
    try:
        return int(cli.main(args=given, prog_name=program.name(), standalone_mode=False) or 0)
    except (click.Abort, KeyboardInterrupt):
        return interrupt.INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.ClickException as error:
        _complain(error.format_message())
        return 2
    except CommandError as error:
        _complain(str(error))
        return error.status


def _is_text(argument: str) -> bool:
    """Whether an argument can be sent, stored and hashed; bytes of another encoding arrive as halves of surrogate pairs."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def _say_as_typed(command: click.Command) -> None:
    """Let the examples and hints of a command's help be what one has to type here."""
    for said in (command, *command.params):
        for name in ("help", "epilog"):
            if text := getattr(said, name, None):
                setattr(said, name, program.as_typed(text, COMMANDS))
    for inner in getattr(command, "commands", {}).values():
        _say_as_typed(inner)


def _cut(word: str) -> str:
    """Return a word as an error repeats it: enough of one that nobody would read to its end."""
    return word if len(word) <= _LONGEST_WORD else f"{word[:_KEPT]}... ({len(word)} characters)"


def _complain(text: str) -> None:
    from services.kit.urls import without_passwords

    said = program.as_typed(without_passwords(" ".join(map(_cut, text.split()))), COMMANDS)
    print(f"xuezhan: {said}", file=sys.stderr)
