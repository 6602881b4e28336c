"""A table of the card game as text: how many cards each seat holds, what is to be beaten, and the plays so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.cli.picture_parts import at, heading, seat_name, stage_line
from xuezhan.client import CardTableModel, card_name

PLAYS: Final = 12
"""Plays that are shown, the last ones."""
_SUITS: Final = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
_RED: Final = frozenset("HD")
_JOKERS: Final = {"w": ("小王", "bold"), "W": ("大王", "bold red")}
_KINDS: Final = {
    cd.PLAY_KIND_SINGLE: "单张",
    cd.PLAY_KIND_PAIR: "对子",
    cd.PLAY_KIND_TRIPLE: "三同张",
    cd.PLAY_KIND_STRAIGHT: "顺子",
    cd.PLAY_KIND_PAIR_ROW: "连对",
    cd.PLAY_KIND_TRIPLE_ROW: "连三同张",
    cd.PLAY_KIND_BOMB: "炸弹",
    cd.PLAY_KIND_BOMB_ROW: "连炸",
    cd.PLAY_KIND_THREE_JOKERS: "三王炸弹",
    cd.PLAY_KIND_FOUR_JOKERS: "天王炸弹",
}


def card_picture(table: CardTableModel, names: Sequence[str], title: str, *, brief: bool) -> RenderableType:
    """Draw a table; `names` of the seats' players, `brief`: without the plays before the last."""
    grid = Table(box=box.SIMPLE)
    for column in ("", "seat", "coins", "points", "cards"):
        grid.add_column(column, justify="right" if column in {"coins", "points"} else "left", no_wrap=column != "cards")
    for number, seat in enumerate(table.seats):
        marks = " 先" if number == table.leader else ""
        cards = _cards(seat.cards) if seat.cards else Text()
        held = Text(f"{seat.count:2}  ").append_text(cards) if table.phase else Text()
        grid.add_row(
            "▶" if table.turn == number else " ",
            seat_name(table, number, names, marks),
            at(table.money, number),
            at(table.points, number),
            held,
        )
    lines = [_to_beat(table)] if table.phase == "play" else []
    plays = [] if brief else [_laid(seat, play) for seat, play in table.plays[-PLAYS:]]
    return Group(heading(table, title), grid, *lines, *plays, *stage_line(table))


def _to_beat(table: CardTableModel) -> Text:
    text = Text("  to beat: ", style="bold")
    if table.to_beat is None:
        return text.append(f"nothing, seat {table.turn} leads")
    return text.append_text(_play(table.to_beat))


def _laid(seat: int, play: cd.CardPlay | None) -> Text:
    text = Text(f"    {seat} ", style="dim" if play is None else "")
    return text.append("过") if play is None else text.append_text(_play(play))


def _play(play: cd.CardPlay) -> Text:
    text = Text(f"{_KINDS.get(play.kind, '?')} ", style="bold" if play.stars else "")
    text.append_text(_cards(sorted(play.cards)))
    return text.append(f" {play.stars}★" if play.stars else f" top {play.top}")


def _cards(cards: Sequence[int]) -> Text:
    text = Text()
    for card in cards:
        name = card_name(card)
        if name in _JOKERS:
            text.append(_JOKERS[name][0] + " ", style=_JOKERS[name][1])
        else:
            text.append(f"{name[:-1]}{_SUITS[name[-1]]} ", style="red" if name[-1] in _RED else "")
    return text
