"""疯狂血战 as a ruleset of the mahjong machine: what it does differently, and nothing else (docs/rules/crazy_xuezhan.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.crazy_xuezhan.exchange import ExchangePhase
from games.crazy_xuezhan.fans import best_wait, value_win
from games.crazy_xuezhan.void import VoidPhase
from games.hand import Stage
from games.mahjong.checks import each_pays_each, holds_all_suits
from games.mahjong.fans import Circumstances, Value
from games.mahjong.hooks import HandState, Phase
from games.mahjong.rules import MahjongRules
from games.mahjong.shapes import wait_mask
from games.mahjong.state import Seat
from games.mahjong.tiles import Tile

PLAYERS: Final = 4
WINNERS: Final = 3
"""The win that ends the hand."""
THIRD_WIN: Final = "third_win"


class CrazyXuezhan(MahjongRules):
    """The rules of 疯狂血战 with resolved options."""

    game = "crazy_xuezhan"
    version = "crazy_xuezhan/1"

    def __init__(self, options: Mapping[str, Any], players: int) -> None:
        super().__init__(options, players)
        self.phases = self.before_play()
        self.cap: int = options["cap"]
        self.largest_claim = 10**self.cap

    def before_play(self) -> tuple[Phase, ...]:
        """Void suit and exchange; an option turns them around."""
        phases = (VoidPhase(), ExchangePhase())
        return phases if self.options["phases"] == "void_exchange" else phases[::-1]

    def waits(self, seat: Seat) -> int:
        """A hand that holds its void suit 缺门 waits for nothing, and nothing of that suit wins."""
        return 0 if seat.concealed.mask & seat.barred else wait_mask(seat.concealed, seat.melds) & ~seat.barred

    def meld_stands(self, hand: HandState, winners: Sequence[int]) -> bool:
        """The same tile may be won and melded; the claim falls away if the hand ends with that win."""
        return self.players - len(hand.playing) + len(winners) < WINNERS

    def value(self, hand: HandState, who: int, tile: Tile, around: Circumstances) -> Value:
        """Return what a win is worth, under the room's cap."""
        seat = hand.seats[who]
        value = value_win(seat.concealed, seat.melds, tile, seat.void, around, self.cap)
        assert isinstance(value, Value), "a win was offered that is none"
        return value

    def won(self, hand: HandState, winners: Sequence[int]) -> str:
        """A winner is out; the third ends the hand."""
        for who in winners:
            hand.seats[who].out = True
        return THIRD_WIN if self.players - len(hand.playing) >= WINNERS else ""

    def exhausted_stages(self, hand: HandState) -> list[Stage]:
        """First 查花猪, then 查大叫, among those who have not won."""
        playing = hand.playing
        pigs = [who for who in playing if holds_all_suits(hand.seats[who])]
        clean = [who for who in playing if who not in pigs]
        best = {who: best_wait(seat.concealed, seat.melds, seat.void, self.cap) for who in playing for seat in (hand.seats[who],)}
        highest = {who: value.multiple for who, value in best.items() if value is not None}
        not_ready = [who for who in playing if who not in highest]
        return [
            Stage("flower_pig", each_pays_each(pigs, dict.fromkeys(clean, 10**self.cap))),
            Stage("not_ready", each_pays_each(not_ready, highest)),
        ]
