"""The mahjong rules once more, slowly: what is legal, judged from full knowledge and the rules pages alone."""

from __future__ import annotations

from typing import Any

from games.hand import Action, Do
from games.mahjong.melds import Meld, MeldKind
from tests.games import naive

LATER = ("pung", "direct_kong", "added_kong", "concealed_kong")


class Referee:
    """Judges one state."""

    void_phase = 0
    """When void suits are named; the exchange is at the other time."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.left = len(state["wall"]) - state["next"]

    def allows(self, action: Action) -> bool:
        state, question = self.state, self.state["question"]
        if state["over"] or action.do in {Do.PLAY, Do.LEAVE} or not self.has_its_fields(action):
            return False
        if question is None:
            return bool(state["turn"] == action.seat) and self.allows_on_turn(action)
        if any(answer[0] == action.seat for answer in question["answers"]):
            return False
        if question["source"] < 0:
            return self.allows_before_play(action)
        return self.allows_to_claim(action)

    def has_its_fields(self, action: Action) -> bool:
        tile, tiles, kind = action.tile, action.tiles, action.kind
        match action.do:
            case Do.DISCARD:
                return 0 <= tile < 27 and not tiles and not kind
            case Do.KONG:
                return 0 <= tile < 27 and not tiles and kind in LATER[1:]
            case Do.VOID:
                return 0 <= tile < 3 and not tiles and not kind
            case Do.EXCHANGE:
                return tile == -1 and len(tiles) == 3 and all(0 <= one < 27 for one in tiles) and not kind
            case _:
                return tile == -1 and not tiles and not kind

    def held(self, seat: int) -> list[int]:
        held: list[int] = self.state["seats"][seat]["concealed"]
        return held

    def melds(self, seat: int) -> list[Meld]:
        return [Meld(MeldKind(kind), tile, source) for kind, tile, source in self.state["seats"][seat]["melds"]]

    def is_void(self, seat: int, tile: int) -> bool:
        return bool(tile // 9 == self.state["seats"][seat]["void"])

    def wins_with(self, seat: int, tiles: list[int]) -> bool:
        return not any(self.is_void(seat, tile) for tile in tiles) and naive.wins(tiles, self.melds(seat))

    def allows_on_turn(self, action: Action) -> bool:
        seat, tile, held = action.seat, action.tile, self.held(action.seat)
        match action.do:
            case Do.DISCARD:
                return tile in held and (self.is_void(seat, tile) or not any(self.is_void(seat, one) for one in held))
            case Do.WIN:
                return self.state["seats"][seat]["drawn"] >= 0 and self.wins_with(seat, held)
            case Do.KONG if action.kind == "concealed_kong":
                return held.count(tile) == 4 and self.left > 0 and not self.is_void(seat, tile)
            case Do.KONG if action.kind == "added_kong":
                pungs = [meld.tile for meld in self.melds(seat) if meld.kind is MeldKind.PUNG]
                return tile in held and tile in pungs and self.left > 0
            case _:
                return False

    def allows_to_claim(self, action: Action) -> bool:
        question, seat = self.state["question"], action.seat
        tile = question["tile"]
        if seat == question["source"] or self.state["seats"][seat]["out"]:
            return False
        win = self.wins_with(seat, [*self.held(seat), tile])
        copies = self.held(seat).count(tile)
        meld = self.left > 0 and not question["robbing"] and not self.is_void(seat, tile)
        match action.do:
            case Do.WIN:
                return win
            case Do.PUNG:
                return meld and copies >= 2
            case Do.KONG:
                return meld and copies == 3 and (action.tile, action.kind) == (tile, "direct_kong")
            case _:
                return action.do is Do.PASS and (win or (meld and copies >= 2))

    def allows_before_play(self, action: Action) -> bool:
        if self.state["phase"] == self.void_phase:
            return action.do is Do.VOID
        held = self.held(action.seat)
        sizes = sorted(sum(tile // 9 == suit for tile in held) for suit in range(3))
        given = action.tiles
        alike = len({tile // 9 for tile in given}) == 1 and all(given.count(tile) <= held.count(tile) for tile in given)
        return action.do is Do.EXCHANGE and sizes[1] >= 3 and alike
