"""Every game of the system: the one list that connects a game's id to its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from games.crazy_duel import rules as crazy_duel
from games.crazy_xuezhan import rules as crazy_xuezhan
from games.fields import FieldError
from games.hand import Ruleset
from games.happy_sichuan import rules as happy_sichuan
from games.kaxinwu import rules as kaxinwu
from games.option_table import OptionError, OptionValue
from games.options import resolve


class Game(NamedTuple):
    """How a game is set up. `players`: the numbers it can be played by, the usual one first."""

    rules: Callable[[Mapping[str, Any], int], Ruleset]
    players: tuple[int, ...]


GAMES: Final[Mapping[str, Game]] = {
    "crazy_xuezhan": Game(crazy_xuezhan.CrazyXuezhan, (crazy_xuezhan.PLAYERS,)),
    "happy_sichuan": Game(happy_sichuan.HappySichuan, (happy_sichuan.PLAYERS,)),
    "kaxinwu": Game(kaxinwu.Kaxinwu, kaxinwu.PLAYERS),
    "crazy_duel": Game(crazy_duel.DuelRules, (crazy_duel.DuelRules.players,)),
}


def game(name: str) -> Game:
    """Return a game. OptionError if there is no such game."""
    found = GAMES.get(name)
    if found is None:
        raise OptionError("game", f"{name!r} is not one of {', '.join(GAMES)}")
    return found


def ruleset(name: str, options: Mapping[str, object], players: int | None = None) -> Ruleset:
    """Return a game with its options resolved, shared by all that ask for the same. `players` None: the game's usual number.

    OptionError names the game or option that cannot be used, FieldError the number of players.
    """
    numbers = game(name).players
    count = numbers[0] if players is None else players
    if count not in numbers:
        raise FieldError("players", f"{name} is played by {' or '.join(map(str, numbers))}, not {count}")
    return _ruleset(name, tuple(resolve(name, options).items()), count)


@lru_cache(maxsize=256)
def _ruleset(name: str, options: tuple[tuple[str, OptionValue], ...], players: int) -> Ruleset:
    return game(name).rules(dict(options), players)
