"""How a hand ends without a last win: the checks on an empty wall, and escape 逃跑 (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

from typing import Final

from games.hand import Claim, Event, Stage
from games.happy_sichuan.fans import best_wait
from games.happy_sichuan.kong_scores import refund
from games.mahjong.checks import each_pays_each, holds_all_suits
from games.mahjong.draws import claim, finish
from games.mahjong.hooks import HandState
from games.mahjong.shapes import WAITING_SIZE
from games.mahjong.state import Seat
from games.mahjong.tiles import tiles_in

FINE: Final = 16
"""What a flower pig and a player who escapes pay each other player, whatever the cap."""
ESCAPE: Final = "escape"
LAST: Final = 4
"""How many of the wall's tiles are its last 最后四张."""


def in_last_four(hand: HandState) -> bool:
    """Whether one of the wall's last four tiles has been drawn."""
    return hand.left < LAST


def exhausted_stages(hand: HandState, cap: int | None) -> list[Stage]:
    """Return 查花猪, 查大叫 and 退税, among those who have not won. `hand.own`: the winners who have left."""
    playing = hand.playing
    pigs = [who for who in playing if holds_all_suits(hand.seats[who])]
    highest = _highest(hand, playing, cap)
    not_ready = [who for who in playing if who not in highest]
    return [
        Stage("flower_pig", each_pays_each(pigs, dict.fromkeys((who for who in playing if who not in pigs), FINE))),
        Stage("not_ready", each_pays_each((who for who in not_ready if who not in pigs), highest)),
        refund(hand.stages, not_ready, hand.own),
    ]


def escape(hand: HandState, who: int, cap: int | None) -> list[Event]:
    """End the hand because a player who has not won leaves it. Under the first rules a tile that is being claimed stays undecided."""
    _take_back_announced(hand)
    others = hand.others_playing(who)
    claims = each_pays_each((who,), dict.fromkeys(others, FINE))
    if in_last_four(hand):
        claims = max(claims, each_pays_each((who,), _highest(hand, others, cap)), key=_total)
    out: list[Event] = []
    claim(hand, [Stage(ESCAPE, claims)], out)
    finish(hand, ESCAPE, out)
    return out


def _total(claims: tuple[Claim, ...]) -> int:
    return sum(claim.multiple for claim in claims)


def _take_back_announced(hand: HandState) -> None:
    """Return the tile of an added kong that nobody has decided about: neither was it robbed nor has the kong been made."""
    question = hand.question
    if question is not None and question.robbing:
        hand.seats[question.source].concealed.add(question.tile)


def _highest(hand: HandState, seats: list[int], cap: int | None) -> dict[int, int]:
    """Return the highest possible multiple of each of these seats that is ready."""
    best = {who: _best(hand.seats[who], cap) for who in seats}
    return {who: multiple for who, multiple in best.items() if multiple}


def _best(seat: Seat, cap: int | None) -> int:
    """Return a seat's highest possible multiple over its waits, 0 if it is not ready. One that holds 14 throws what leaves it best off."""
    concealed = seat.concealed
    hands = [concealed]
    if concealed.size + 3 * len(seat.melds) > WAITING_SIZE:
        hands = [concealed.copy() for _ in tiles_in(concealed.mask)]
        for fewer, tile in zip(hands, tiles_in(concealed.mask), strict=True):
            fewer.remove(tile)
    values = [best_wait(fewer, seat.melds, cap) for fewer in hands]
    return max((value.multiple for value in values if value is not None), default=0)
