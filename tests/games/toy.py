"""A small game of the mahjong machine that differs from 疯狂血战 wherever a game may, to hold the machine to its promises.

Three players, p and s, nothing before play. A winner stays in, wins go before pungs and kongs, a kong is paid by every other player, the
wall's end costs nothing, the dealer is whoever won last, and who leaves pays everybody and ends the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.deal import Stream
from games.hand import Claim, Event, Refusal, Setup, Stage
from games.mahjong import draws
from games.mahjong.fans import Circumstances, Part, Value
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld
from games.mahjong.rules import MahjongRules
from games.mahjong.state import Question
from games.mahjong.tiles import Tile, ordered_tiles


class Toy(MahjongRules):
    """Its rules. `own` remembers who passed a win, and the last winner."""

    game = "toy"
    version = "toy/1"
    may_leave = True
    point_unit = 2

    def __init__(self) -> None:
        super().__init__({"room": "toy"}, 3)

    def ordered(self) -> list[Tile]:
        return ordered_tiles((1, 2))

    def dealer(self, setup: Setup, stream: Stream) -> tuple[int, str]:
        if setup.before is None:
            return super().dealer(setup, stream)
        return setup.before["winner"], "before"

    def memory(self) -> Any:
        return {"passed": [], "winner": 0}

    def answered(self, hand: HandState, question: Question) -> None:
        wins = [who for who in question.order if question.offers[who].win]
        hand.own["passed"] += [who for who in wins if question.answers[who].do != "win"]

    def value(self, hand: HandState, who: int, tile: Tile, around: Circumstances) -> Value:
        assert hand.seats[who].concealed.counts[tile]
        names = [name for name in ("last_tile", "first_draw", "dealer") if getattr(around, name)]
        parts = (*(Part(name, name, 1) for name in names), Part("kongs", "kongs", around.kongs))
        return Value(parts, sum(part.fan for part in parts), 1 + around.kongs)

    def won(self, hand: HandState, winners: Sequence[int]) -> str:
        hand.own["winner"] = winners[-1]
        return ""

    def kong_stages(self, hand: HandState, who: int, meld: Meld) -> list[Stage]:
        return [Stage("kong", tuple(Claim(other, who, hand.row) for other in self.after[who]))]

    def leave(self, hand: HandState, who: int) -> list[Event] | Refusal:
        out: list[Event] = []
        draws.claim(hand, [Stage("escape", tuple(Claim(who, other, 16) for other in self.after[who]))], out)
        draws.finish(hand, "escape", out)
        return out

    def carry(self, hand: HandState) -> dict[str, Any]:
        return {"winner": hand.own["winner"]}


TOY = Toy()
