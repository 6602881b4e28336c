"""A table as text: what `watch` and the demo show. The card game's is in `card_picture`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.cli.card_picture import card_picture
from xuezhan.cli.picture_parts import at, heading, seat_name, stage_line
from xuezhan.client import CardTableModel, Picture, SeatModel, TableModel, tile_name
from xuezhan.client.acts import suit_name

_COLOURS: Final = {"m": "red", "p": "blue", "s": "green"}
_MELDS: Final = {
    mj.MELD_KIND_PUNG: "碰",
    mj.MELD_KIND_DIRECT_KONG: "直杠",
    mj.MELD_KIND_ADDED_KONG: "补杠",
    mj.MELD_KIND_CONCEALED_KONG: "暗杠",
}
_HOWS: Final = {mj.WIN_HOW_SELF_DRAW: "自摸", mj.WIN_HOW_DISCARD: "点炮", mj.WIN_HOW_ROBBED_KONG: "抢杠胡"}


def table_picture(table: Picture, names: Sequence[str], title: str, *, brief: bool = False) -> RenderableType:
    """Draw a table of any game; `names` of the seats' players, `brief`: without what lies on the table from before."""
    if isinstance(table, CardTableModel):
        return card_picture(table, names, title, brief=brief)
    return _mahjong(table, names, title, brief=brief)


def _mahjong(table: TableModel, names: Sequence[str], title: str, *, brief: bool) -> RenderableType:
    grid = Table(box=box.SIMPLE)
    for column in ("", "seat", "缺", "coins", "points", "tiles", "melds", *([] if brief else ["discards"]), "won"):
        right, whole = column in {"coins", "points"}, column in {"", "seat", "缺"}
        grid.add_column(column, justify="right" if right else "left", no_wrap=whole, overflow="fold")
    for number, seat in enumerate(table.seats):
        marks = f"{' 庄' if number == table.dealer else ''}{' 胡' if seat.wins else ''}"
        row: list[str | Text] = [
            "▶" if table.turn == number else " ",
            seat_name(table, number, names, marks),
            suit_name(seat.void),
            at(table.money, number),
            at(table.points, number),
            _concealed(seat),
            _melds(seat),
        ]
        if not brief:
            row.append(_tiles(seat.discards, mark=table.last_discard if table.turn == number else 0))
        grid.add_row(*row, _wins(seat))
    return Group(heading(table, title, f"wall {table.wall_left}" if table.phase else ""), grid, *stage_line(table))


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
    """Return a seat's wins, a line each: in games where a winner plays on there may be several."""
    text = Text(style="bold")
    for place, won in enumerate(seat.wins):
        names = " ".join(part.name for part in won.parts)
        source = f" {won.from_seat_plus_one - 1}" if won.from_seat_plus_one else ""
        text.append(f"{chr(10) if place else ''}{_HOWS.get(won.how, '')}{source} {tile_name(won.tile)} {names} ×{won.multiple}")
    return text
