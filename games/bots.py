"""The bots of every game, by game and name."""

from __future__ import annotations

from random import Random

from games.hand import Bot
from games.option_table import OptionError
from games.registry import game as find_game


def bot(game: str, name: str, random: Random) -> Bot:
    """Return a bot that draws on `random`. OptionError if there is no such game, or no bot of this name."""
    found = find_game(game)
    minds = {"random": found.random, "greedy": found.greedy}
    if name not in minds:
        raise OptionError("bots", f"{name!r} is not one of {', '.join(minds)}")
    return minds[name](random)
