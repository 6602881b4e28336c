"""The plays a hand of cards allows, and the bots of 疯狂对杀 that choose among them."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest

from games.crazy_duel.cards import PACK
from games.crazy_duel.greedy_bot import GreedyBot
from games.crazy_duel.hand import DuelHand
from games.crazy_duel.kinds import Play, PlayKind
from games.crazy_duel.plays import read
from games.crazy_duel.random_bot import RandomBot
from games.crazy_duel.targets import ALL, OF_KIND, TARGETS, beating, members, possible
from games.deal import simulated_seed
from games.hand import Action, Bot, Do, Setup, Why
from games.record import Recorder
from games.simulate import play, simulate
from games.verify import Verifier
from tests.games.duel import RULES, lay, skip, table
from tests.games.naive_cards import cards


def counted(held: list[int]) -> list[int]:
    return [held.count(card) for card in range(30)]


def test_the_targets_are_all_plays_by_their_ranks_and_how_many_of_each() -> None:
    kinds = Counter(target.play.kind.value for target in TARGETS)
    assert len(set(TARGETS)) == len(TARGETS)
    assert kinds == {
        "single": 7 + 2,
        "pair": 7 + 2,
        "triple": 7,
        "straight": 2 + 1,  # of 5 and of 6 among six ranks
        "pair_row": 4 + 3 + 2 + 1,  # of 3, 4, 5, 6
        "triple_row": 4 + 3 + 2 + 1,
        "bomb": 7 * 9,  # of 4 to 12 cards
        "bomb_row": 4 * 5 + 3 * 3 + 2 * 2 + 1,  # of 3 with 4…8 each, of 4 with 4…6, of 5 with 4 or 5, of 6 with 4
        "three_jokers": 1,
        "four_jokers": 1,
    }


def test_every_possible_target_is_a_play_of_its_kind_at_least_as_strong() -> None:
    random = Random(5)
    for _ in range(400):
        held = counted(random.sample(PACK, random.randint(1, 25)))
        for target in members(possible(held)):
            chosen = target.cards(held)
            assert all(chosen.count(card) <= held[card] for card in chosen)
            found = read(chosen, target.play.kind)
            assert isinstance(found, Play)
            assert found.size == target.play.size
            assert (found.stars, found.top) >= (target.play.stars, target.play.top)


def test_a_target_is_possible_exactly_when_jokers_make_up_what_is_missing() -> None:
    random = Random(6)
    for _ in range(300):
        held = counted(random.sample(PACK, random.randint(1, 25)))
        jokers = held[28] + held[29]
        ranks = [sum(held[4 * rank : 4 * rank + 4]) for rank in range(7)]
        for wild in (True, False):
            expected = []
            for target in TARGETS:
                if target.alone:
                    needs_small = target.play.top == 7
                    fits = held[28] >= target.width if needs_small else jokers >= target.width and (held[29] > 0 or target.play.stars > 0)
                else:
                    row = ranks[target.bottom : target.play.top + 1]
                    fits = sum(max(0, target.width - count) for count in row) <= (jokers if wild else 0) and any(row)
                if fits:
                    expected.append(target)
            assert members(possible(held, wild=wild)) == expected


def test_sets_of_targets_are_by_kind_and_by_what_beats_a_play() -> None:
    assert sum(OF_KIND.values()) == ALL
    pair_of_aces = read(cards("AS AH"))
    assert isinstance(pair_of_aces, Play)
    found = {target.play.kind for target in members(beating(pair_of_aces))}
    assert found == {PlayKind.PAIR, PlayKind.BOMB, PlayKind.BOMB_ROW, PlayKind.THREE_JOKERS, PlayKind.FOUR_JOKERS}
    assert [target.play.top for target in members(beating(pair_of_aces) & OF_KIND[PlayKind.PAIR])] == [6, 7, 8]


# What greedy does.


def greedy(hand: DuelHand) -> Action:
    return GreedyBot(Random(0)).choose(hand, hand.turn)


def chosen(hand: DuelHand) -> str:
    action = greedy(hand)
    return action.kind if action.do is Do.PLAY else action.do.value


def test_greedy_goes_out_when_it_can() -> None:
    assert greedy(table("9S 9H 9C w", "2S 2H")).tiles == cards("9S 9H 9C w")
    hand = table("9S KH", "10S 2D", leads=0)
    lay(hand, "9S")
    skip(hand)
    assert greedy(hand).tiles == cards("KH")


def test_greedy_leads_rows_before_what_they_are_made_of_and_low_before_high() -> None:
    other = "2S 2H 2C 2D AS AH AC AD KS QS QH"
    assert chosen(table("9S 10S JS QS KH 2S", other)) == "straight"
    assert chosen(table("9S 9H 10S 10H JS JH 2S", other)) == "pair_row"
    assert chosen(table("9S 9H 9C 10S 10H 10C JS JH JC 2S", other)) == "triple_row"
    assert greedy(table("9S KS 2S", other)).tiles == cards("9S")


def test_greedy_keeps_bombs_and_jokers_while_it_can_lead_something_else() -> None:
    hand = table("9S 9H 9C 9D KS AH w W", "2S 2H 2C 2D AS AH AC AD KS")
    assert greedy(hand).tiles == cards("KS")
    hand = table("9S 9H 9C 9D 10S 10H 10C 10D", "2S 2H 2C 2D AS AH AC AD KS")
    assert chosen(hand) == "bomb"


def test_greedy_follows_with_the_cheapest_play_and_breaks_no_bomb_for_it() -> None:
    hand = table("9S 9H 3S".replace("3S", "10S"), "10H 10C 10D 10D QS QH AS AH 2S w", leads=0)
    lay(hand, "9S 9H")
    assert greedy(hand).tiles == cards("QS QH")


def test_greedy_passes_when_beating_costs_more_than_the_lead_is_worth() -> None:
    hand = table("KS KH KC 9S 9H 10S 10H JS JH QS QH AS AH", "2S 2S 2H 2H 2C 9C 10C JC QC AC KD 9D")
    lay(hand, "KS KH KC")
    assert chosen(hand) == "pass"


def test_greedy_spends_a_bomb_when_the_other_is_near_their_end() -> None:
    hand = table("2S 9S 9H", "10H 10C 10D 10D QS QH AS AH 9D")
    lay(hand, "2S")
    assert chosen(hand) == "bomb"


def test_greedy_spends_jokers_when_nothing_else_beats_one_who_is_near_their_end() -> None:
    hand = table("KS KH 9S", "10H 10C AS QC 9D JH w 9C")
    lay(hand, "KS KH")
    action = greedy(hand)
    assert action.tiles == cards("AS w")


def test_greedy_passes_when_nothing_beats() -> None:
    hand = table("W 9S 9H", "10H QC 9D JH")
    lay(hand, "W")
    assert chosen(hand) == "pass"


def test_greedy_leads_no_low_card_to_one_who_holds_a_single_card() -> None:
    assert greedy(table("9S KH AD", "10S")).tiles == cards("AD")
    assert greedy(table("9S KH KD AD", "10S")).kind == "pair"


# Whole hands.


def test_random_plays_every_kind_and_passes() -> None:
    seen: Counter[str] = Counter()
    for record in simulate("crazy_duel", 150, "kinds", bots="random"):
        seen.update(action.get("kind", action["do"]) for action in record["actions"])
    assert set(seen) == {*PlayKind, "pass"} or set(seen) == {*PlayKind, "pass"} - {"four_jokers"}


@pytest.mark.parametrize("bots", ["random", "greedy"])
@pytest.mark.parametrize("room", ["rating", "beginner", "intermediate", "advanced", "expert", "xuezhan"])
def test_simulated_hands_are_verified_in_every_room(room: str, bots: str) -> None:
    verifier = Verifier()
    causes: Counter[str] = Counter()
    for record in simulate("crazy_duel", 25, "rooms", {"room": room}, bots=bots, leave=0.02, money=500):
        assert verifier.check(json.loads(json.dumps(record))) == {"ok": True}
        assert sum(record["points"]) == 0
        assert len(record["coins"]) == (0 if room == "rating" else 1)
        assert record["options"] == {"rated": room == "rating", "room": room}
        assert (record["dealer"], record["dealer_from"]) == (None, None)
        causes.update(stage["cause"] for stage in record["stages"])
    assert set(causes) == {"showdown", "escape"}


def test_greedy_beats_random_nine_times_in_ten() -> None:
    won = 0
    for number in range(60):
        random = Random(number)
        pair: list[Bot] = [GreedyBot(random), RandomBot(random)]
        seat = number % 2
        recorder = Recorder(RULES, Setup("t", number, simulated_seed("greedy", number), (None, None)))
        play(recorder, pair if seat == 0 else pair[::-1], random)
        won += recorder.hand.winner == seat
    assert won >= 48


def test_a_bot_is_never_refused_by_what_it_may_not_know() -> None:
    """A bot that is given the other seat's cards as unknown answers the same."""
    hand = table("9S 9H KS", "10S 10H JS JH")
    lay(hand, "9S 9H")
    before = greedy(hand)
    hand.held[0] = [0] * 30
    assert greedy(hand) == before
    assert not isinstance(hand.apply(before), Why)
