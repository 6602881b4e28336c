"""Rows for people and for scripts: tab-separated with a heading, or one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click

as_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object a line instead of tab-separated columns.")


def write_rows(columns: Iterable[str], rows: Iterable[Mapping[str, Any]], *, as_json: bool) -> None:
    """Write rows; a missing field is empty."""
    names = list(columns)
    if not as_json:
        click.echo("\t".join(names))
    for row in rows:
        click.echo(json.dumps(dict(row), ensure_ascii=False) if as_json else "\t".join(_cell(row.get(name)) for name in names))


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())
