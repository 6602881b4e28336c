"""What a load generator answers to an offer: any of its choices, straight from the offer."""

from __future__ import annotations

from random import Random
from typing import Any

from xuezhan.api.table.v1 import table_pb2 as pb

_RANKS = 9
_EXCHANGED = 3


def answer(ref: int, offer: Any, action_id: int, random: Random) -> pb.Input:
    """Return an act of the seat `ref`: it wins when it may, else takes any choice."""
    choices = offer.mahjong
    decision = offer.decision
    if choices.may_win:
        act = pb.Act(decision=decision, action_id=action_id, do=pb.DO_WIN)
    elif choices.from_seat_plus_one:
        act = _claim(choices, decision, action_id, random)
    elif choices.discards:
        act = _turn(choices, decision, action_id, random)
    elif choices.void_suits:
        act = pb.Act(decision=decision, action_id=action_id, do=pb.DO_VOID, suit=random.choice(choices.void_suits))
    else:
        act = pb.Act(decision=decision, action_id=action_id, do=pb.DO_EXCHANGE, tiles=_three(choices.exchange_from))
    return pb.Input(seat_ref=ref, act=act)


def _turn(choices: Any, decision: int, action_id: int, random: Random) -> pb.Act:
    discards, kongs = choices.discards, choices.kongs
    if kongs:
        place = int(random.random() * (len(discards) + len(kongs)))
        if place >= len(discards):
            kong = kongs[place - len(discards)]
            return pb.Act(decision=decision, action_id=action_id, do=pb.DO_KONG, tile=kong.tile, kong=kong.kind)
        return pb.Act(decision=decision, action_id=action_id, do=pb.DO_DISCARD, tile=discards[place])
    return pb.Act(decision=decision, action_id=action_id, do=pb.DO_DISCARD, tile=discards[int(random.random() * len(discards))])


def _claim(choices: Any, decision: int, action_id: int, random: Random) -> pb.Act:
    kongs = choices.kongs
    if kongs and random.random() < 0.5:
        return pb.Act(decision=decision, action_id=action_id, do=pb.DO_KONG, tile=kongs[0].tile, kong=kongs[0].kind)
    if choices.may_pung and random.random() < 0.5:
        return pb.Act(decision=decision, action_id=action_id, do=pb.DO_PUNG)
    return pb.Act(decision=decision, action_id=action_id, do=pb.DO_PASS)


def _three(tiles: Any) -> list[Any]:
    """Return three tiles of the suit that has fewest of them."""
    suits: dict[int, list[Any]] = {}
    for tile in tiles:
        suits.setdefault((tile - 1) // _RANKS, []).append(tile)
    return min((suit for suit in suits.values() if len(suit) >= _EXCHANGED), key=len)[:_EXCHANGED]
