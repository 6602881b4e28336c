"""An act of a client as an action of the games. Whether it is legal is not judged here, only whether it can be read."""

from __future__ import annotations

from typing import Any, Final

from games.hand import Action, Do, Refusal, Why
from xuezhan.api.table.v1 import cards_pb2, mahjong_pb2, table_pb2


def _words(enum: Any, prefix: str) -> dict[int, str]:
    return {number: name.removeprefix(prefix).lower() for name, number in enum.items() if number}


_DO: Final = {number: Do(word) for number, word in _words(table_pb2.Do, "DO_").items()}
LEAVE: Final = table_pb2.DO_LEAVE
"""Escape, where leaving has a meaning within the hand: it needs no offer."""
_KONGS: Final = {0: "", **_words(mahjong_pb2.MeldKind, "MELD_KIND_")}
_PLAYS: Final = {0: "", **_words(cards_pb2.PlayKind, "PLAY_KIND_")}


def action_of(act: Any, seat: int) -> Action | Refusal:
    """Return what the client wants to do. A missing tile is -1; an unknown word is malformed."""
    do = _DO.get(act.do)
    if do is None:
        return Refusal(Why.MALFORMED, "do: unknown")
    tile, tiles, cards = act.tile - 1, act.tiles, act.cards
    if do is Do.DISCARD and not tiles and not cards and not act.kong and not act.play and not act.suit:
        return Action(seat, do, tile)
    if act.kong and act.play:
        return Refusal(Why.MALFORMED, "kong, play: one of them")
    kind = _PLAYS.get(act.play) if act.play else _KONGS.get(act.kong)
    if kind is None:
        return Refusal(Why.MALFORMED, "play: unknown" if act.play else "kong: unknown")
    if act.suit:
        if do is not Do.VOID or tile >= 0:
            return Refusal(Why.MALFORMED, "suit: only to name a void suit, and then no tile")
        tile = act.suit - 1
    elif do is Do.VOID:
        return Refusal(Why.MALFORMED, "suit: missing")
    if tiles and cards:
        return Refusal(Why.MALFORMED, "tiles, cards: one of them")
    return Action(seat, do, tile, tuple(number - 1 for number in tiles or cards), kind)
