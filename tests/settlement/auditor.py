"""A naive keeper of the same coins: numbers in dictionaries, one rule after the other, nothing shared with the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(slots=True)
class AuditedTable:
    """A table as the auditor sees it: who sits where, and the items that were made for it."""

    base: int
    seats: dict[int, str | None]
    stakes: dict[int, int]
    items: list[tuple[str, object]] = field(default_factory=list)
    done: int = 0
    bound: bool = False


class Auditor:
    """Wallets by player, money by table and seat; `catch_up` does what a number of items say."""

    def __init__(self) -> None:
        self.wallets: dict[str, int] = {}
        self.tables: dict[str, AuditedTable] = {}
        self.busy: dict[str, str] = {}

    def owned(self, player: str) -> int:
        at_stake = sum(money for table in self.tables.values() for seat, money in table.stakes.items() if table.seats[seat] == player)
        return self.wallets.get(player, 0) + at_stake

    def hold(self, name: str, seats: list[str | None], base: int, needed: int) -> bool:
        players = [player for player in seats if player is not None]
        if any(player in self.busy or self.wallets.get(player, 0) < needed for player in players):
            return False
        richest = max([needed, *(self.wallets[player] for player in players)])
        stakes = {}
        for seat, player in enumerate(seats):
            if player is None:
                stakes[seat] = richest
            else:
                stakes[seat] = self.wallets[player]
                self.wallets[player] = 0
                self.busy[player] = name
        self.tables[name] = AuditedTable(base, dict(enumerate(seats)), stakes)
        return True

    def release(self, name: str) -> None:
        table = self.tables.get(name)
        if table is not None and not table.bound:
            for seat in list(table.stakes):
                self._home(name, seat)

    def catch_up(self, name: str, through: int) -> None:
        table = self.tables[name]
        for kind, what in table.items[table.done : through]:
            if kind == "open":
                table.bound = True
            elif kind == "stage":
                assert isinstance(what, list)
                self._stage(table, what)
            elif kind == "left":
                assert isinstance(what, int)
                self._home(name, what)
            else:
                for seat in list(table.stakes):
                    self._home(name, seat)
        table.done = max(table.done, through)

    def _home(self, name: str, seat: int) -> None:
        table = self.tables[name]
        player, money = table.seats[seat], table.stakes[seat]
        table.stakes[seat] = 0
        if player is not None:
            self.wallets[player] += money
            if self.busy.get(player) == name:
                del self.busy[player]

    def _stage(self, table: AuditedTable, claims: list[tuple[int, int, int]]) -> None:
        before = dict(table.stakes)
        for payer in sorted({payer for payer, _, _ in claims}):
            mine = [(payee, multiple) for who, payee, multiple in claims if who == payer]
            owed = sum(multiple * table.base for _, multiple in mine)
            has = min(before[payer], owed)
            weight = sum(multiple for _, multiple in mine)
            exact = [Fraction(has * multiple, weight) for _, multiple in mine]
            paid = [int(share) for share in exact]
            by_turn = sorted(range(len(mine)), key=lambda place: (mine[place][0] - payer) % len(before))
            while sum(paid) < has:
                lucky = max(by_turn, key=lambda place: (exact[place] - paid[place], -by_turn.index(place)))
                paid[lucky] += 1
            for (payee, _), coins in zip(mine, paid, strict=True):
                table.stakes[payer] -= coins
                table.stakes[payee] += coins
