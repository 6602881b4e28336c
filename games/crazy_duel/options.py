"""The rooms of 疯狂对杀 and what is at stake in them (docs/rules/crazy_duel.md)."""

from __future__ import annotations

from typing import Final, NamedTuple

from games.option_table import Flag, Option, OptionTable, Room


class Stakes(NamedTuple):
    """A coin room's figures, in coins. The room's coefficient `n` N is what a point is worth.

    `lock` is set aside when seated; nothing beyond it can be lost, so `largest_loss` is never more.
    """

    n: int
    lock: int
    largest_loss: int
    largest_escape: int


STAKES: Final = {
    "beginner": Stakes(100, 10_000, 10_000, 10_000),
    "intermediate": Stakes(500, 50_000, 50_000, 50_000),
    "advanced": Stakes(2_000, 200_000, 200_000, 200_000),
    "expert": Stakes(10_000, 1_000_000, 1_000_000, 1_000_000),
    "xuezhan": Stakes(50_000, 5_000_000, 5_000_000, 5_000_000),
}

DEFAULT: Final = "beginner"
OPTIONS: Final = OptionTable(
    game="crazy_duel",
    options=(Option("rated", Flag(), default=False, added=True, by_room=True),),
    rooms=(
        Room("rating", "普通场", {"rated": True}, base=0),
        Room("beginner", "初级场", base=STAKES["beginner"].n),
        Room("intermediate", "中级场", base=STAKES["intermediate"].n),
        Room("advanced", "高级场", base=STAKES["advanced"].n),
        Room("expert", "专家场", base=STAKES["expert"].n),
        Room("xuezhan", "血战场", base=STAKES["xuezhan"].n),
    ),
    default_room=DEFAULT,
)
"""`rated`: a rating room: no coins, points change the rating, and an escape costs what can be lost there at most."""
