"""A mahjong game as tables, records and tools see it: hooks of its own, and what is the same for every game that the machine plays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.hand import Action, Event, Refusal, Setup
from games.mahjong import dealing, dumps, notation
from games.mahjong.hooks import MahjongHooks
from games.mahjong.machine import MahjongHand
from games.mahjong.shapes import prepare as prepare_shapes


class MahjongRules(MahjongHooks):
    """A ruleset (games.hand.Ruleset) of the mahjong machine. A game states its hooks; nothing here differs between games."""

    def prepare(self) -> None:
        """Build the tables that shapes are looked up in."""
        prepare_shapes()

    def deal(self, setup: Setup) -> tuple[MahjongHand, list[Event]]:
        """Deal a hand. Answers the hand and its first events."""
        return dealing.deal(MahjongHand, self, setup)

    def load(self, dumped: Mapping[str, Any]) -> MahjongHand:
        """Rebuild a hand from `MahjongHand.dump`."""
        return dumps.load(MahjongHand, self, dumped)

    def action_to_json(self, action: Action) -> dict[str, Any]:
        """Return the action in the notation of hand records."""
        return notation.action_to_json(action)

    def action_from_json(self, value: Mapping[str, Any]) -> Action | Refusal:
        """Read an action in the notation of hand records."""
        return notation.action_from_json(value, self.players)
