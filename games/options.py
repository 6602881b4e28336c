"""The options of every game, by the game's id: what rooms, `simulate`, `score` and `waits` accept."""

from __future__ import annotations

from collections.abc import Mapping

from games.option_table import OptionValue, is_null
from games.registry import game as find_game


def resolve(game: str, given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Return every option of a game with its value, `room` included.

    Values may be of the option's own type or as written on a command line. OptionError names the game or option that cannot be used.
    """
    return find_game(game).options.resolve(given)


def asked_cap(game: str, given: Mapping[str, object]) -> int | None:
    """Return the cap in fans that options ask for when a hand is valued on its own: none unless `cap` or `room` is given."""
    cap = resolve(game, given).get("cap")
    if not isinstance(cap, int) or all(is_null(given.get(name)) for name in ("cap", "room")):
        return None
    return cap
