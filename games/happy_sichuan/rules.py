"""欢乐麻将 as a ruleset of the mahjong machine: what it does differently, and nothing else (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.deal import Stream
from games.hand import Event, Policy, Refusal, Setup, Stage, Why
from games.happy_sichuan import endings, kong_scores
from games.happy_sichuan.fans import TABLES, TOP_FAN, multiple_of, ready_mask, value_win
from games.happy_sichuan.options import OPTIONS, SINGLE
from games.mahjong.fans import Circumstances, How, Value
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld
from games.mahjong.offers import ClaimOffer, TurnOffer
from games.mahjong.rules import MahjongRules
from games.mahjong.state import Seat
from games.mahjong.tiles import Tile

PLAYERS: Final = 4
WINNERS: Final = 3
"""The win that ends a hand of 血战."""
FIRST_WIN: Final = "first_win"
THIRD_WIN: Final = "third_win"
_BESIDES: Final = 38
"""What one seat can owe another in a hand besides a win: 8 for four kongs, 6 handed over, 16 as a pig or for escaping, 8 given back."""


class HappySichuan(MahjongRules):
    """The rules of 欢乐麻将 with resolved options. `hand.own` lists the winners who have left."""

    game = OPTIONS.game
    version = "happy_sichuan/2"
    policy = Policy.POOLED
    may_leave = True
    leave_waits = True
    point_unit = 6

    def __init__(self, options: Mapping[str, Any], players: int) -> None:
        super().__init__(options, players)
        self.single: bool = options["mode"] == SINGLE
        self.cap: int | None = options["cap"]
        self.table = TABLES[options["kong_draw_fan"]]
        most = multiple_of(TOP_FAN if self.cap is None else min(self.cap, TOP_FAN))
        self.largest_claim = self.point_unit * (most + _BESIDES)

    def dealer(self, setup: Setup, stream: Stream) -> tuple[int, str]:
        """`single`: whom the hand before names, while the players are the same. Else drawn."""
        if self.single and setup.before and not setup.new_players:
            return setup.before["dealer"], "before"
        return super().dealer(setup, stream)

    def memory(self) -> list[int]:
        """Nobody has left."""
        return []

    def waits(self, seat: Seat) -> int:
        """A hand that holds three suits waits for nothing."""
        return ready_mask(seat.concealed, seat.melds)

    def turn_offer(self, hand: HandState, who: int) -> TurnOffer:
        """Who can win on the last four tiles must 最后四张自动胡."""
        offer = super().turn_offer(hand, who)
        if offer.win and endings.in_last_four(hand):
            return TurnOffer(who, offer.number, offer.tile, 0, win=True, greyed=hand.seats[who].concealed.mask)
        return offer

    def claim_offer(self, hand: HandState, who: int, source: int, tile: Tile, *, robbing: bool) -> ClaimOffer | None:
        """Who can win on the last four tiles must; who cannot may still meld."""
        offer = super().claim_offer(hand, who, source, tile, robbing=robbing)
        if offer is not None and offer.win and endings.in_last_four(hand):
            return ClaimOffer(who, offer.number, tile, source, win=True, may_pass=False, robbing=robbing)
        return offer

    def value(self, hand: HandState, who: int, tile: Tile, around: Circumstances) -> Value:
        """Return what a win is worth, under the room's cap."""
        seat = hand.seats[who]
        value = value_win(seat.concealed, seat.melds, tile, None, around, self.cap, self.table)
        assert isinstance(value, Value), "a win was offered that is none"
        return value

    def win_stages(self, hand: HandState, winners: Sequence[int], source: int) -> list[Stage]:
        """After 杠上炮 the discarder hands over what the kong earned, as a stage of its own."""
        stages = super().win_stages(hand, winners, source)
        if hand.row and hand.seats[winners[0]].wins[-1].how is How.DISCARD:
            stages.append(kong_scores.transfer(hand, winners, source))
        return stages

    def won(self, hand: HandState, winners: Sequence[int]) -> str:
        """A winner is out. `single`: the first win ends the hand, else the third."""
        for who in winners:
            hand.seats[who].out = True
        if self.single:
            return FIRST_WIN
        return THIRD_WIN if self.players - len(hand.playing) >= WINNERS else ""

    def kong_stages(self, hand: HandState, who: int, meld: Meld) -> list[Stage]:
        """刮风下雨, paid at once."""
        return [kong_scores.kong(hand, who, meld)]

    def exhausted_stages(self, hand: HandState) -> list[Stage]:
        """查花猪, 查大叫, 退税."""
        return endings.exhausted_stages(hand, self.cap)

    def leave(self, hand: HandState, who: int) -> list[Event] | Refusal:
        """Winners leave with their sums as they are, once; of any other seat it is an escape."""
        if not hand.seats[who].out:
            return self._cannot_escape(hand, who) or endings.escape(hand, who, self.cap)
        if who in hand.own:
            return Refusal(Why.NOT_OFFERED, "the seat has left")
        hand.own.append(who)
        return []

    def _cannot_escape(self, hand: HandState, who: int) -> Refusal | None:
        """Nobody escapes what is being answered, nor a win that they must take."""
        if not self.leave_waits:
            return None
        if hand.question is not None:
            return Refusal(Why.NOT_OFFERED, "others are asked first")
        offer = hand.offers[who]
        return Refusal(Why.NOT_OFFERED, "the win comes first") if offer is not None and offer.must_win else None

    def carry(self, hand: HandState) -> dict[str, Any]:
        """`single`: the next dealer, unless somebody has escaped."""
        if not self.single or hand.ended == endings.ESCAPE:
            return {}
        wins = [(who, seat.wins[0]) for who, seat in enumerate(hand.seats) if seat.wins]
        if not wins:
            return {"dealer": hand.dealer}
        winner, win = wins[0]
        return {"dealer": win.source if win.source >= 0 else winner}


class FirstHappySichuan(HappySichuan):
    """The rules as first released, for hands that were dealt under them: who leaves ends the hand at once, whatever is being answered."""

    version = "happy_sichuan/1"
    leave_waits = False
