"""`verify-record`: hand records against the rules, the signatures and the players' receipts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from xuezhan.cli.lines import answer_lines, write_line
from xuezhan.cli.options import GivenPath

if TYPE_CHECKING:
    from xuezhan.client.signed import PublicKey

_HELP = """Deal and play hand records again from their seeds and actions, and compare everything that follows from them.

Reads one record a line and answers {"ok": true} or {"ok": false, "at": ..., "why": ...}, both with

\b
signed     "yes": by a key that was given; "unchecked": no key was given; "no"
entropy    how many seats' bytes are in the shuffle
withheld   the seats that committed to bytes and did not show them

What is false also has

\b
proof      "signed": it follows from texts that a --key signed; "claimed": it rests on unsigned texts, or on which lines were
           given, and proves nothing to a third person

With --key a record that none of the keys signed is false (but of the table simulate); PEM files, as GetKeys serves them. With
--receipts a record is false that contradicts what its players kept, and hands that a server committed to without a record, or
signed statements that cannot both be true, are lines of their own at the end.

Exit status 1 if anything is false, a line could not be used, or no record came and no receipts."""


@click.command(
    "verify-record",
    help=_HELP,
    epilog="\b\nExamples:\n  xuezhan replay TABLE | xuezhan verify-record --key record.pem\n"
    "  xuezhan verify-record --receipts mine.jsonl < records.jsonl",
)
@click.option("--key", "keys", type=GivenPath(), multiple=True, metavar="FILE", help="A public record key; may be repeated.")
@click.option("--receipts", type=GivenPath(), multiple=True, metavar="FILE", help="Receipts of a player; may be repeated.")
def verify_record(keys: tuple[Path, ...], receipts: tuple[Path, ...]) -> int:
    """Verify records."""
    from xuezhan.cli.audit.auditor import Auditor
    from xuezhan.cli.audit.book import Book

    known = {key.key_id: key for path in keys for key in _keys_of(path)}
    book = Book(known)
    for path in receipts:
        try:
            book.load(path)
        except OSError as error:
            raise click.UsageError(f"--receipts {path}: {error.strerror}") from None
    auditor = Auditor(known, book)
    status = answer_lines(auditor.check, names_once=True, needs="" if receipts else "record")
    for line in auditor.rest():
        write_line(line)
    return 1 if auditor.bad else status


def _keys_of(path: Path) -> list[PublicKey]:
    from xuezhan.client.signed import keys_in

    try:
        return keys_in(path.read_bytes())
    except OSError as error:
        raise click.UsageError(f"--key {path}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(f"--key {path}: {error}") from None
