"""What `watch` draws: a screenful of each game that a player can follow."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from games.bots import bot
from games.hand import WATCHERS
from services.kit.rooms import load_rooms
from services.table.codec import registry
from services.table.course import Course
from services.table.events import Asked
from services.table.phases import Phase
from services.table.rows import SEAT_ACTED
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.picture import table_picture
from xuezhan.client import Picture, table_model

NAMES = ["ann", "bob", "cem", "dee"]


def drawn(picture: Picture, *, brief: bool = False, width: int = 80) -> list[str]:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(table_picture(picture, NAMES, "room · table", brief=brief))
    return console.export_text().splitlines()


class Watched:
    """A hand of a room's game, seen by a watcher."""

    def __init__(self, room_id: str, seed: int) -> None:
        room = load_rooms(None).get(room_id)
        assert room is not None
        self.course = Course("t", room, room.rules(), tuple(NAMES[: room.players]))
        self.course.phase = Phase.GATHERING
        self.picture = table_model(room_id, room.players)
        self.mind = bot(room.game, "greedy", random.Random(seed))
        self.hear(self.course.commit(bytes([seed]) * 32, (b"",) * room.players, None))
        self.hear(self.course.deal(None, 0))

    def hear(self, told: Any) -> None:
        for what in told:
            if what.to & WATCHERS and type(what) is not Asked:
                event = pb.Event.FromString(registry.event(what, 1))
                name = event.WhichOneof("what") or ""
                self.picture.hear(name, getattr(event, name))

    def play(self, steps: int = 1000) -> None:
        hand = self.course.dealt_hand
        while steps and not hand.over:
            seat = next(seat for seat, offer in enumerate(hand.offers) if offer is not None)
            self.hear(self.course.act(self.mind.choose(hand, seat), SEAT_ACTED, 0))
            steps -= 1


def row(lines: list[str], name: str) -> str:
    return next(line for line in lines if f" {name}" in line)


def test_a_card_table_shows_what_is_to_be_beaten_whose_turn_it_is_and_the_plays_so_far() -> None:
    watched = Watched("crazy_duel/beginner", 3)
    watched.play(9)
    lines = drawn(watched.picture)
    assert lines[0] == "room · table · hand 1 · play"
    assert "▶" in row(lines, "bob")
    assert row(lines, "ann").split()[:3] == ["0", "ann", "先"]
    assert "  to beat: 天王炸弹 小王 小王 大王 大王  7★" in [line.rstrip() for line in lines]
    assert "    1 炸弹 10♠ 10♠ 10♥ 10♥ 10♣ 10♦  6★" in [line.rstrip() for line in lines]
    assert len(lines) < 24
    watched.play(1)
    assert "  to beat: nothing, seat 0 leads" in [line.rstrip() for line in drawn(watched.picture)]


def test_a_card_table_at_the_end_shows_the_cards_left_and_what_was_won() -> None:
    watched = Watched("crazy_duel/beginner", 3)
    watched.play()
    lines = drawn(watched.picture, brief=True)
    assert row(lines, "bob").rstrip().endswith("J♣ A♣ A♦ 2♠ 2♦ 2♦")
    assert lines[-1].rstrip() == "  杀 showdown: 1→0 ×8"
    assert not any("单张" in line for line in lines), "a brief picture has no plays"


def test_several_wins_of_a_seat_stand_under_each_other() -> None:
    watched = Watched("kaxinwu/coins", 2)
    watched.play()
    lines = drawn(watched.picture)
    place = lines.index(row(lines, "bob"))
    assert " 胡 " in lines[place]
    assert [line.strip() for line in lines[place + 1 : place + 3]] == ["点炮 0 2s 平胡 ×2", "点炮 2 1p 平胡 ×2"]


@pytest.mark.parametrize("room_id", ["crazy_xuezhan/mayou", "happy_sichuan/open", "kaxinwu/coins", "crazy_duel/beginner"])
def test_points_are_shown_as_soon_as_they_arise(room_id: str) -> None:
    """In the game's own points, whatever a multiple is worth."""
    watched = Watched(room_id, 4)
    hand = watched.course.dealt_hand
    while not hand.over:
        watched.play(1)
        assert watched.picture.points == hand.points()
        lines = drawn(watched.picture)
        assert len(lines) <= 24
        assert all(cell_len(line.rstrip()) <= 80 for line in lines)
        assert [sum(f" {name}" in line for line in lines) for name in NAMES[: hand.players]] == [1] * hand.players
