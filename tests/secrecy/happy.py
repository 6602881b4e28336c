"""What every seat of a hand of 欢乐麻将 may be told (tests.secrecy.deals)."""

from __future__ import annotations

from typing import Any

from tests.secrecy.deals import Player, Table


class Happy(Table):
    """A win holds at most two suits; kongs are paid at once, and handed over after 杠上炮; who has not won ends the hand by leaving.

    That somebody must win in the last four is in their offer alone, and that they leave is no event of the hand.
    """

    unit = 6

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record)
        won = {action["seat"]: at for at, action in enumerate(record["actions"]) if action["do"] == "win"}
        self.actions = [one for at, one in enumerate(record["actions"]) if one["do"] != "leave" or won.get(one["seat"], at) >= at]

    def _may_win(self, player: Player, tile: str) -> bool:
        return len(player.suits_with(tile)) <= 2 and player.wins_with(tile)

    def _kong_paid(self) -> None:
        self._stage("kong")

    def _won(self, winners: list[int], tile: str, how: str, source: int) -> None:
        super()._won(winners, tile, how, source)
        if how == "discard" and self.row:
            self._stage("kong_transfer")

    def _over(self) -> bool:
        return self.record["options"]["mode"] == "single" or super()._over()
