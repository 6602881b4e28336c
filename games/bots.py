"""The bots of every game, by game and name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from games.crazy_duel import greedy_bot as duel_greedy
from games.crazy_duel import random_bot as duel_random
from games.hand import Bot
from games.happy_sichuan.greedy_bot import TwoSuitBot
from games.mahjong.greedy_bot import GreedyBot
from games.mahjong.random_bot import RandomBot
from games.option_table import OptionError

BOTS: Final[Mapping[str, Mapping[str, Callable[[Random], Bot]]]] = {
    "crazy_xuezhan": {"random": RandomBot, "greedy": GreedyBot},
    "happy_sichuan": {"random": RandomBot, "greedy": TwoSuitBot},
    "kaxinwu": {"random": RandomBot, "greedy": GreedyBot},
    "crazy_duel": {"random": duel_random.RandomBot, "greedy": duel_greedy.GreedyBot},
}


def bot(game: str, name: str, random: Random) -> Bot:
    """Return a bot that draws on `random`. OptionError if there is no such game, or no bot of this name for it."""
    minds = BOTS.get(game)
    if minds is None:
        raise OptionError("game", f"{game!r} is not one of {', '.join(BOTS)}")
    if name not in minds:
        raise OptionError("bots", f"{name!r} is not one of {', '.join(minds)}")
    return minds[name](random)
