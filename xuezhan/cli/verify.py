"""`verify-record`: hand records against the rules."""

from __future__ import annotations

import click

from xuezhan.cli.lines import answer_lines


@click.command(
    "verify-record", epilog="\b\nExamples:\n  xuezhan replay TABLE | xuezhan verify-record\n  xuezhan verify-record < records.jsonl"
)
def verify_record() -> int:
    """Deal and play hand records again from their seeds and actions, and compare everything that follows from them.

    Reads one record a line and answers {"ok": true}, or {"ok": false, "at": ..., "why": ...}. A record that differs is an answer; exit
    status 1 is for lines that are no records.
    """
    from games.verify import Verifier

    return answer_lines(Verifier().check)
