"""Every game passes the conformance suite."""

from __future__ import annotations

from random import Random
from typing import Any

from games.mahjong.greedy_bot import GreedyBot
from games.mahjong.random_bot import RandomBot
from games.registry import ruleset
from tests.games.duel_conformance import DuelConformance
from tests.games.mahjong_conformance import MahjongConformance
from tests.games.mahjong_referee import Referee
from tests.games.toy import TOY


class TestCrazyXuezhan(MahjongConformance):
    """疯狂血战."""

    rules = ruleset("crazy_xuezhan", {})


class ExchangeFirst(Referee):
    """The other order of the two phases."""

    void_phase = 1


class TestCrazyXuezhanExchangingFirst(MahjongConformance):
    """疯狂血战 with the phases the other way round."""

    rules = ruleset("crazy_xuezhan", {"phases": "exchange_void", "room": "wangzhe"})
    referee = ExchangeFirst


class TestToy(MahjongConformance):
    """A game that uses what 疯狂血战 leaves as it is."""

    rules = TOY

    def minds(self, random: Random) -> list[Any]:
        return [random.choice((RandomBot, GreedyBot))(random) for _ in range(3)]

    def verify(self, record: dict[str, Any]) -> None:
        """The toy is in no registry: tests/games/test_machine_seams.py verifies its records."""


class TestCrazyDuel(DuelConformance):
    """疯狂对杀 in a coin room."""

    rules = ruleset("crazy_duel", {})


class TestCrazyDuelRated(DuelConformance):
    """疯狂对杀 in the rating room."""

    rules = ruleset("crazy_duel", {"room": "rating"})
