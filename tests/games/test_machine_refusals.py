"""What is refused, with which reason, and nothing happens. Everyone is void in s."""

from __future__ import annotations

import json

import pytest

from games.hand import Action, Do, Refusal, Why
from games.mahjong.machine import MahjongHand
from games.mahjong.melds import MeldKind
from games.mahjong.notation import action_from_json, action_to_json
from games.mahjong.tiles import tile_of
from tests.games.board import act, before_play, board, play

JUNK = "124578m124578p9m"
WAITS_5P = "123456789m4611p"
THREE_5P = "124578m124555p9m"
MIXED = "1122m1122p11223s"

TURN, CLAIM, VOID, EXCHANGE, OVER = "turn", "claim", "void", "exchange", "over"


def hand_in(place: str) -> MahjongHand:
    """Seat 0 holds the turn with 1111m; or has thrown 5p which 1 can win and 2 can kong; or before play; or after it."""
    if place == TURN:
        return board("1111m24578m1245p", JUNK, JUNK, JUNK, wall="9p8p9m9m")
    if place in {VOID, EXCHANGE}:
        hand = before_play(MIXED, "123456789m11p22s", MIXED, MIXED)
        if place == EXCHANGE:
            play(hand, "0 void m", "1 void p", "2 void s", "3 void m")
        return hand
    hand = board(JUNK, WAITS_5P, THREE_5P, JUNK, wall="5p9m9m9m" if place == CLAIM else "9p")
    play(hand, "0 discard 5p" if place == CLAIM else "0 discard 9p")
    return hand


@pytest.mark.parametrize(
    ("place", "move", "why"),
    [
        (TURN, "1 discard 9m", Why.NOT_YOUR_TURN),
        (TURN, "0 discard 9m", Why.NOT_OFFERED),
        (TURN, "0 win", Why.NOT_OFFERED),
        (TURN, "0 pass", Why.NOT_OFFERED),
        (TURN, "0 pung", Why.NOT_OFFERED),
        (TURN, "0 leave", Why.NOT_OFFERED),
        (TURN, "0 void m", Why.NOT_OFFERED),
        (TURN, "0 exchange 111m", Why.NOT_OFFERED),
        (TURN, "0 kong 2m concealed", Why.NOT_OFFERED),
        (TURN, "0 kong 1m added", Why.NOT_OFFERED),
        (TURN, "0 kong 1m direct", Why.NOT_OFFERED),
        (CLAIM, "0 discard 9m", Why.NOT_YOUR_TURN),
        (CLAIM, "3 pass", Why.NOT_YOUR_TURN),
        (CLAIM, "1 pung", Why.NOT_OFFERED),
        (CLAIM, "1 discard 1m", Why.NOT_OFFERED),
        (CLAIM, "2 win", Why.NOT_OFFERED),
        (CLAIM, "2 kong 5p concealed", Why.NOT_OFFERED),
        (CLAIM, "2 kong 4p direct", Why.NOT_OFFERED),
        (CLAIM, "1 kong 5p direct", Why.NOT_OFFERED),
        (VOID, "0 exchange 223s", Why.NOT_OFFERED),
        (VOID, "0 discard 1m", Why.NOT_OFFERED),
        (EXCHANGE, "1 exchange 123m", Why.NOT_YOUR_TURN),
        (EXCHANGE, "0 exchange 222s", Why.NOT_OFFERED),
        (EXCHANGE, "0 exchange 11m2p", Why.NOT_OFFERED),
        (EXCHANGE, "0 exchange 129m", Why.NOT_OFFERED),
        (EXCHANGE, "0 void m", Why.NOT_OFFERED),
        (OVER, "0 discard 1m", Why.HAND_OVER),
        (OVER, "2 leave", Why.HAND_OVER),
    ],
)
def test_an_action_that_is_not_offered_is_refused_and_nothing_happens(place: str, move: str, why: Why) -> None:
    refused(place, act(move), why)


@pytest.mark.parametrize(
    ("place", "action"),
    [
        (TURN, Action(0, Do.DISCARD)),
        (TURN, Action(0, Do.DISCARD, 27)),
        (TURN, Action(0, Do.DISCARD, -5)),
        (TURN, Action(0, Do.DISCARD, 0, (0,))),
        (TURN, Action(0, Do.DISCARD, 0, (), MeldKind.CONCEALED_KONG)),
        (TURN, Action(0, Do.KONG, 0)),
        (TURN, Action(0, Do.KONG, 0, (), "pung")),
        (TURN, Action(0, Do.KONG, 30, (), MeldKind.CONCEALED_KONG)),
        (TURN, Action(0, Do.KONG, 0, (0,), MeldKind.CONCEALED_KONG)),
        (TURN, Action(0, Do.WIN, 3)),
        (TURN, Action(4, Do.DISCARD, 0)),
        (TURN, Action(-1, Do.DISCARD, 0)),
        (CLAIM, Action(1, Do.WIN, tile_of("5p"))),
        (CLAIM, Action(2, Do.PUNG, -1, (1, 1))),
        (CLAIM, Action(2, Do.PASS, -1, (), "pass")),
        (VOID, Action(0, Do.VOID)),
        (VOID, Action(0, Do.VOID, 3)),
        (VOID, Action(0, Do.VOID, 0, (1,))),
        (EXCHANGE, Action(0, Do.EXCHANGE, -1, (0, 0))),
        (EXCHANGE, Action(0, Do.EXCHANGE, -1, (0, 0, 1, 1))),
        (EXCHANGE, Action(0, Do.EXCHANGE, -1, (0, 0, 27))),
        (EXCHANGE, Action(0, Do.EXCHANGE, 0, (0, 0, 1))),
    ],
)
def test_an_action_with_fields_that_do_not_belong_is_malformed_and_nothing_happens(place: str, action: Action) -> None:
    refused(place, action, Why.MALFORMED)


def test_a_play_of_cards_is_nothing_here() -> None:
    refused(TURN, Action(0, Do.PLAY), Why.NOT_OFFERED)


def refused(place: str, action: Action, why: Why) -> None:
    hand = hand_in(place)
    before, views = json.dumps(hand.dump()), [hand.view(seat) for seat in (None, 0, 1, 2, 3)]
    answer = hand.apply(action)
    assert isinstance(answer, Refusal)
    assert answer.why is why
    assert (json.dumps(hand.dump()), [hand.view(seat) for seat in (None, 0, 1, 2, 3)]) == (before, views)


def test_a_second_answer_to_the_same_question_is_refused() -> None:
    hand = hand_in(CLAIM)
    play(hand, "2 pass")
    assert hand.apply(act("2 pung")) == Refusal(Why.NOT_YOUR_TURN)


def test_an_answer_that_comes_too_late_is_refused() -> None:
    hand = hand_in(CLAIM)
    play(hand, "2 pass", "1 pass")
    assert hand.apply(act("2 pung")) == Refusal(Why.NOT_YOUR_TURN)


def test_a_hand_that_is_not_over_has_no_result() -> None:
    with pytest.raises(AssertionError, match="not over"):
        hand_in(TURN).result()


@pytest.mark.parametrize(
    ("written", "move"),
    [
        ({"seat": 0, "do": "void", "suit": "p"}, "0 void p"),
        ({"seat": 1, "do": "exchange", "tiles": ["1m", "1m", "3m"]}, "1 exchange 113m"),
        ({"seat": 2, "do": "discard", "tile": "5p"}, "2 discard 5p"),
        ({"seat": 3, "do": "pung"}, "3 pung"),
        ({"seat": 0, "do": "kong", "tile": "5p", "kind": "added_kong"}, "0 kong 5p added"),
        ({"seat": 0, "do": "win"}, "0 win"),
        ({"seat": 0, "do": "pass"}, "0 pass"),
        ({"seat": 0, "do": "leave"}, "0 leave"),
    ],
)
def test_actions_are_written_with_what_they_use_and_nothing_else(written: dict[str, object], move: str) -> None:
    assert action_to_json(act(move)) == written
    assert action_from_json(written, 4) == act(move)
    auto = act(move)._replace(auto=True)
    assert action_to_json(auto) == {**written, "auto": True}
    assert action_from_json({**written, "auto": True}, 4) == auto


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ({}, "seat"),
        ({"seat": 4, "do": "win"}, "seat"),
        ({"seat": -1, "do": "win"}, "seat"),
        ({"seat": True, "do": "win"}, "seat"),
        ({"seat": "0", "do": "win"}, "seat"),
        ({"seat": 0}, "do"),
        ({"seat": 0, "do": "play"}, "do"),
        ({"seat": 0, "do": ["win"]}, "do"),
        ({"seat": 0, "do": "win", "auto": 1}, "auto"),
        ({"seat": 0, "do": "discard"}, "tile"),
        ({"seat": 0, "do": "discard", "tile": 5}, "tile"),
        ({"seat": 0, "do": "discard", "tile": "10m"}, "tile"),
        ({"seat": 0, "do": "void", "suit": "z"}, "suit"),
        ({"seat": 0, "do": "exchange", "tiles": "123m"}, "tiles"),
        ({"seat": 0, "do": "exchange", "tiles": ["1m", 2]}, "tiles"),
        ({"seat": 0, "do": "exchange", "tiles": ["1m", "0m"]}, "tile"),
        ({"seat": 0, "do": "kong", "tile": "5p"}, "kind"),
        ({"seat": 0, "do": "kong", "tile": "5p", "kind": "kong"}, "kong"),
    ],
)
def test_what_is_no_action_is_refused_by_the_name_of_the_field(written: dict[str, object], named: str) -> None:
    answer = action_from_json(written, 4)
    assert isinstance(answer, Refusal)
    assert answer.why is Why.MALFORMED
    assert named in answer.detail
