"""The options and rooms of 血战卡心五 (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from typing import Final

from games.option_table import Flag, Option, OptionTable, Room, Whole

MOST_PLAYERS: Final = 4

OPTIONS: Final = OptionTable(
    game="kaxinwu",
    options=(
        Option("three_suits", Flag(), default=False),
        Option("must_kong", Flag(), default=False),
        Option("opener", Whole(0, MOST_PLAYERS - 1, null=True)),
    ),
    rooms=(Room("coins", "金币场"), Room("points", "积分场", base=0)),
    default_room="coins",
)
