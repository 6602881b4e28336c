"""What is built once is built before the first hand, when a server asks for it: nobody waits for it on their turn."""

from __future__ import annotations

from random import Random

import pytest

from games.crazy_duel import targets
from games.hand import Refusal, Setup
from games.mahjong import shapes
from games.registry import GAMES, game, ruleset

BUILT = (shapes._tables, targets.beating)


@pytest.mark.parametrize("name", GAMES)
def test_a_hand_of_a_prepared_ruleset_finds_everything_built(name: str) -> None:
    rules = ruleset(name, {})
    for built in BUILT:
        built.cache_clear()
    rules.prepare()
    before = [built.cache_info().misses for built in BUILT]
    assert sum(before) > 0
    for seed in range(5):
        random = Random(seed)
        bot = game(name).random(random)
        hand, _ = rules.deal(Setup("t", 1, random.randbytes(32), (None,) * rules.players))
        while not hand.over:
            seat = next(seat for seat, offer in enumerate(hand.offers) if offer is not None)
            assert not isinstance(hand.apply(bot.choose(hand, seat)), Refusal)
    assert [built.cache_info().misses for built in BUILT] == before
