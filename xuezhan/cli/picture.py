"""A table as text: what `watch` and the demo show. The card game's is in `card_picture`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment, Segments
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
    wall = f"wall {table.wall_left}" if table.phase else ""
    seats = [_row(table, names)] if brief else _blocks(table, names)
    return Group(heading(table, title, wall), *seats, *stage_line(table))


def _row(table: TableModel, names: Sequence[str]) -> Table:
    """Return the seats a line each, without their discards."""
    grid = Table(box=box.SIMPLE)
    for column in ("", "seat", "缺", "coins", "points", "tiles", "melds", "won"):
        right, whole = column in {"coins", "points"}, column in {"", "seat", "缺"}
        grid.add_column(column, justify="right" if right else "left", no_wrap=whole, overflow="fold")
    for number, seat in enumerate(table.seats):
        figures = (at(table.money, number), at(table.points, number))
        grid.add_row(*_who(table, number, names), *figures, _concealed(seat), _melds(seat), Text("\n").join(_wins(seat)))
    return grid


def _blocks(table: TableModel, names: Sequence[str]) -> list[RenderableType]:
    """Return a few lines for each seat, in 80 columns: who it is, what they have won, their tiles and melds, their discards."""
    seats = Table(box=None, show_header=False, pad_edge=False)
    for column in ("turn", "seat", "void", "coins", "points"):
        seats.add_column(column, justify="right" if column in {"coins", "points"} else "left", no_wrap=True)
    lines: list[list[Text]] = []
    for number, seat in enumerate(table.seats):
        mark, name, void = _who(table, number, names)
        seats.add_row(mark, name, f"缺 {void}" if void else "", f"coins {at(table.money, number)}", f"points {at(table.points, number)}")
        river = _tiles(seat.discards, mark=table.last_discard if table.turn == number else 0)
        lines.append([*_wins(seat), Text("  ").join((_concealed(seat), _melds(seat))), Text("打 ").append_text(river)])
    return [Text(), _Blocks(seats, lines)]


def _who(table: TableModel, number: int, names: Sequence[str]) -> tuple[str, str, str]:
    """Return whether it is the seat's turn, who sits there, and the suit they do without."""
    seat = table.seats[number]
    marks = f"{' 庄' if number == table.dealer else ''}{' 胡' if seat.wins else ''}"
    return "▶" if table.turn == number else " ", seat_name(table, number, names, marks), suit_name(seat.void)


class _Blocks:
    """The rows of a table, each followed by lines of its own, which are indented."""

    def __init__(self, rows: Table, lines: Sequence[Sequence[Text]]) -> None:
        self._rows = rows
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for row, lines in zip(console.render_lines(self._rows, options, pad=False), self._lines, strict=True):
            yield Segments([*row, Segment.line()])
            for line in lines:
                yield Padding(line, (0, 0, 0, 5), expand=False)


def _concealed(seat: SeatModel) -> Text:
    return _tiles(sorted(seat.tiles)) if seat.tiles else Text(f"{seat.count} tiles")


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


def _wins(seat: SeatModel) -> list[Text]:
    """Return a seat's wins: in games where a winner plays on there may be several."""
    wins = []
    for won in seat.wins:
        names = " ".join(part.name for part in won.parts)
        source = f" {won.from_seat_plus_one - 1}" if won.from_seat_plus_one else ""
        wins.append(Text(f"{_HOWS.get(won.how, '')}{source} {tile_name(won.tile)} {names} ×{won.multiple}", style="bold"))
    return wins
