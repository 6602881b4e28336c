"""血战卡心五 as a ruleset of the mahjong machine: what it does differently, and nothing else (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.deal import Stream
from games.hand import Action, Do, Setup, Stage
from games.kaxinwu import endings, kong_points, locked, passing
from games.kaxinwu.fans import FIVES, FIVES_OF_THREE_SUITS, TABLE, TOP_FAN, value_win
from games.kaxinwu.options import MOST_PLAYERS, OPTIONS
from games.mahjong.fans import Circumstances, How, Value
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.offers import ClaimOffer, TurnOffer
from games.mahjong.rules import MahjongRules
from games.mahjong.state import Question
from games.mahjong.tiles import COPIES, Tile, ordered_tiles
from games.option_table import OptionError

PLAYERS: Final = (MOST_PLAYERS, 3, 2)


class Kaxinwu(MahjongRules):
    """The rules of 血战卡心五 with resolved options.

    `hand.own`: what was passed (games.kaxinwu.passing); `best_win`: what the best hand that each seat won with is worth in 查叫; `drew`:
    who drew last.
    """

    game = OPTIONS.game
    version = "kaxinwu/1"
    auto_discard = True
    largest_claim = TABLE.multiple(TOP_FAN)

    def __init__(self, options: Mapping[str, Any], players: int) -> None:
        super().__init__(options, players)
        self.must_kong: bool = options["must_kong"]
        self.opener: int | None = options["opener"]
        if self.opener is not None and self.opener >= players:
            raise OptionError("opener", f"there is no seat {self.opener} at a table of {players}")
        self.suits = (0, 1, 2) if options["three_suits"] else (1, 2)
        self.fives = FIVES_OF_THREE_SUITS if options["three_suits"] else FIVES
        self.base = OPTIONS.room(options["room"]).base

    def ordered(self) -> list[Tile]:
        """Two suits, p and s; with `three_suits` 三堆牌 m too."""
        return ordered_tiles(self.suits)

    def dealer(self, setup: Setup, stream: Stream) -> tuple[int, str]:
        """Whoever drew the last tile of the hand before; for the first hand the room's opener, else drawn."""
        if setup.before:
            return setup.before["dealer"], "before"
        return super().dealer(setup, stream) if self.opener is None else (self.opener, "option")

    def memory(self) -> dict[str, Any]:
        """Nobody has passed, won or drawn anything."""
        return {**passing.memory(self.players), "best_win": [0] * self.players, "drew": -1}

    def turn_offer(self, hand: HandState, who: int) -> TurnOffer:
        """A seat's turn begins with its own draw or pung, which ends what it has passed."""
        own, seat = hand.own, hand.seats[who]
        passing.forget(own, who)
        if seat.drawn >= 0:
            own["drew"] = who
            if seat.wins:
                return locked.turn_offer(hand, who)
        elif seat.concealed.counts[seat.melds[-1].tile]:
            passing.give_up_kong(own, who, seat.melds[-1].tile)
        offer = super().turn_offer(hand, who)
        offer.added_kongs &= ~passing.kongs_given_up(own, who)
        if self.must_kong and offer.added_kongs:
            offer.greyed |= offer.discards
            offer.discards = 0
        offer.confirm_pass = offer.discards > 0 and (offer.win or offer.added_kongs | offer.concealed_kongs > 0)
        return offer

    def claim_offer(self, hand: HandState, who: int, source: int, tile: Tile, *, robbing: bool) -> ClaimOffer | None:
        """Neither a win nor a pung that was passed is offered again; with three in hand and `must_kong` nothing but the kong is."""
        seat, own = hand.seats[who], hand.own
        held = seat.concealed.counts[tile]
        win = seat.waits >> tile & 1 == 1 and not self._has_passed(hand, who, tile, robbing=robbing)
        meld = held >= 2 and not robbing and hand.left > 0
        kong = meld and held == COPIES - 1
        if seat.wins:
            return locked.claim_offer(hand, who, source, tile, win=win, kong=kong, robbing=robbing)
        forced = kong and self.must_kong
        pung = meld and not forced and not passing.has_passed_pung(own, who, tile)
        if not (win or kong or pung):
            return None
        confirm = not forced and (win or kong)
        number, greyed = hand.number(who), seat.concealed.mask
        return ClaimOffer(who, number, tile, source, win, kong, pung, not forced, robbing, confirm_pass=confirm, greyed=greyed)

    def _has_passed(self, hand: HandState, who: int, tile: Tile, *, robbing: bool) -> bool:
        """过手胡: whether the seat has passed a win on this kind that was worth as much."""
        passed = passing.passed_fan(hand.own, who, tile)
        return passed > 0 and passed >= self._worth(hand, who, tile, How.ROBBED_KONG if robbing else How.DISCARD)

    def _worth(self, hand: HandState, who: int, tile: Tile, how: How) -> int:
        """Return the fan that a seat's win on another's tile would have now."""
        concealed = hand.seats[who].concealed
        concealed.add(tile)
        value = self.value(hand, who, tile, Circumstances(how, 0 if how is How.ROBBED_KONG else hand.row))
        concealed.remove(tile)
        return value.fan

    def answered(self, hand: HandState, question: Question) -> None:
        """A player who could win and did not has passed, whatever they answered; so has one who could pung and answered pass.

        On an added kong nothing is passed: no other tile of that kind can come.
        """
        if question.robbing:
            return
        for who, action in question.answers.items():
            offer = question.offers[who]
            if offer.win and action.do is not Do.WIN:
                passing.pass_win(hand.own, who, question.tile, self._worth(hand, who, question.tile, How.DISCARD))
            if offer.pung and action.do is Do.PASS:
                passing.pass_pung(hand.own, who, question.tile)

    def value(self, hand: HandState, who: int, tile: Tile, around: Circumstances) -> Value:
        """Return what a win is worth."""
        seat = hand.seats[who]
        value = value_win(seat.concealed, seat.melds, tile, None, around, None, TABLE, self.fives)
        assert isinstance(value, Value), "a win was offered that is none"
        return value

    def won(self, hand: HandState, winners: Sequence[int]) -> str:
        """A winner stays in; the hand goes on until the wall is empty."""
        best = hand.own["best_win"]
        for who in winners:
            best[who] = max(best[who], endings.won_with(hand.seats[who], self.fives))
        return ""

    def draws_after_wins(self, hand: HandState, winners: Sequence[int], source: int) -> int:
        """After one winner the next seat; when several won, whose tile it was 谁放的炮就轮到谁摸牌."""
        return source if len(winners) > 1 else super().draws_after_wins(hand, winners, source)

    def kong_stages(self, hand: HandState, who: int, meld: Meld) -> list[Stage]:
        """Paid at once, and for good."""
        return [kong_points.kong(hand, who, meld)]

    def exhausted_stages(self, hand: HandState) -> list[Stage]:
        """查叫."""
        return [endings.not_ready(hand, hand.own["best_win"], self.fives)]

    def default_turn(self, offer: TurnOffer) -> Action:
        """Win, else a forced kong, else throw."""
        if offer.win or offer.discards:
            return super().default_turn(offer)
        tile = (offer.added_kongs & -offer.added_kongs).bit_length() - 1
        return Action(offer.seat, Do.KONG, tile, kind=MeldKind.ADDED_KONG, auto=True)

    def default_claim(self, offer: ClaimOffer) -> Action:
        """Win, else a forced kong, else pass."""
        if offer.win or offer.may_pass:
            return super().default_claim(offer)
        return Action(offer.seat, Do.KONG, offer.tile, kind=MeldKind.DIRECT_KONG, auto=True)

    def carry(self, hand: HandState) -> dict[str, Any]:
        """The next dealer: whoever drew last."""
        return {"dealer": hand.own["drew"]}
