"""Every game of the system: the one list that says what each is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from games.crazy_duel import greedy_bot as duel_greedy
from games.crazy_duel import options as duel_options
from games.crazy_duel import random_bot as duel_random
from games.crazy_duel import rules as duel_rules
from games.crazy_xuezhan import fans as crazy_fans
from games.crazy_xuezhan import options as crazy_options
from games.crazy_xuezhan import rules as crazy_rules
from games.fields import FieldError, shown
from games.hand import Bot, Ruleset
from games.happy_sichuan import fans as happy_fans
from games.happy_sichuan import greedy_bot as happy_greedy
from games.happy_sichuan import options as happy_options
from games.happy_sichuan import rules as happy_rules
from games.kaxinwu import fans as kaxinwu_fans
from games.kaxinwu import options as kaxinwu_options
from games.kaxinwu import rules as kaxinwu_rules
from games.mahjong.greedy_bot import GreedyBot
from games.mahjong.random_bot import RandomBot
from games.mahjong.valuer import Valuer
from games.option_table import OptionError, OptionTable, OptionValue

Rules: TypeAlias = Callable[[Mapping[str, Any], int], Ruleset]
"""Makes a ruleset from resolved options and the number of players."""


class Game(NamedTuple):
    """What a game is made of.

    `options` names the game. `players`: the numbers it can be played by, the usual one first. `greedy` and `random`: its bots, by what
    rooms and commands call them. `valuer`: how it values hands on their own with resolved options, where it does. `older`: rules of
    before by version, for hands that were dealt under them.
    """

    options: OptionTable
    rules: Rules
    players: tuple[int, ...]
    greedy: Callable[[Random], Bot] = GreedyBot
    random: Callable[[Random], Bot] = RandomBot
    valuer: Callable[[Mapping[str, OptionValue]], Valuer] | None = None
    older: Mapping[str, Rules] = MappingProxyType({})


GAMES: Final[Mapping[str, Game]] = {
    game.options.game: game
    for game in (
        Game(crazy_options.OPTIONS, crazy_rules.CrazyXuezhan, (crazy_rules.PLAYERS,), valuer=crazy_fans.valuer),
        Game(
            happy_options.OPTIONS,
            happy_rules.HappySichuan,
            (happy_rules.PLAYERS,),
            happy_greedy.TwoSuitBot,
            valuer=happy_fans.valuer,
            older={happy_rules.FirstHappySichuan.version: happy_rules.FirstHappySichuan},
        ),
        Game(kaxinwu_options.OPTIONS, kaxinwu_rules.Kaxinwu, kaxinwu_rules.PLAYERS, valuer=kaxinwu_fans.valuer),
        Game(duel_options.OPTIONS, duel_rules.DuelRules, (duel_rules.DuelRules.players,), duel_greedy.GreedyBot, duel_random.RandomBot),
    )
}


def game(name: str) -> Game:
    """Return a game. OptionError if there is no such game."""
    found = GAMES.get(name)
    if found is None:
        raise OptionError("game", f"{shown(name)} is not one of {', '.join(GAMES)}")
    return found


def ruleset(name: str, options: Mapping[str, object], players: int | None = None, version: str | None = None) -> Ruleset:
    """Return a game with its options resolved, shared by all that ask for the same.

    `players` None: the game's usual number; `version` None: the rules as they are played now. OptionError names the game or option that
    cannot be used, FieldError the number of players or the version.
    """
    found = game(name)
    count = found.players[0] if players is None else players
    if count not in found.players:
        raise FieldError("players", f"{name} is played by {' or '.join(map(str, found.players))}, not {count}")
    rules = _ruleset(name, tuple(found.options.resolve(options).items()), count, version if version in found.older else None)
    if version is not None and rules.version != version:
        raise FieldError("rules", f"{shown(version)} is not {rules.version}")
    return rules


def versions() -> frozenset[str]:
    """Return the versions of all rules that can be played here, those of before included."""
    return frozenset(version for name, found in GAMES.items() for version in (ruleset(name, {}).version, *found.older))


@lru_cache(maxsize=256)
def _ruleset(name: str, options: tuple[tuple[str, OptionValue], ...], players: int, older: str | None) -> Ruleset:
    found = game(name)
    return (found.rules if older is None else found.older[older])(dict(options), players)
