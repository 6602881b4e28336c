"""欢乐麻将 passes the conformance suite: both modes, all options, and with players who leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from games.hand import Action, Do, Refusal
from games.leaving import next_step
from games.registry import ruleset
from tests.games.conformance import State, plain
from tests.games.mahjong_conformance import MahjongConformance, every_tile
from tests.games.mahjong_referee import Referee


class TwoSuits(Referee):
    """At most two suits win, and on the last four tiles who can win must."""

    def wins_with(self, seat: int, tiles: list[int]) -> bool:
        suits = {tile // 9 for tile in tiles} | {meld.tile // 9 for meld in self.melds(seat)}
        return len(suits) < 3 and super().wins_with(seat, tiles)

    def allows_on_turn(self, action: Action) -> bool:
        seat = action.seat
        wins = self.state["seats"][seat]["drawn"] >= 0 and self.wins_with(seat, self.held(seat))
        return super().allows_on_turn(action) and not (self.left < 4 and wins and action.do is not Do.WIN)

    def allows_to_claim(self, action: Action) -> bool:
        wins = self.wins_with(action.seat, [*self.held(action.seat), self.state["question"]["tile"]])
        return super().allows_to_claim(action) and not (self.left < 4 and wins and action.do is not Do.WIN)


class TestXuezhan(MahjongConformance):
    """血战到底."""

    rules = ruleset("happy_sichuan", {})
    referee = TwoSuits


class TestSingle(MahjongConformance):
    """普通场, in the room with a cap, 杠上花 for 2."""

    rules = ruleset("happy_sichuan", {"mode": "single", "room": "three_fan", "kong_draw_fan": 2})
    referee = TwoSuits


class TestLeaving(MahjongConformance):
    """血战到底 with players who leave, before or after they have won."""

    rules = ruleset("happy_sichuan", {})
    referee = TwoSuits
    chance = 0.02

    def moves(self, hand: Any, random: Random) -> Iterator[Action]:
        gone: set[int] = set()
        going: list[int] = []
        for action in super().moves(hand, random):
            who = random.randrange(hand.players)
            if random.random() < (0.5 if hand.seats[who].out else self.chance) and who not in gone:
                gone.add(who)
                going.append(who)
            yield from self.follow(hand, going)
            offer = hand.offers[action.seat]
            if offer is not None and offer.check(action) is None:
                yield action
                yield from self.follow(hand, going)

    @staticmethod
    def follow(hand: Any, going: list[int]) -> Iterator[Action]:
        while (step := next_step(hand, going)) is not None:
            yield step
            if step.do is Do.LEAVE:
                going.remove(step.seat)

    def legal(self, state: State, action: Action) -> bool:
        return self.may_leave(state, action.seat) if action.do is Do.LEAVE else super().legal(state, action)

    def test_who_has_not_won_leaves_only_when_no_answer_and_no_forced_win_is_awaited(self) -> None:
        for number in range(self.hands // 4):
            hand, _ = self.rules.deal(self.setup(number))
            for action in self.moves(hand, Random(number)):
                state = plain(hand)
                for seat in range(self.rules.players):
                    left = self.rules.load(state).apply(Action(seat, Do.LEAVE))
                    assert isinstance(left, Refusal) != self.may_leave(state, seat), (number, seat)
                hand.apply(action)

    def may_leave(self, state: State, seat: int) -> bool:
        if state["seats"][seat]["out"]:
            return seat not in state["own"]
        last_four = len(state["wall"]) - state["next"] < 4
        return state["question"] is None and not (last_four and self.referee(state).allows(Action(seat, Do.WIN)))

    def check_state(self, hand: Any, state: State) -> None:
        assert every_tile(state) == Counter(hand.rules.ordered())
        if hand.ended != "escape":  # then the seat whose turn it was keeps its 14 tiles
            super().check_state(hand, state)

    def test_a_record_does_not_tell_in_which_order_answers_arrived_and_verifies(self) -> None:
        """What fell away is in tests/games/test_happy_sichuan_leaving.py."""
