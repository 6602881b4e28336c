"""What people's pauses tell: `python -m bench.pauses`. Prints the figures of docs/security.md, "What a pause tells".

Plays whole hands in this process. Greedy bots choose, and each seat that is a person takes a random time for a claim: log-normal, which is
how people's answer times are spread, with the median as given. The server answers for all other seats at once. An outcome that comes after
the claim window tells that a person was asked.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from games.bots import bot
from games.deal import simulated_seed
from games.hand import Do, Refusal, Setup
from games.mahjong.melds import MeldKind
from games.registry import ruleset
from services.kit.rooms import Room

SPREAD: Final = 0.5
"""The standard deviation of the logarithm: two in three answers take between 0.6 and 1.6 times the median."""
JITTER: Final = 0.5
WINDOW: Final = Room.model_fields["claim_window_ms"].default / 1000


@dataclass
class Told:
    """Discards and added kongs: all, those about which a person was asked, and those whose outcome came after the window."""

    all: int = 0
    asked: int = 0
    late: int = 0

    def line(self) -> str:
        """Return the figures as shares."""
        inside = (self.asked - self.late) / (self.all - self.late)
        return f"{self.asked / self.all:6.1%} {self.late / max(self.asked, 1):6.1%} {self.late / self.all:6.1%} {inside:6.1%}"


def measure(game: str, hands: int, people: int, median: float, seed: str) -> Told:
    """Play hands with the first seats as people."""
    rules, told = ruleset(game, {}), Told()
    for number in range(1, hands + 1):
        random = Random(f"{seed} {number}")
        minds = [bot(game, "greedy", random) for _ in range(rules.players)]
        hand, _ = rules.deal(Setup("pauses", number, simulated_seed(seed, number), (None,) * rules.players))
        while not hand.over:
            seat = next(seat for seat, offer in enumerate(hand.offers) if offer is not None)
            action = minds[seat].choose(hand, seat)
            assert not isinstance(hand.apply(action), Refusal)
            if action.do is Do.DISCARD or action.kind == MeldKind.ADDED_KONG:
                told.all += 1
                if hand.question is not None:
                    _claims(hand, minds, people, median, random, told)
    return told


def _claims(hand: Any, minds: list[Any], people: int, median: float, random: Random, told: Told) -> None:
    question = hand.question
    thinks = {seat for seat in question.order if seat < people and not hand.offers[seat].at_once}
    times = {seat: random.lognormvariate(math.log(median), SPREAD) if seat in thinks else 0.0 for seat in question.order}
    told.asked += max(times.values()) > 0
    for seat in sorted(times, key=times.__getitem__):
        assert not isinstance(hand.apply(minds[seat].choose(hand, seat)), Refusal)
        if hand.question is not question:
            told.late += times[seat] > WINDOW * random.uniform(1, 1 + JITTER)
            return


def main() -> None:
    """Print a line for each game, number of people and median."""
    parser = argparse.ArgumentParser(prog="python -m bench.pauses", description="Measures what people's pauses tell.")
    parser.add_argument("--hands", type=int, default=500, help="hands of each line (500)")
    parser.add_argument("--medians", type=float, nargs="+", default=[0.7, 1.5, 3.0], help="medians of an answer's time, in seconds")
    given = parser.parse_args()
    print(f"claim window {WINDOW * 1000:.0f} to {WINDOW * (1 + JITTER) * 1000:.0f} ms, {given.hands} hands a line")
    print("game           people median | asked   of these after the window   of all   asked, of those within it")
    for game in ("crazy_xuezhan", "happy_sichuan", "kaxinwu"):
        for people in (4, 1):
            for median in given.medians:
                print(f"{game:14} {people:6} {median:5.1f}s | {measure(game, given.hands, people, median, 'pauses').line()}", flush=True)


if __name__ == "__main__":
    main()
