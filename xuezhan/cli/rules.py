"""`score`, `waits` and `payout`: the rules and the coins of one line at a time, without any service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import click

from games.option_table import OptionError
from xuezhan.cli.lines import answer_lines
from xuezhan.cli.options import game_options

_SCORE = """Value wins of GAME: reads one JSON object a line, writes one a line.

\b
concealed   13 tiles less the melds, without the winning one: "1112345678999m"
tile        the winning tile: "5m"
melds       [{"kind": "pung", "tile": "5p"}]; or direct_kong, added_kong, concealed_kong
how         "self_draw", "discard" or "robbed_kong". Where it is missing nothing is known of how the tile came: only the
            tiles count, and kongs, last_tile, first_draw and dealer change nothing
kongs       kongs in a row right before, of the winner or the discarder
last_tile, first_draw, dealer    true or false
void        the suit ruled out 定缺: "m", "p" or "s"
cap         fans at most

Only concealed and tile must be there; other fields are ignored. Exit status 1 if a line could not be used."""
_PAYOUT = """Turn claims (policy "stage") or points (policy "pooled") into coins: one JSON object a line, in and out.

\b
stage    base: coins that a claim of multiple 1 is worth
         money: each seat's coins, claims: [[payer, payee, multiple], ...]
pooled   rate: coins a point, money, points: each seat's, which add up to 0

Exit status 1 if a line could not be used."""


@click.command(
    help=_SCORE,
    epilog="""\b\nExample:\n  echo '{"concealed": "1112345678999m", "tile": "5m", "how": "self_draw"}' |\n  xuezhan score crazy_xuezhan""",
)
@game_options
def score(game: str, option: dict[str, str]) -> int:
    """Value wins."""
    from games.score import score_line

    return _value_lines(score_line, game, option)


@click.command(epilog="""\b\nExample:\n  echo '{"concealed": "1112345678999m", "void": "p"}' | xuezhan waits crazy_xuezhan""")
@game_options
def waits(game: str, option: dict[str, str]) -> int:
    """List the waits of hands of 13 of GAME, each valued as when a hand is checked at its end 查叫: one JSON object a line, in and out.

    Its fields are `concealed` and, if need be, `melds`, `void` and `cap`, as for `xuezhan score`.

    Exit status 1 if a line could not be used.
    """
    from games.score import waits_line

    return _value_lines(waits_line, game, option)


@click.command(epilog="""\b\nExample:\n  echo '{"cards": ["10S", "10S", "10H", "w"], "over": ["9S"]}' | xuezhan combos crazy_duel""")
@click.argument("game", type=click.Choice(["crazy_duel"]))
def combos(game: str) -> int:
    """Judge plays of GAME: which play some cards are, and whether they beat the cards on the table. One JSON object a line, in and out.

    Exit status 1 if a line could not be used.
    """
    from games.crazy_duel.combos import combos_line

    del game
    return answer_lines(combos_line)


@click.command(
    help=_PAYOUT,
    epilog="""\b\nExample:\n  echo '{"policy": "stage", "base": 10, "money": [0, 0, 9, 0], "claims": [[2, 0, 1]]}' |\n    xuezhan payout""",
)
def payout() -> int:
    """Turn claims or points into coins."""
    from games.payout import payout_json

    return answer_lines(payout_json)


def _value_lines(value: Callable[[str, Mapping[str, object], object], dict[str, Any]], game: str, option: dict[str, str]) -> int:
    from games.score import find_valuer

    try:
        find_valuer(game, option)
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    return answer_lines(partial(value, game, option))
