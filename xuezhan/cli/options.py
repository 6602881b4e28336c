"""Arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


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
