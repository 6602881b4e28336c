"""The rules on their own, in this process and against other packages. Everything is per second of CPU time on one core.

A hand is played as `xuezhan simulate` plays it: dealt, every option and event computed, claims paid, recorded.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from bench import rule_packages, samples
from bench.options import Options
from bench.report import Row, left_out, number
from bench.rounds import median_ratio, rates
from games.crazy_duel.plays import read
from games.mahjong.concealed import Concealed
from games.mahjong.fans import Circumstances, How, Value
from games.mahjong.shapes import wait_mask
from games.mahjong.tiles import tiles_in
from games.registry import GAMES
from games.score import find_valuer, valued
from games.simulate import simulate

GROUP: Final = "rules"
DESIGNED: Final = ("crazy_xuezhan", "happy_sichuan", "kaxinwu", "crazy_duel")
"""Every game of the project, in the order of its pages; one that is not there yet is left out with a word."""
CARDS: Final = "crazy_duel"
_SEED: Final = "bench"
_HANDS: Final = 1_000_000
"""More than are ever asked for: hands are made one by one."""
_SAMPLES: Final = 200
_SELF_DRAWN: Final = Circumstances(How.SELF_DRAW)


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    details: dict[str, Any] = {}
    rows = [*_hands(options, details), *_valuations(options, details), _waits(options, details), _plays(options)]
    return rows, details


# Whole hands.


def _hands(options: Options, details: dict[str, Any]) -> Iterator[Row]:
    there = [game for game in DESIGNED if game in GAMES] + [game for game in GAMES if game not in DESIGNED]
    playing: dict[str, Callable[[], int]] = {game: _player(game) for game in there}
    theirs = {name: play for name in ("mahjong", "doudizhu") if (play := rule_packages.rlcard_games(name)) is not None}
    playing |= {f"rlcard {name}": play for name, play in theirs.items()}
    for play in playing.values():
        play()
    found = rates(options.repeat, playing, options.seconds(1.2))
    details["hands"] = found
    fastest = max((game for game in there if game != CARDS), key=lambda game: statistics.median(found[game]))
    for game in DESIGNED:
        if game not in GAMES:
            yield left_out(GROUP, f"{game}: random-bot hands", "this game is not registered yet")
    for game in there:
        yield _against_rlcard(game, found)
        if game not in {CARDS, fastest}:
            ratio = median_ratio(found[game], found[fastest])
            yield Row(
                GROUP, f"{game}: hands beside {fastest}", statistics.median(found[game]), "hands/s", _rate(fastest, found), ratio, 0.5
            )


def _player(game: str) -> Callable[[], int]:
    records = simulate(game, _HANDS, _SEED, bots="random")

    def play() -> int:
        next(records)
        return 1

    return play


def _rate(name: str, found: dict[str, list[float]]) -> str:
    return f"{name} {number(statistics.median(found[name]))}/s"


def _against_rlcard(game: str, found: dict[str, list[float]]) -> Row:
    """Return the row of a game against rlcard's nearest; a card game may meet its bound by its own speed as well."""
    what, rate = f"{game}: random-bot hands", statistics.median(found[game])
    peer, target = ("rlcard doudizhu", 10.0) if game == CARDS else ("rlcard mahjong", 25.0)
    if peer not in found:
        return Row(GROUP, what, rate, "hands/s", note=f"rlcard is {rule_packages.NOT_INSTALLED}")
    ratio = median_ratio(found[game], found[peer])
    if game == CARDS and rate >= 1000 and ratio < target:
        return Row(GROUP, what, rate, "hands/s", target=1000, note=f"{_rate(peer, found)}: {ratio:.1f} x")
    return Row(GROUP, what, rate, "hands/s", _rate(peer, found), ratio, target)


# Valuations and waits.


def _valuations(options: Options, details: dict[str, Any]) -> Iterator[Row]:
    hands = samples.wins(Random(_SEED), _SAMPLES)
    theirs = rule_packages.valuations(hands)
    contenders: dict[str, Callable[[], int]] = {}
    for game in valued():
        contenders[game] = _valuer(game, hands, read=False)
        contenders[f"{game} from tiles"] = _valuer(game, hands, read=True)
    if theirs is not None:
        contenders["mahjong"] = theirs
    found = rates(options.repeat, contenders, options.seconds(0.5))
    details["valuations"] = found
    for game in valued():
        for name, what, target in (
            (game, f"{game}: full valuation of a win", 10),
            (f"{game} from tiles", f"{game}: ... read from a list of tiles first", None),
        ):
            rate = statistics.median(found[name])
            if theirs is None:
                yield Row(GROUP, what, rate, "wins/s", note=f"the package mahjong is {rule_packages.NOT_INSTALLED}")
            else:
                yield Row(GROUP, what, rate, "wins/s", _rate("mahjong", found), median_ratio(found[name], found["mahjong"]), target)


def _valuer(game: str, hands: list[samples.Counts], *, read: bool) -> Callable[[], int]:
    """Return what values all hands: in the form in which a hand is held while it is played, or `read` from a list of tiles each time."""
    win = find_valuer(game, {}).win
    lists = [_tiles(hand) for hand in hands]
    held = [(Concealed(tiles), tiles[0]) for tiles in lists]
    for concealed, tile in held:
        value = win(concealed, (), tile, None, _SELF_DRAWN, None)
        assert isinstance(value, Value), f"{game}: no win: {concealed.tiles()}: {value}"

    def value_held() -> int:
        for concealed, tile in held:
            win(concealed, (), tile, None, _SELF_DRAWN, None)
        return len(held)

    def value_read() -> int:
        for tiles in lists:
            win(Concealed(tiles), (), tiles[0], None, _SELF_DRAWN, None)
        return len(lists)

    return value_read if read else value_held


def _tiles(hand: samples.Counts) -> list[int]:
    return [kind for kind, count in enumerate(hand) for _ in range(count)]


def _waits(options: Options, details: dict[str, Any]) -> Row:
    random = Random(_SEED)
    hands = [samples.without_one(random, win) for win in samples.wins(random, _SAMPLES)]
    kept = [Concealed(_tiles(hand)) for hand in hands]
    theirs = rule_packages.waits(hands)

    def ours() -> int:
        for concealed in kept:
            wait_mask(concealed, ())
        return len(kept)

    contenders: dict[str, Callable[[], int]] = {"ours": ours}
    if theirs is not None:
        find = theirs
        _check_waits(hands, kept, find)
        contenders["mahjong"] = lambda: len([find(hand) for hand in hands])
    found = rates(options.repeat, contenders, options.seconds(0.5))
    details["waits"] = found
    rate = statistics.median(found["ours"])
    if theirs is None:
        return Row(GROUP, "waits of a hand of 13", rate, "hands/s", note=f"the package mahjong is {rule_packages.NOT_INSTALLED}")
    ratio = median_ratio(found["ours"], found["mahjong"])
    return Row(GROUP, "waits of a hand of 13", rate, "hands/s", _rate("mahjong", found), ratio, 50)


def _check_waits(hands: list[samples.Counts], kept: list[Concealed], find: Callable[[Any], list[int]]) -> None:
    """Both must answer the same before their speed says anything; only we read four alike as two pairs."""
    for hand, concealed in zip(hands, kept, strict=True):
        ours, other = tiles_in(wait_mask(concealed, ())), find(hand)
        pairs = sum(count // 2 for count in hand) >= 6
        assert list(ours) == other or pairs, f"waits of {hand}: {ours}, {other}"


# Plays of cards.


def _plays(options: Options) -> Row:
    plays = samples.plays_with_jokers(Random(_SEED), 2000 if not options.quick else 200)
    times = []
    for cards in plays:
        runs = []
        for _ in range(3):
            started = time.perf_counter()
            read(cards)
            runs.append(time.perf_counter() - started)
        times.append(min(runs) * 1e6)
    times.sort()
    worst = f"99 of 100 under {number(times[len(times) * 99 // 100])} us"
    return Row(GROUP, f"{CARDS}: reading a play with four jokers", statistics.median(times), "us", target=50, at_most=True, note=worst)
