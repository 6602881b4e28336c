"""What every seat of a hand of 血战卡心五 may be told, by the auditor that plays a record from the rules page alone.

Who has won is not asked while there is nothing for them to decide: what the server does for a locked hand, and that it could do something,
is told to nobody before it is done.
"""

from __future__ import annotations

import base64
from collections import Counter
from typing import Any

from games.mahjong.melds import Meld, MeldKind
from tests.games import naive
from tests.games.kaxinwu_auditor import Auditor, Place
from tests.secrecy.deals import ASKED, SUITS, Told, text


def name(tile: int) -> str:
    """The tile as records write it."""
    return f"{tile % 9 + 1}{SUITS[tile // 9]}"


def enum(tile: int) -> str:
    """The tile as the protocol names it."""
    return f"TILE_{name(tile).upper()}"


class Teller(Auditor):
    """Notes what each seat is told while it plays a record."""

    seats_may_go = True

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record)
        self.told: list[list[Told]] = [[] for _ in self.places]
        self.told_stages = 0
        self.points = [0] * self.players
        self.wins = [0] * self.players
        self.offered: Counter[int] = Counter()

    def all(self, event: str, /, **what: Any) -> None:
        for told in self.told:
            told.append((event, what))

    def run(self) -> list[list[Told]]:
        record = self.record
        commitment = base64.b64encode(bytes.fromhex(record["commitment"])).decode()
        shown = {"commitment": commitment, "options": record["options"], "money": record["money"]}
        self.all("hand_committed", hand=record["hand"], **shown, record=record)
        self.all("deal_signed", hand=record["hand"], record=record)
        for told, place in zip(self.told, self.places, strict=True):
            shown = {"hand": record["hand"], "dealer": record["dealer"], "dealer_from": record["dealer_from"]}
            tiles, counts = [enum(tile) for tile in sorted(place.held)], [13] * self.players
            told.append(("dealt", {**shown, "tiles": tiles, "wall_left": len(self.wall), "concealed_counts": counts}))
        self.play()
        self._tell_stages()
        concealed = [text([name(tile) for tile in sorted(place.held)]) for place in self.places]
        self.all("hand_over", hand=record["hand"], points=record["points"], concealed=concealed)
        return self.told

    def _tell_stages(self) -> None:
        """Tell the stages that have come to be, as the record has them: the auditor compares what they hold."""
        while self.told_stages < sum(bool(claims) for _, claims in self.stages):
            at, self.told_stages = self.told_stages, self.told_stages + 1
            stage = self.record["stages"][at]
            for payer, payee, multiple in stage["claims"]:
                self.points[payer] -= multiple
                self.points[payee] += multiple
            claims = [{"payer": payer, "payee": payee, "multiple": multiple} for payer, payee, multiple in stage["claims"]]
            self.all("stage_claimed", hand=self.record["hand"], stage=at, cause=stage["cause"], claims=claims, points=list(self.points))

    def draw(self, seat: int, *, replacement: bool = False) -> int | None:
        self._tell_stages()
        drew = super().draw(seat, replacement=replacement)
        if drew is None:
            return None
        place = self.places[seat]
        for viewer, told in enumerate(self.told):
            tile = enum(place.drawn) if viewer == seat else ""
            told.append(("drew", {"seat": seat, "tile": tile, "replacement": replacement, "wall_left": len(self.wall)}))
        self._offer(seat, not place.won or self._may_kong(place), kind="turn")
        return drew

    def _offer(self, seat: int, asked: bool, **what: Any) -> None:
        """Count an offer, and tell it if its seat is asked: one that the server carries out itself is counted too."""
        self.offered[seat] += 1
        if asked:
            self.told[seat].append((ASKED, {**what, "decision": self.offered[seat]}))

    def _may_kong(self, place: Place) -> bool:
        """Whether a locked hand has something to decide on its turn."""
        can = any(tile == place.drawn and self.keeps(place, tile) for tile, _ in self.kongs(place))
        return can and not naive.wins(place.held, place.melds)

    def answers(self, source: int, tile: int, *, robbing: bool) -> int | None:
        self.all("kong_announced" if robbing else "discarded", seat=source, tile=enum(tile))
        how, kongs = ("robbed_kong", 0) if robbing else ("discard", self.row)
        for seat in self.others(source):
            choices = self.could(seat, tile, how, kongs)
            if choices:
                self._offer(seat, len(choices) > 1 or not self.places[seat].won, kind="claim", tile=enum(tile), source=source)
        return super().answers(source, tile, robbing=robbing)

    def win(self, seat: int, tile: int, how: str, kongs: int, source: int) -> None:
        if how == "robbed_kong" and not self.together:
            self.all("kong_robbed", seat=source, tile=enum(tile))
        super().win(seat, tile, how, kongs, source)
        win = self.record["result"]["seats"][seat]["wins"][self.wins[seat]]
        self.wins[seat] += 1
        assert (win["tile"], win["how"]) == (name(tile), how), "the record's result says another win"
        worth = {key: win[key] for key in ("parts", "fan", "multiple")}
        self.all("won", seat=seat, tile=enum(tile), how=f"WIN_HOW_{how.upper()}", from_seat_plus_one=source + 1, **worth)

    def lay(self, seat: int, meld: Meld) -> int | None:
        pung = next((one for one in self.places[seat].melds if one.tile == meld.tile), meld)
        self._melded(seat, meld._replace(source=pung.source))
        return super().lay(seat, meld._replace(source=pung.source))

    def meld(self, seat: int, source: int, tile: int, do: str) -> int | None:
        following = super().meld(seat, source, tile, do)
        if do == "pung":
            self._melded(seat, Meld(MeldKind.PUNG, tile, source))
            self._offer(seat, asked=True, kind="turn")
        return following

    def _melded(self, seat: int, meld: Meld) -> None:
        self.all(
            "melded",
            seat=seat,
            meld={"kind": f"MELD_KIND_{meld.kind.name}", "tile": enum(meld.tile), "from_seat_plus_one": meld.source + 1},
        )
