"""The packages of Python that the rules are measured against. They are installed by `make bench` and by nothing else.

They are reached by name at run time, so that the source reads and checks the same with and without them.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

from games.mahjong.tiles import COPIES, KINDS

_PEER_KINDS: Final = 34
"""Winds and dragons follow the 27 suited kinds."""
NOT_INSTALLED: Final = "not installed here: run `make bench`"


def load(name: str) -> Any:
    """Return a module of a peer, or None if it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def rlcard_games(game: str) -> Callable[[], int] | None:
    """Return what plays one game of rlcard with its random agents, or None without rlcard."""
    rlcard = load("rlcard")
    if rlcard is None:
        return None
    agents = load("rlcard.agents")
    env = rlcard.make(game, config={"seed": 1})
    env.set_agents([agents.RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def play() -> int:
        env.run(is_training=False)
        return 1

    return play


def valuations(hands: Sequence[Sequence[int]]) -> Callable[[], int] | None:
    """Return what values complete hands (counts of the 27 kinds), self-drawn, with the package `mahjong`; None without it."""
    calculating = load("mahjong.hand_calculating.hand")
    if calculating is None:
        return None
    calculator = calculating.HandCalculator()
    config = load("mahjong.hand_calculating.hand_config").HandConfig(is_tsumo=True)
    lists = [[COPIES * kind + copy for kind, count in enumerate(hand) for copy in range(count)] for hand in hands]

    def value() -> int:
        for tiles in lists:
            calculator.estimate_hand_value(tiles, tiles[0], config=config)
        return len(lists)

    return value


def waits(hands: Sequence[Sequence[int]]) -> Callable[[Sequence[int]], list[int]] | None:
    """Return what finds the waits of 13 tiles with the package `mahjong`, by a check of each of the 27 kinds; None without it."""
    agari = load("mahjong.agari")
    if agari is None:
        return None
    is_complete = agari.Agari().is_agari
    assert all(len(hand) == KINDS for hand in hands)

    def find(hand: Sequence[int]) -> list[int]:
        counts = [*hand, *[0] * (_PEER_KINDS - KINDS)]
        found = []
        for kind in range(KINDS):
            if counts[kind] < COPIES:
                counts[kind] += 1
                if is_complete(counts):
                    found.append(kind)
                counts[kind] -= 1
        return found

    return find
