"""血战卡心五 played once more from a record alone: no offers, no tables, no memory shared with the rules.

It keeps its own count of hands, passes, rows of kongs and payments, and is told nothing but the wall and the actions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import tile_of
from tests.games import kaxinwu, naive

EACH = {"direct_kong": 2, "added_kong": 1, "concealed_kong": 2}


@dataclass
class Place:
    """One player."""

    held: list[int]
    melds: list[Meld] = field(default_factory=list)
    won: list[int] = field(default_factory=list)
    best: int = 0
    drawn: int = -1
    passed: dict[int, int] = field(default_factory=dict)
    passed_pungs: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)

    def waits(self) -> set[int]:
        return set(naive.waits(self.held, self.melds))

    def own_move(self) -> None:
        self.passed.clear()
        self.passed_pungs.clear()


class Auditor:
    """Plays a record and asserts that each action was allowed and all that should have been done was; then compares what was paid."""

    seats_may_go = False
    """Whether players of this record may have left, which a record of this game does not say: the server then plays their hands."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.players = record["players"]
        self.must_kong = record["options"]["must_kong"]
        self.fives = kaxinwu.FIVES[record["options"]["three_suits"]]
        wall = [tile_of(name) for name in record["wall"]]
        self.places = [Place(wall[13 * seat : 13 * seat + 13]) for seat in range(self.players)]
        self.wall = wall[13 * self.players :]
        self.actions = list(record["actions"])
        self.stages: list[tuple[str, list[tuple[int, int, int]]]] = []
        self.row = 0
        self.together = False
        self.seen: Counter[str] = Counter()

    def play(self) -> Counter[str]:
        """Play to the end. Returns how often what happened."""
        turn: int | None = self.draw(self.record["dealer"])
        while turn is not None:
            turn = self.turn(turn)
        assert not self.actions
        self.check_call()
        given = [(stage["cause"], sorted(map(tuple, stage["claims"]))) for stage in self.record["stages"]]
        assert given == [(cause, sorted(claims)) for cause, claims in self.stages if claims]
        points = [0] * self.players
        for _, claims in self.stages:
            for payer, payee, multiple in claims:
                points[payer] -= multiple
                points[payee] += multiple
        assert points == self.record["points"]
        return self.seen

    def others(self, seat: int) -> list[int]:
        return [(seat + step) % self.players for step in range(1, self.players)]

    def draw(self, seat: int, *, replacement: bool = False) -> int | None:
        """Let a seat draw. Returns whose turn it is, None at the end of the wall."""
        if not self.wall:
            return None
        place = self.places[seat]
        place.own_move()
        place.drawn = self.wall.pop(0)
        place.held.append(place.drawn)
        self.row = self.row if replacement else 0
        return seat

    def turn(self, seat: int) -> int | None:
        place, action = self.places[seat], self.actions.pop(0)
        assert action["seat"] == seat, action
        can_win = place.drawn >= 0 and naive.wins(place.held, place.melds)
        kongs = self.kongs(place)
        if place.won:
            kongs = [] if can_win else [kong for kong in kongs if kong[0] == place.drawn and self.keeps(place, kong[0])]
            assert (action["do"] == "win") == can_win
        elif self.must_kong and any(kind == "added_kong" for _, kind in kongs):
            assert action["do"] in {"win", "kong"}
        self.answered_by(action, alone=bool(place.won and not kongs))
        if action["do"] == "win":
            assert can_win
            place.held.remove(place.drawn)
            self.win(seat, place.drawn, "self_draw", self.row, -1)
            return self.draw(self.others(seat)[0])
        if action["do"] == "kong":
            assert (tile_of(action["tile"]), action["kind"]) in kongs
            return self.kong(seat, tile_of(action["tile"]), action["kind"])
        tile = tile_of(action["tile"])
        assert not place.won or tile == place.drawn
        place.held.remove(tile)
        place.drawn = -1
        return self.answers(seat, tile, robbing=False)

    def kongs(self, place: Place) -> list[tuple[int, str]]:
        pungs = [meld.tile for meld in place.melds if meld.kind is MeldKind.PUNG and meld.tile not in place.given_up]
        added = [(tile, "added_kong") for tile in pungs if tile in place.held]
        return (added + [(tile, "concealed_kong") for tile in set(place.held) if place.held.count(tile) == 4]) if self.wall else []

    def keeps(self, place: Place, tile: int) -> bool:
        after = kaxinwu.waits_after_kong(place.held, place.melds, tile)
        return bool(after) and set(place.won) <= after

    def kong(self, seat: int, tile: int, kind: str) -> int | None:
        place = self.places[seat]
        place.held = [one for one in place.held if one != tile]
        place.drawn = -1
        if kind == "added_kong":
            return self.answers(seat, tile, robbing=True)
        return self.lay(seat, Meld(MeldKind(kind), tile))

    def lay(self, seat: int, meld: Meld) -> int | None:
        """Lay down a kong, pay for it, draw."""
        place = self.places[seat]
        place.melds = [one for one in place.melds if one.tile != meld.tile] + [meld]
        self.row += 1
        self.seen[f"{meld.kind} {min(self.row, 2)}"] += 1
        payers = [meld.source] if meld.kind is MeldKind.DIRECT_KONG else self.others(seat)
        self.stages.append(("kong", [(payer, seat, EACH[meld.kind] * (2 if self.row > 1 else 1)) for payer in payers]))
        return self.draw(seat, replacement=True)

    def win(self, seat: int, tile: int, how: str, kongs: int, source: int) -> None:
        """Take a win and pay for it."""
        place = self.places[seat]
        tiles = [*place.held, tile]
        multiple = 2 ** kaxinwu.fan(tiles, place.melds, tile, self.fives, how, kongs)
        place.best = max(place.best, 2 ** kaxinwu.fan(tiles, place.melds, tile, self.fives, check=True))
        self.seen[f"{how} {'again' if place.won else 'first'}"] += 1
        place.won.append(tile)
        payers = self.others(seat) if source < 0 else [source]
        claims = [(payer, seat, multiple) for payer in payers]
        if source >= 0 and self.together:
            self.stages[-1][1].extend(claims)
        else:
            self.stages.append(("win", claims))
        self.together = True

    def answers(self, source: int, tile: int, *, robbing: bool) -> int | None:
        """Work out who could claim a tile, and take what they answered."""
        how = "robbed_kong" if robbing else "discard"
        kongs = 0 if robbing else self.row
        could = {seat: self.could(seat, tile, how, kongs) for seat in self.others(source)}
        given: dict[int, dict[str, Any]] = {}
        for seat in self.others(source):
            if self.actions and self.actions[0]["seat"] == seat and self.answers_with(self.actions[0]) in could[seat]:
                given[seat] = self.actions.pop(0)
        winners = [seat for seat, action in given.items() if action["do"] == "win"]
        for seat, choices in could.items():
            assert seat in given or not choices or ("win" not in choices and winners), "only what lost to a win may be missing"
            if seat in given:
                self.note(seat, given[seat], choices, tile, robbing=robbing)
        if winners:
            self.together = False
            for seat in winners:
                self.win(seat, tile, how, kongs, source)
            return self.draw(source if len(winners) > 1 else self.others(winners[0])[0])
        claimer = next((seat for seat, action in given.items() if action["do"] in {"pung", "kong"}), None)
        if claimer is not None:
            return self.meld(claimer, source, tile, given[claimer]["do"])
        return self.lay(source, Meld(MeldKind.ADDED_KONG, tile)) if robbing else self.draw(self.others(source)[0])

    @staticmethod
    def answers_with(action: dict[str, Any]) -> str:
        return "kong" if action.get("kind") == "direct_kong" else "own kong" if action["do"] == "kong" else action["do"]

    def could(self, seat: int, tile: int, how: str, kongs: int) -> set[str]:
        """What a seat could do with another's tile."""
        place = self.places[seat]
        tiles = [*place.held, tile]
        choices = set()
        if naive.wins(tiles, place.melds):
            if kaxinwu.fan(tiles, place.melds, tile, self.fives, how, kongs) > place.passed.get(tile, 0):
                choices.add("win")
            else:
                self.seen["win passed before"] += 1
        copies = 0 if how == "robbed_kong" or not self.wall else place.held.count(tile)
        if place.won:
            if copies == 3 and not choices and self.keeps(place, tile):
                choices |= {"kong"} if kaxinwu.waits_after_kong(place.held, place.melds, tile) == place.waits() else {"kong", "pass"}
            return choices
        if copies == 3:
            choices.add("kong")
        forced = copies == 3 and self.must_kong
        if copies >= 2 and not forced:
            if tile in place.passed_pungs:
                self.seen["pung passed before"] += 1
            else:
                choices.add("pung")
        return choices | ({"pass"} if choices and not forced else set())

    def answered_by(self, action: dict[str, Any], *, alone: bool) -> None:
        """Assert who answered: the server where a locked hand has one choice (`alone`), or for a player who went, and may come back."""
        auto = action.get("auto", False)
        assert auto == alone or (auto and self.seats_may_go), action

    def note(self, seat: int, action: dict[str, Any], choices: set[str], tile: int, *, robbing: bool) -> None:
        """Keep what an answer passes."""
        place = self.places[seat]
        self.answered_by(action, alone=bool(place.won and len(choices) == 1))
        self.seen[f"{'locked ' if place.won else ''}{action['do']} of {len(choices)}"] += 1
        if "win" in choices and action["do"] != "win" and not robbing:
            tiles = [*place.held, tile]
            place.passed[tile] = kaxinwu.fan(tiles, place.melds, tile, self.fives, "discard", self.row)
        if "pung" in choices and action["do"] == "pass":
            place.passed_pungs.add(tile)

    def meld(self, seat: int, source: int, tile: int, do: str) -> int | None:
        place = self.places[seat]
        copies = 3 if do == "kong" else 2
        if do == "pung" and place.held.count(tile) == 3:
            place.given_up.add(tile)
        for _ in range(copies):
            place.held.remove(tile)
        place.own_move()
        self.row = 0
        if do == "kong":
            return self.lay(seat, Meld(MeldKind.DIRECT_KONG, tile, source))
        place.melds.append(Meld(MeldKind.PUNG, tile, source))
        return seat

    def check_call(self) -> None:
        """查叫."""
        worth = []
        for place in self.places:
            fans = [kaxinwu.fan([*place.held, tile], place.melds, tile, self.fives, check=True) for tile in place.waits()]
            worth.append(place.best or (2 ** max(fans) if fans else 0))
        payers = [seat for seat, multiple in enumerate(worth) if not multiple]
        self.stages.append(("not_ready", [(payer, seat, multiple) for payer in payers for seat, multiple in enumerate(worth) if multiple]))
        self.seen["not ready"] += len(payers)
