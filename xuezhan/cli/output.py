"""Rows for people and for scripts: a table on a terminal, tab-separated with a heading elsewhere, or one JSON object a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

as_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object a line instead of columns.")


def write_rows(columns: Iterable[str], rows: Iterable[Mapping[str, Any]], *, as_json: bool) -> None:
    """Write rows; a missing field is empty."""
    names, found = list(columns), list(rows)
    if as_json:
        for row in found:
            click.echo(json.dumps(dict(row), ensure_ascii=False))
    elif sys.stdout.isatty():
        _draw(names, found)
    else:
        click.echo("\t".join(names))
        for row in found:
            click.echo("\t".join(_cell(row.get(name)) for name in names))


def _draw(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table without the columns in which no row has anything. Nothing is cut off: what is too wide goes on in the next line."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    kept = [name for name in names if not rows or any(_cell(row.get(name)) for row in rows)]
    for name in kept:
        values = [row.get(name) for row in rows if row.get(name) is not None]
        numbers = bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        table.add_column(name, justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(name))) for name in kept))
    Console().print(table)


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())
