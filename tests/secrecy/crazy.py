"""What every seat of a hand of 疯狂血战 may be told (tests.secrecy.deals)."""

from __future__ import annotations

from typing import Any

from tests.secrecy.deals import ASKED, Table, enum, number


class Crazy(Table):
    """A void suit and an exchange before play; a tile that is won may be melded too; kongs earn nothing."""

    def _before_play(self) -> None:
        order = (self._voids, self._exchange) if self.record["options"]["phases"] == "void_exchange" else (self._exchange, self._voids)
        for phase in order:
            phase()

    def _melds_beside_wins(self) -> bool:
        return True

    def _voids(self) -> None:
        for seat, player in enumerate(self.players):
            self.only(seat, ASKED, kind="void")
            action = self.actions.pop(0)
            assert (action["seat"], action["do"]) == (seat, "void")
            player.void = action["suit"]
        self.all("voids_shown", suits=[f"SUIT_{player.void.upper()}" for player in self.players])

    def _exchange(self) -> None:
        shift = self.record.get("shift")
        if not shift:
            self.all("exchanged", seats=[], shift=0, gave=[], got=[])
            return
        given = {}
        while self.actions and self.actions[0]["do"] == "exchange":
            action = self.actions.pop(0)
            self.only(action["seat"], ASKED, kind="exchange")
            given[action["seat"]] = action["tiles"]
        seats = sorted(given)
        got = {seats[(place + shift) % len(seats)]: given[seat] for place, seat in enumerate(seats)}
        for seat, player in enumerate(self.players):
            mine: dict[str, Any] = {"gave": [], "got": []}
            if seat in given:
                for tile in given[seat]:
                    player.take(tile)
                player.tiles.update(got[seat])
                mine = {key: [enum(tile) for tile in sorted(tiles[seat], key=number)] for key, tiles in (("gave", given), ("got", got))}
            self.only(seat, "exchanged", seats=seats, shift=shift, **mine)
