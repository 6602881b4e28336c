"""快速血战, the example of "Add a game" in CONTRIBUTING.md: 疯狂血战 without the exchange, and no win worth more than 3 fans.

This is all of the game, in a package its `options.py` and `rules.py`. tests/games/test_add_a_game.py enters it and plays it.
"""

from __future__ import annotations

from typing import Final

from games.crazy_xuezhan.options import LARGEST_CAP
from games.crazy_xuezhan.rules import CrazyXuezhan
from games.crazy_xuezhan.void import VoidPhase
from games.mahjong.hooks import Phase
from games.option_table import Option, OptionTable, Room, Whole

OPTIONS: Final = OptionTable(
    game="quick_xuezhan",
    options=(Option("cap", Whole(1, LARGEST_CAP)),),
    rooms=(Room("quick", "快速场", {"cap": 3}),),
    default_room="quick",
)


class QuickXuezhan(CrazyXuezhan):
    """The rules of 快速血战 with resolved options."""

    game = OPTIONS.game
    version = "quick_xuezhan/1"

    def before_play(self) -> tuple[Phase, ...]:
        """A void suit is named; nothing is exchanged."""
        return (VoidPhase(),)
