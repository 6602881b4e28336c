"""The options and room tiers of 欢乐麻将 (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

from games.option_table import Choice, Option, OptionTable, Room, Whole

SINGLE = "single"
LARGEST_CAP = 99
"""In fans. No hand comes near it, so that any cap a room may want to write can be written."""

OPTIONS = OptionTable(
    game="happy_sichuan",
    options=(
        Option("mode", Choice(("xuezhan", SINGLE)), "xuezhan"),
        Option("cap", Whole(1, LARGEST_CAP, null=True)),
        Option("kong_draw_fan", Whole(1, 2), 1),
    ),
    rooms=(
        Room("open", "不封顶", {"cap": None}),
        Room("three_fan", "三番场", {"cap": 3}),
        Room("single", "普通场", {"cap": None, "mode": SINGLE}),
    ),
    default_room="open",
)
