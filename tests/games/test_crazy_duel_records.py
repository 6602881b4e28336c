"""What each seat may see of a hand of 疯狂对杀, and how hands are stored and written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.crazy_duel.cards import format_cards
from games.crazy_duel.events import CardView
from games.events import PUBLIC
from games.hand import WATCHERS, Action, Do, Refusal, Why
from games.registry import ruleset
from tests.games.duel import RULES, dealt, lay, play, table
from tests.games.naive_cards import cards

# What each may know.


def test_a_view_holds_the_viewers_cards_and_of_the_other_only_how_many() -> None:
    hand = table("9S 10S JS", "QS KS")
    lay(hand, "9S")
    own, other, public = hand.view(0), hand.view(1), hand.view(None)
    assert own.cards == cards("10S JS")
    assert other.cards == cards("QS KS")
    assert public.cards == ()
    assert (own.to, other.to, public.to) == (1, 2, WATCHERS)
    assert (own.seat, other.seat, public.seat) == (0, 1, PUBLIC)
    for view in (own, other, public):
        assert view.counts == (2, 2)
        assert view.hands == ()
        assert view.turn == 1
        assert view.to_beat == view.played[-1]
        assert [(laid.seat, laid.cards) for laid in view.played] == [(0, cards("9S"))]


def test_after_the_hand_everybodys_cards_are_shown() -> None:
    hand = table("9S", "QS KS")
    lay(hand, "9S")
    for seat in (None, 0, 1):
        view = hand.view(seat)
        assert isinstance(view, CardView)
        assert view.hands == ((), cards("QS KS"))
        assert view.turn == -1
        assert view.points == (1, -1)


# Storage and records.


@pytest.mark.parametrize("plays", range(9))
def test_a_hand_is_rebuilt_from_its_dump_at_any_moment(plays: int) -> None:
    hand, _ = dealt(3)
    for step in range(plays):
        hand.apply(hand.default(hand.turn) if step % 3 else play(hand.turn, format_cards(hand.cards(hand.turn)[:1])))
    if plays == 8:
        hand.apply(Action(1, Do.LEAVE))
    dumped = json.loads(json.dumps(hand.dump()))
    again = RULES.load(dumped)
    assert again.dump() == hand.dump()
    for seat in (None, 0, 1):
        assert again.view(seat) == hand.view(seat)
    assert again.offers == hand.offers
    assert (again.stages, again.points(), again.over) == (hand.stages, hand.points(), hand.over)
    if not hand.over:
        answer = hand.default(hand.turn)
        assert again.apply(answer) == hand.apply(answer)


def test_a_dump_of_a_finished_hand_keeps_how_it_ended() -> None:
    hand, _ = dealt(4)
    while not hand.over:
        hand.apply(hand.default(hand.turn))
    again = RULES.load(json.loads(json.dumps(hand.dump())))
    assert again.result() == hand.result()


def test_the_record_names_the_wall_and_the_index_of_the_shown_card_and_no_dealer() -> None:
    hand, _ = dealt()
    record = hand.record()
    assert record == {"dealer": None, "dealer_from": None, "wall": [format_cards([card]) for card in hand.wall], "shown": hand.shown}


@pytest.mark.parametrize(
    ("action", "written"),
    [
        (play(0, "9S w", "pair"), {"seat": 0, "do": "play", "cards": ["9S", "w"], "kind": "pair"}),
        (play(1, "10H"), {"seat": 1, "do": "play", "cards": ["10H"], "kind": None}),
        (Action(1, Do.PASS, auto=True), {"seat": 1, "do": "pass", "auto": True}),
        (Action(0, Do.LEAVE), {"seat": 0, "do": "leave"}),
    ],
)
def test_actions_are_written_and_read_in_the_notation_of_records(action: Action, written: dict[str, Any]) -> None:
    assert RULES.action_to_json(action) == written
    assert RULES.action_from_json(written) == action


@pytest.mark.parametrize(
    ("written", "field"),
    [
        ({"do": "pass"}, "seat"),
        ({"seat": 2, "do": "pass"}, "seat"),
        ({"seat": True, "do": "pass"}, "seat"),
        ({"seat": 0}, "do"),
        ({"seat": 0, "do": "discard", "tile": "1m"}, "do"),
        ({"seat": 0, "do": "fold"}, "do"),
        ({"seat": 0, "do": "pass", "auto": 1}, "auto"),
        ({"seat": 0, "do": "play"}, "cards"),
        ({"seat": 0, "do": "play", "cards": "9S"}, "cards"),
        ({"seat": 0, "do": "play", "cards": [9]}, "cards"),
        ({"seat": 0, "do": "play", "cards": ["9X"]}, "cards"),
        ({"seat": 0, "do": "play", "cards": ["9S"], "kind": 3}, "kind"),
        ([], "action"),
    ],
)
def test_an_action_that_cannot_be_read_is_malformed_and_the_field_named(written: Any, field: str) -> None:
    answer = RULES.action_from_json(written)
    assert isinstance(answer, Refusal)
    assert answer.why is Why.MALFORMED
    assert answer.detail.startswith(f"{field}: ")


def test_it_is_a_game_of_two() -> None:
    assert RULES.players == 2
    with pytest.raises(ValueError, match="players"):
        ruleset("crazy_duel", {}, 3)
