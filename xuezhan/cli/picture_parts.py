"""What the pictures of all tables have in common: the heading, seats, money, and the claims that arose last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from xuezhan.client import Picture

_CAUSES: Final = {
    "win": "胡",
    "kong": "杠",
    "kong_transfer": "转杠",
    "flower_pig": "花猪",
    "not_ready": "查叫",
    "refund": "退杠",
    "escape": "逃跑",
    "showdown": "杀",
}


def heading(table: Picture, title: str, more: str = "") -> Text:
    """Return the line above a table."""
    parts = [title, f"hand {table.hand}", table.phase or "not dealt yet", more]
    return Text(" · ".join(part for part in parts if part), style="italic")


def seat_name(table: Picture, number: int, names: Sequence[str], marks: str) -> str:
    """Return a seat's number, player, title and marks: 托管 the server plays it, 离 its player has left."""
    seat = table.seats[number]
    name = names[number] if number < len(names) else ""
    title = f" {table.titles[number]}".rstrip() if number < len(table.titles) else ""
    return f"{number} {name}{title}{marks}{' 托管' if seat.on_auto else ''}{' 离' if seat.left else ''}"


def at(values: Sequence[int], number: int) -> str:
    """Return a seat's figure, nothing where there is none."""
    return str(values[number]) if number < len(values) else ""


def stage_line(table: Picture) -> list[Text]:
    """Return the claims that arose last in the hand as a line: cause, payer→payee and multiple; none before the first."""
    stage = table.last_stage
    if stage is None:
        return []
    claims = ", ".join(f"{claim.payer}→{claim.payee} ×{claim.multiple}" for claim in stage.claims)
    return [Text(f"  {_CAUSES.get(stage.cause, '')} {stage.cause}: {claims or 'nothing'}")]
