"""血战卡心五 passes the conformance suite: two, three and four players, each suit set, with `must_kong` off and on."""

from __future__ import annotations

from typing import Any

from games.hand import Action, Do
from games.mahjong.melds import MeldKind
from games.registry import ruleset
from tests.games import kaxinwu, naive
from tests.games.conformance import State
from tests.games.mahjong_conformance import MahjongConformance
from tests.games.mahjong_referee import Referee


class KaxinwuReferee(Referee):
    """What is passed and given up is read from the state; tests/games/test_kaxinwu_records.py keeps count of it anew."""

    must_kong = False
    fives = kaxinwu.FIVES[False]

    def wins(self, seat: int) -> set[int]:
        """The kinds that a seat has won with."""
        return {win[0] for win in self.state["seats"][seat]["wins"]}

    def allows_on_turn(self, action: Action) -> bool:
        seat, held, drawn = action.seat, self.held(action.seat), self.state["seats"][action.seat]["drawn"]
        can_win = drawn >= 0 and self.wins_with(seat, held)
        given_up = self.state["own"]["no_added"][seat]
        pungs = [meld.tile for meld in self.melds(seat) if meld.kind is MeldKind.PUNG and not given_up >> meld.tile & 1]
        kongs = {(tile, MeldKind.ADDED_KONG) for tile in pungs if tile in held}
        kongs |= {(tile, MeldKind.CONCEALED_KONG) for tile in held if held.count(tile) == 4}
        kongs = kongs if self.left else set()
        discards = set(held)
        if self.wins(seat):
            discards = set() if can_win else {drawn}
            kongs = {kong for kong in kongs if not can_win and kong[0] == drawn and self.keeps(seat, drawn)}
        elif self.must_kong and any(kind is MeldKind.ADDED_KONG for _, kind in kongs):
            discards = set()
        match action.do:
            case Do.WIN:
                return can_win
            case Do.KONG:
                return (action.tile, action.kind) in kongs
            case _:
                return action.do is Do.DISCARD and action.tile in discards

    def keeps(self, seat: int, tile: int) -> bool:
        """Whether a locked hand waits for all it has won with after a kong."""
        after = kaxinwu.waits_after_kong(self.held(seat), self.melds(seat), tile)
        return bool(after) and self.wins(seat) <= after

    def allows_to_claim(self, action: Action) -> bool:
        question, seat, held = self.state["question"], action.seat, self.held(action.seat)
        tile, robbing = question["tile"], question["robbing"]
        if seat == question["source"]:
            return False
        win = self.wins_with(seat, [*held, tile]) and not self.has_passed(seat, tile)
        copies = 0 if robbing or not self.left else held.count(tile)
        kong, pung, may_pass = copies == 3, copies >= 2, True
        if self.wins(seat):
            pung = False
            kong = kong and not win and self.keeps(seat, tile)
            after = kaxinwu.waits_after_kong(held, self.melds(seat), tile) if kong else set()
            may_pass = kong and after != set(naive.waits(held, self.melds(seat)))
        elif kong and self.must_kong:
            pung = may_pass = False
        elif self.state["own"]["pungs"][seat] >> tile & 1:
            pung = False
        match action.do:
            case Do.WIN:
                return win
            case Do.PUNG:
                return pung
            case Do.KONG:
                return kong and (action.tile, action.kind) == (tile, "direct_kong")
            case _:
                return action.do is Do.PASS and may_pass and (win or kong or pung)

    def has_passed(self, seat: int, tile: int) -> bool:
        passed = dict(self.state["own"]["wins"][seat]).get(tile, 0)
        question = self.state["question"]
        how, kongs = ("robbed_kong", 0) if question["robbing"] else ("discard", question["kongs"])
        fan = kaxinwu.fan([*self.held(seat), tile], self.melds(seat), tile, self.fives, how, kongs) if passed else 1
        return bool(passed >= fan)


class MustKongReferee(KaxinwuReferee):
    """有杠必杠."""

    must_kong = True


class KaxinwuConformance(MahjongConformance):
    """The suite, and what a locked hand and the server's own answers keep at every state."""

    referee = KaxinwuReferee

    def check_state(self, hand: Any, state: State) -> None:
        super().check_state(hand, state)
        for seat, offer in zip(hand.seats, hand.offers, strict=True):
            assert not seat.out
            assert not seat.wins or seat.waits, "a locked hand stays ready"
            assert all(seat.waits >> win.tile & 1 for win in seat.wins), "and waits for all it has won with"
            if offer is not None and offer.at_once:
                assert seat.wins, "the server answers by itself for locked hands alone"
            if offer is not None:
                assert not offer.greyed & getattr(offer, "discards", 0)
                assert offer.greyed | getattr(offer, "discards", 0) == seat.concealed.mask


class OfThreeSuits(KaxinwuReferee):
    """三堆牌."""

    fives = kaxinwu.FIVES[True]


class MustKongOfThreeSuits(MustKongReferee):
    """三堆牌, 有杠必杠."""

    fives = kaxinwu.FIVES[True]


class TestFour(KaxinwuConformance):
    rules = ruleset("kaxinwu", {})


class TestFourThatMustKong(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"must_kong": True, "room": "points"})
    referee = MustKongReferee


class TestThree(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"opener": 1}, 3)
    hands = 6


class TestThreeThatMustKong(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"must_kong": True}, 3)
    referee = MustKongReferee
    hands = 6


class TestTwo(KaxinwuConformance):
    rules = ruleset("kaxinwu", {}, 2)


class TestTwoThatMustKong(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"must_kong": True}, 2)
    referee = MustKongReferee
    hands = 6


class TestFourWithThreeSuits(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"three_suits": True})
    referee = OfThreeSuits
    hands = 6


class TestFourWithThreeSuitsThatMustKong(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"three_suits": True, "must_kong": True})
    referee = MustKongOfThreeSuits
    hands = 4


class TestThreeWithThreeSuits(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"three_suits": True}, 3)
    referee = OfThreeSuits
    hands = 4


class TestThreeWithThreeSuitsThatMustKong(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"three_suits": True, "must_kong": True}, 3)
    referee = MustKongOfThreeSuits
    hands = 4


class TestTwoWithThreeSuits(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"three_suits": True}, 2)
    referee = OfThreeSuits
    hands = 4


class TestTwoWithThreeSuitsThatMustKong(KaxinwuConformance):
    rules = ruleset("kaxinwu", {"three_suits": True, "must_kong": True}, 2)
    referee = MustKongOfThreeSuits
    hands = 4
