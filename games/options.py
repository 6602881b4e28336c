"""The options of every game, by the game's id: what rooms, `simulate`, `score` and `waits` accept."""

from __future__ import annotations

from collections.abc import Mapping

from games.crazy_duel.options import OPTIONS as CRAZY_DUEL
from games.crazy_xuezhan.options import OPTIONS as CRAZY_XUEZHAN
from games.fields import shown
from games.happy_sichuan.options import OPTIONS as HAPPY_SICHUAN
from games.kaxinwu.options import OPTIONS as KAXINWU
from games.option_table import OptionError, OptionTable, OptionValue, is_null

OPTION_TABLES: dict[str, OptionTable] = {table.game: table for table in (CRAZY_XUEZHAN, HAPPY_SICHUAN, KAXINWU, CRAZY_DUEL)}


def option_table(game: str) -> OptionTable:
    """Return a game's options. OptionError if there is no such game."""
    table = OPTION_TABLES.get(game)
    if table is None:
        raise OptionError("game", f"{shown(game)} is not one of {', '.join(OPTION_TABLES)}")
    return table


def resolve(game: str, given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Return every option of a game with its value, `room` included.

    Values may be of the option's own type or as written on a command line. OptionError names the option that cannot be used.
    """
    return option_table(game).resolve(given)


def asked_cap(game: str, given: Mapping[str, object]) -> int | None:
    """Return the cap in fans that options ask for when a hand is valued on its own: none unless `cap` or `room` is given."""
    cap = resolve(game, given).get("cap")
    if not isinstance(cap, int) or all(is_null(given.get(name)) for name in ("cap", "room")):
        return None
    return cap
