"""A mahjong table as text: what `watch` and the demo show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.client import SeatModel, TableModel, tile_name
from xuezhan.client.acts import suit_name

_COLOURS: Final = {"m": "red", "p": "blue", "s": "green"}
_MELDS: Final = {
    mj.MELD_KIND_PUNG: "碰",
    mj.MELD_KIND_DIRECT_KONG: "直杠",
    mj.MELD_KIND_ADDED_KONG: "补杠",
    mj.MELD_KIND_CONCEALED_KONG: "暗杠",
}
_HOWS: Final = {mj.WIN_HOW_SELF_DRAW: "自摸", mj.WIN_HOW_DISCARD: "点炮", mj.WIN_HOW_ROBBED_KONG: "抢杠胡"}


def table_picture(table: TableModel, names: Sequence[str], title: str, *, discards: bool = True) -> Table:
    """Draw a table; `names` of the seats' players, `discards`: with the tiles in front of each seat."""
    wall = f"wall {table.wall_left}" if table.phase else "waiting"
    grid = Table(title=f"{title} · hand {table.hand} · {table.phase or 'not dealt yet'} · {wall}", box=box.SIMPLE, title_justify="left")
    for heading in ("", "seat", "缺", "coins", "points", "tiles", "melds", *(["discards"] if discards else []), "won"):
        grid.add_column(
            heading, justify="right" if heading in {"coins", "points", "tiles"} else "left", no_wrap=heading in {"", "seat", "缺"}
        )
    for number, seat in enumerate(table.seats):
        name = names[number] if number < len(names) else ""
        marks = "▶" if table.turn == number else " "
        who = f"{number} {name}{' 庄' if number == table.dealer else ''}{' 托管' if seat.on_auto else ''}{' 离' if seat.left else ''}"
        row: list[str | Text] = [
            marks,
            who,
            suit_name(seat.void),
            _at(table.money, number) if any(table.money) else "",
            _at(table.points, number) if any(table.points) else "",
            _concealed(seat),
            _melds(seat),
        ]
        if discards:
            row.append(_tiles(seat.discards, mark=table.last_discard if table.turn == number else 0))
        grid.add_row(*row, _wins(seat))
    return grid


def _at(values: Sequence[int], number: int) -> str:
    return str(values[number]) if number < len(values) else ""


def _concealed(seat: SeatModel) -> Text:
    return _tiles(sorted(seat.tiles)) if seat.tiles else Text(str(seat.count))


def _tiles(tiles: Sequence[int], mark: int = 0) -> Text:
    text = Text()
    for place, tile in enumerate(tiles):
        name = tile_name(tile)
        last = mark == tile and place == len(tiles) - 1
        text.append(name + " ", style=f"bold reverse {_COLOURS[name[1]]}" if last else _COLOURS[name[1]])
    return text


def _melds(seat: SeatModel) -> Text:
    text = Text()
    for meld in seat.melds:
        text.append(f"{_MELDS.get(meld.kind, '?')} ")
        text.append_text(_tiles([meld.tile]))
    return text


def _wins(seat: SeatModel) -> Text:
    text = Text()
    for won in seat.wins:
        names = " ".join(part.name for part in won.parts)
        text.append(f"{_HOWS.get(won.how, '')} {tile_name(won.tile)} {names} ×{won.multiple} ", style="bold")
    return text
