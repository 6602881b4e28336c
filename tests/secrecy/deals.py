"""What every seat of a mahjong hand may be told, rebuilt from the published record alone: what the games share.

This is a second reading of the rules pages, slow and on its own: it shares nothing with the machine, its events or its views. `Table.run`
gives for each seat, in order, the events it is shown and the moments at which it is asked; a real trace must be exactly that.
"""

from __future__ import annotations

import base64
from collections import Counter
from typing import Any

from games.mahjong.melds import Meld, MeldKind
from tests.games import naive

Told = tuple[str, dict[str, Any]]

SUITS = "mps"
ASKED = "asked"
"""A pseudo event: the seat gets an offer here."""


def number(tile: str) -> int:
    """The tile as 0..26."""
    return SUITS.index(tile[1]) * 9 + int(tile[0]) - 1


def enum(tile: str) -> str:
    """The tile as the protocol names it."""
    return f"TILE_{tile.upper()}"


class Player:
    """A seat as the record shows it."""

    def __init__(self, tiles: list[str]) -> None:
        self.tiles = Counter(tiles)
        self.melds: list[Meld] = []
        self.void = ""
        self.out = False
        self.drawn = ""

    def held(self) -> list[str]:
        return sorted(self.tiles.elements(), key=number)

    def has_void(self) -> bool:
        return any(tile[1] == self.void for tile in self.tiles.elements())

    def suits_with(self, tile: str) -> set[str]:
        return {tile[1], *(one[1] for one in self.tiles.elements()), *(SUITS[meld.tile // 9] for meld in self.melds)}

    def wins_with(self, tile: str) -> bool:
        return (
            tile[1] != self.void and not self.has_void() and naive.wins([number(one) for one in [*self.tiles.elements(), tile]], self.melds)
        )

    def take(self, tile: str, times: int = 1) -> None:
        assert self.tiles[tile] >= times, f"{tile} is not there {times} times"
        self.tiles[tile] -= times
        self.tiles += Counter()


class Table:
    """Plays a record through and notes what each seat is told. A game says what differs."""

    unit = 1
    """Points a multiple."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.wall: list[str] = record["wall"]
        self.seats = range(record["players"])
        self.players = [Player(self.wall[13 * seat : 13 * seat + 13]) for seat in self.seats]
        self.next = 13 * len(self.seats)
        self.told: list[list[Told]] = [[] for _ in self.seats]
        self.actions = list(record["actions"])
        self.stages = iter(enumerate(record["stages"]))
        self.points = [0] * len(self.seats)
        self.row = 0

    def all(self, name: str, /, **what: Any) -> None:
        for viewer in self.seats:
            self.told[viewer].append((name, what))

    def only(self, viewer: int, name: str, /, **what: Any) -> None:
        self.told[viewer].append((name, what))

    def action(self) -> dict[str, Any] | None:
        return self.actions[0] if self.actions else None

    def run(self) -> list[list[Told]]:
        self._deal()
        self._before_play()
        self._play()
        self._end()
        return self.told

    def _deal(self) -> None:
        record = self.record
        hashes = [""] * len(self.seats)
        left, counts = len(self.wall) - self.next, [13 for _ in self.seats]
        commitment = base64.b64encode(bytes.fromhex(record["commitment"])).decode()
        shown = {"commitment": commitment, "contribution_hashes": hashes, "options": record["options"], "money": record["money"]}
        self.all("hand_committed", hand=record["hand"], **shown, record=record)
        self.all("deal_signed", hand=record["hand"], record=record)
        for seat, player in enumerate(self.players):
            shown = {"hand": record["hand"], "dealer": record["dealer"], "dealer_from": record["dealer_from"]}
            self.only(seat, "dealt", **shown, tiles=[enum(tile) for tile in player.held()], wall_left=left, concealed_counts=counts)

    def _before_play(self) -> None:
        """What a game asks of the seats before the dealer draws."""

    def _play(self) -> None:
        turn = self.record["dealer"]
        self._draw(turn, replacement=False)
        while True:
            action = self.actions.pop(0)
            if action["do"] == "leave":
                return
            assert action["seat"] == turn, "the turn is somebody else's"
            following = getattr(self, f"_{action['do']}")(turn, action)
            if following is None:
                return
            turn = following

    def _draw(self, seat: int, *, replacement: bool) -> bool:
        if self.next == len(self.wall):
            return False
        tile = self.wall[self.next]
        self.next += 1
        self.row = self.row if replacement else 0
        player = self.players[seat]
        player.tiles[tile] += 1
        player.drawn = tile
        left = len(self.wall) - self.next
        for viewer in self.seats:
            mine = enum(tile) if viewer == seat else ""
            self.only(viewer, "drew", seat=seat, tile=mine, replacement=replacement, wall_left=left)
        self.only(seat, ASKED, kind="turn")
        return True

    def _discard(self, seat: int, action: dict[str, Any]) -> int | None:
        tile = action["tile"]
        self.players[seat].take(tile)
        self.all("discarded", seat=seat, tile=enum(tile))
        return self._claims(seat, tile, robbing=False)

    def _kong(self, seat: int, action: dict[str, Any]) -> int | None:
        tile, kind = action["tile"], action["kind"]
        player = self.players[seat]
        if kind == "added_kong":
            player.take(tile)
            self.all("kong_announced", seat=seat, tile=enum(tile))
            return self._claims(seat, tile, robbing=True)
        player.take(tile, 4)
        player.melds.append(Meld(MeldKind.CONCEALED_KONG, number(tile)))
        return self._konged(seat, tile, "MELD_KIND_CONCEALED_KONG", -1)

    def _konged(self, seat: int, tile: str, kind: str, source: int) -> int | None:
        self.all("melded", seat=seat, meld={"kind": kind, "tile": enum(tile), "from_seat_plus_one": source + 1})
        self.row += 1
        self._kong_paid()
        return self._next(seat, replacement=True)

    def _next(self, seat: int, *, replacement: bool = False) -> int | None:
        return seat if self._draw(seat, replacement=replacement) else None

    def _win(self, seat: int, _action: dict[str, Any]) -> int | None:
        player = self.players[seat]
        player.take(player.drawn)
        self._won([seat], player.drawn, "self_draw", -1)
        return None if self._over() else self._next(self._after(seat))

    # What differs between games.

    def _may_win(self, player: Player, tile: str) -> bool:
        return player.wins_with(tile)

    def _kong_paid(self) -> None:
        """What a kong costs."""

    def _melds_beside_wins(self) -> bool:
        """Whether a tile that is won may be melded too."""
        return False

    # Claims.

    def _asked(self, source: int, tile: str, *, robbing: bool) -> list[int]:
        meldable = not robbing and self.next < len(self.wall)
        asked = []
        for step in self.seats[1:]:
            seat = (source + step) % len(self.seats)
            player = self.players[seat]
            pung = meldable and player.tiles[tile] >= 2 and tile[1] != player.void
            if not player.out and (pung or self._may_win(player, tile)):
                asked.append(seat)
        return asked

    def _claims(self, source: int, tile: str, *, robbing: bool) -> int | None:
        asked = self._asked(source, tile, robbing=robbing)
        for seat in asked:
            self.only(seat, ASKED, kind="claim", tile=enum(tile), source=source)
        if asked and (action := self.action()) and action["do"] == "leave":
            self._undecided(source, tile, robbing=robbing)
            return None
        answers = {}
        for seat in asked:
            action = self.action()
            if action is not None and action["seat"] == seat and action["do"] in {"win", "pung", "kong", "pass"}:
                answers[seat] = self.actions.pop(0)
            else:
                assert not self._may_win(self.players[seat], tile), "the answer of a seat that could win is missing"
        winners = [seat for seat in asked if answers.get(seat, {}).get("do") == "win"]
        if winners:
            if robbing:
                self.all("kong_robbed", seat=source, tile=enum(tile))
            self._won(winners, tile, "robbed_kong" if robbing else "discard", source)
            if self._over():
                return None
        claimer = next((seat for seat in answers if answers[seat]["do"] in {"pung", "kong"}), None)
        if claimer is not None and (self._melds_beside_wins() or not winners):
            return self._meld(claimer, source, tile, answers[claimer]["do"])
        if robbing and not winners:
            melds = self.players[source].melds
            place = next(at for at, meld in enumerate(melds) if meld.tile == number(tile))
            melds[place] = Meld(MeldKind.ADDED_KONG, number(tile), melds[place].source)
            return self._konged(source, tile, "MELD_KIND_ADDED_KONG", melds[place].source)
        return self._next(self._after(winners[-1] if winners else source))

    def _undecided(self, source: int, tile: str, *, robbing: bool) -> None:
        """Somebody escaped while a tile was being claimed: an added kong has not been made."""
        self.actions.pop(0)
        if robbing:
            self.players[source].tiles[tile] += 1

    def _meld(self, seat: int, source: int, tile: str, do: str) -> int | None:
        player = self.players[seat]
        self.row = 0
        kind = MeldKind.PUNG if do == "pung" else MeldKind.DIRECT_KONG
        player.take(tile, 2 if do == "pung" else 3)
        player.melds.append(Meld(kind, number(tile), source))
        if do == "kong":
            return self._konged(seat, tile, "MELD_KIND_DIRECT_KONG", source)
        player.drawn = ""
        self.all("melded", seat=seat, meld={"kind": "MELD_KIND_PUNG", "tile": enum(tile), "from_seat_plus_one": source + 1})
        self.only(seat, ASKED, kind="turn")
        return seat

    def _won(self, winners: list[int], tile: str, how: str, source: int) -> None:
        for seat in winners:
            self.players[seat].out = True
            win = self.record["result"]["seats"][seat]["wins"][0]
            assert (win["tile"], win["how"]) == (tile, how), "the record's result says another win"
            shown = {"seat": seat, "tile": enum(tile), "how": f"WIN_HOW_{how.upper()}", "from_seat_plus_one": source + 1}
            self.all("won", **shown, parts=win["parts"], fan=win["fan"], multiple=win["multiple"])
        self._stage("win")

    def _stage(self, cause: str) -> None:
        index, stage = next(self.stages)
        assert stage["cause"] == cause, f"the record has {stage['cause']} where {cause} is due"
        self._claimed(index, stage)

    def _claimed(self, index: int, stage: dict[str, Any]) -> None:
        for payer, payee, multiple in stage["claims"]:
            self.points[payer] -= multiple * self.unit
            self.points[payee] += multiple * self.unit
        claims = [{"payer": payer, "payee": payee, "multiple": multiple} for payer, payee, multiple in stage["claims"]]
        self.all("stage_claimed", hand=self.record["hand"], stage=index, cause=stage["cause"], claims=claims, points=list(self.points))

    def _after(self, seat: int) -> int:
        return next(other for step in self.seats if not self.players[other := (seat + step + 1) % len(self.seats)].out)

    def _over(self) -> bool:
        return sum(player.out for player in self.players) == 3

    def _end(self) -> None:
        for index, stage in self.stages:
            self._claimed(index, stage)
        assert not self.actions, "the record goes on after the hand is over"
        concealed = [text(player.held()) for player in self.players]
        self.all("hand_over", hand=self.record["hand"], points=self.record["points"], concealed=concealed)


def text(tiles: list[str]) -> str:
    """Tiles as records write them: those of one suit share their letter."""
    parts = ("".join(tile[0] for tile in tiles if tile[1] == suit) + suit for suit in SUITS if any(tile[1] == suit for tile in tiles))
    return "".join(parts)
