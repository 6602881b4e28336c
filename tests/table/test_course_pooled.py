"""What a table owes where the game pays pooled: one item at the hand's end, or when a winner leaves."""

from __future__ import annotations

import json
from typing import Any

from games.hand import Action, Do, Refusal
from services.kit.rooms import load_rooms
from services.table.course import Course
from services.table.rows import SEAT_ACTED
from tests.games.board import act
from tests.games.happy import FAR, JUNK, LONG, OTHER, READY, board


def course(*hands: str, wall: str) -> Course:
    """A table of 欢乐麻将 in which this hand is being played."""
    room = load_rooms(None).get("happy_sichuan/open")
    assert room is not None
    made = Course("t", room, room.rules(), ("ann", "bob", "cid", "dan"))
    made.phase = made.phase.__class__.GATHERING
    made.commit(bytes(32), (b"",) * 4, None)
    made.deal(None, 0)
    made.hand = board(*hands, wall=wall, rules=room.rules())
    made.owed.clear()
    return made


def play(made: Course, *moves: str | Action) -> None:
    for move in moves:
        assert not isinstance(made.act(act(move) if isinstance(move, str) else move, SEAT_ACTED, 0), Refusal), move


def owed(made: Course) -> list[dict[str, Any]]:
    return [json.loads(text) for _, text in made.owed]


def test_an_escape_owes_one_hand_end_in_points_and_nothing_by_stages() -> None:
    made = course(FAR, READY, JUNK, JUNK, wall="9p2s" + LONG)
    play(made, "0 discard 9p", "1 win", "2 leave")
    end = owed(made)[0]
    assert (end["kind"], end["rate"], end["points"]) == ("hand_end", 1, [96 - 6, 6, -192, 96])
    causes = {line["cause"]: [claim["multiple"] for claim in line["claims"]] for line in end["causes"]}
    assert causes == {"win": [6], "escape": [96, 96]}


def test_a_winner_who_leaves_owes_their_frozen_sum_and_the_hand_knows_it() -> None:
    made = course("111357m1346789p", OTHER, FAR, FAR, wall="1m9s5p4s4s2s")
    play(made, "0 kong 1m concealed", "0 discard 9s", "1 win")
    made.presence(1, on_auto=True, leaving=True)
    assert owed(made) == [], "asking to go is not yet going"
    play(made, "1 leave")
    assert owed(made) == [{"kind": "left", "seat": 1, "hand": 1, "rate": 1, "points": 6}]
    assert (made.left, made.on_auto) == (0b10, 0)
    play(made, "2 discard 4s", "3 discard 4s", "0 discard 2s")
    end = owed(made)[1]
    assert end["kind"] == "hand_end"
    assert end["points"][1] == 6, "no refund reaches them"
    assert sum(end["points"]) == 0


def test_a_winner_who_asked_to_go_goes_only_by_an_action_that_the_hand_hears() -> None:
    made = course(READY, FAR, JUNK, JUNK, wall="9p2s" + LONG)
    made.presence(0, on_auto=True, leaving=True)
    play(made, "0 win", "1 discard 2s")
    assert made.left == 0
    play(made, Action(0, Do.LEAVE))
    assert made.left == 1
