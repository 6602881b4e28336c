"""The options and room tiers of 疯狂血战 (docs/rules/crazy_xuezhan.md)."""

from __future__ import annotations

from games.option_table import Choice, Option, OptionTable, Room, Whole

LARGEST_CAP = 15
"""In fans. Three claims of 10^16 would be more coins than an account may hold, 2^53 - 1, even at base 1."""

OPTIONS = OptionTable(
    game="crazy_xuezhan",
    options=(
        Option("phases", Choice(("void_exchange", "exchange_void")), "void_exchange"),
        Option("cap", Whole(1, LARGEST_CAP)),
    ),
    rooms=(
        Room("mayou", "麻友", {"cap": 4}),
        Room("dashi", "大师", {"cap": 4}),
        Room("dianfeng", "巅峰", {"cap": 5}),
        Room("wangzhe", "王者", {"cap": 6}),
    ),
    default_room="mayou",
)
