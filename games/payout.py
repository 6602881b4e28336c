"""From multiples and points to coins (docs/rules/payout.md): what every settlement, record and command computes coins with.

Law: coins are conserved exactly and nobody pays more than he has. Pure functions of the seat money before and what is owed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from games.hand import Claim, Policy


class Move(NamedTuple):
    """Coins that `payer` paid to `payee` for one claim, in whole coins; 0 where nothing was left."""

    payer: int
    payee: int
    coins: int


class Short(NamedTuple):
    """A seat that could not pay all it owed: both in coins, `paid` < `owed`."""

    seat: int
    owed: int
    paid: int


class StageResult(NamedTuple):
    """A stage in coins: one move a claim in the claims' order, each seat's money after, who fell short in seat order."""

    moves: tuple[Move, ...]
    money: tuple[int, ...]
    short: tuple[Short, ...]


class PooledResult(NamedTuple):
    """A pool in coins: each seat's change and money after, who fell short in seat order."""

    change: tuple[int, ...]
    money: tuple[int, ...]
    short: tuple[Short, ...]


def stage(base: int, money: Sequence[int], claims: Iterable[Sequence[int]]) -> StageResult:
    """Settle claims that arise together, each from the money its payer had before.

    `base` 底分 is coins a multiple, `money` coins a seat, a claim (payer, payee, multiple). Who cannot pay in full shares all he has in
    proportion to the multiples he owes. ValueError names the field that cannot be used.
    """
    _whole("base", base, 0)
    _money(money)
    owed = [_claim(f"claims[{place}]", claim, len(money)) for place, claim in enumerate(claims)]
    after = list(money)
    coins = [0] * len(owed)
    short = []
    for payer, has in enumerate(money):
        mine = [place for place, claim in enumerate(owed) if claim.payer == payer]
        due = base * sum(owed[place].multiple for place in mine)
        if has < due:
            short.append(Short(payer, due, has))
        # Ties go to the seat that comes first after the payer in turn order, then to the earlier claim.
        order = sorted(mine, key=lambda place: (owed[place].payee - payer) % len(money))
        for place, part in zip(order, _share(min(has, due), [owed[place].multiple for place in order]), strict=True):
            coins[place] = part
            after[payer] -= part
            after[owed[place].payee] += part
    moves = tuple(Move(claim.payer, claim.payee, part) for claim, part in zip(owed, coins, strict=True))
    return StageResult(moves, tuple(after), tuple(short))


def pooled(rate: int, money: Sequence[int], points: Sequence[int]) -> PooledResult:
    """Settle a hand's sums of points at once: who is below zero pays into one pool what he can, who is above shares it in proportion.

    `rate` is coins a point; `points` a seat, adding up to zero. ValueError names the field that cannot be used.
    """
    _whole("rate", rate, 0)
    _money(money)
    if len(points) != len(money):
        raise ValueError(f"points: {len(points)} seats, but money has {len(money)}")
    for seat, sum_of_seat in enumerate(points):
        _whole(f"points[{seat}]", sum_of_seat, None)
    if sum(points) != 0:
        raise ValueError(f"points: they add up to {sum(points)}, not to 0")
    change = [-min(has, max(-won, 0) * rate) for has, won in zip(money, points, strict=True)]
    short = tuple(Short(seat, -won * rate, -change[seat]) for seat, won in enumerate(points) if won < 0 and -change[seat] < -won * rate)
    winners = [seat for seat, won in enumerate(points) if won > 0]
    for seat, part in zip(winners, _share(-sum(change), [points[seat] for seat in winners]), strict=True):
        change[seat] = part
    return PooledResult(tuple(change), tuple(has + part for has, part in zip(money, change, strict=True)), short)


def payout_json(line: object) -> dict[str, Any]:
    """Answer one line of `xuezhan payout`: the result, or `{"error": what and where}`."""
    try:
        if not isinstance(line, Mapping):
            raise ValueError("line: not a JSON object")  # noqa: TRY004 - bad input is a value here, not a bug
        policy = line.get("policy")
        if policy == Policy.STAGE:
            paid = stage(_field(line, "base"), _list(line, "money"), _list(line, "claims"))
            return {"moves": [list(move) for move in paid.moves], "money": list(paid.money), "short": short_json(paid.short)}
        if policy == Policy.POOLED:
            pool = pooled(_field(line, "rate"), _list(line, "money"), _list(line, "points"))
            return {"change": list(pool.change), "money": list(pool.money), "short": short_json(pool.short)}
        raise ValueError(f"policy: {policy!r} is neither stage nor pooled")
    except ValueError as bad:
        return {"error": str(bad)}


def short_json(short: Iterable[Short]) -> list[dict[str, int]]:
    """Return who fell short in the notation of records."""
    return [one._asdict() for one in short]


def _share(coins: int, weights: Sequence[int]) -> list[int]:
    """Split coins in proportion to weights: floors, then one coin each by largest remainder, the earlier of equals first."""
    if not weights:
        return []
    total = sum(weights)
    parts = [coins * weight // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda place: -(coins * weights[place] % total))
    for place in by_remainder[: coins - sum(parts)]:
        parts[place] += 1
    return parts


def _claim(where: str, claim: object, seats: int) -> Claim:
    if not isinstance(claim, list | tuple) or len(claim) != 3:
        raise ValueError(f"{where}: not [payer, payee, multiple]")
    payer, payee, multiple = claim
    for name, seat in (("payer", payer), ("payee", payee)):
        if _whole(f"{where} {name}", seat, 0) >= seats:
            raise ValueError(f"{where} {name}: there is no seat {seat}")
    if payer == payee:
        raise ValueError(f"{where}: seat {payer} claims from itself")
    return Claim(payer, payee, _whole(f"{where} multiple", multiple, 1))


def _money(money: Sequence[int]) -> None:
    if not money:
        raise ValueError("money: no seats")
    for seat, coins in enumerate(money):
        _whole(f"money[{seat}]", coins, 0)


def _whole(where: str, value: object, least: int | None) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{where}: {value!r} is not a whole number")
    if least is not None and value < least:
        raise ValueError(f"{where}: {value} is below {least}")
    return value


def _field(line: Mapping[str, Any], name: str) -> Any:
    if name not in line:
        raise ValueError(f"{name}: missing")
    return line[name]


def _list(line: Mapping[str, Any], name: str) -> list[Any]:
    value = _field(line, name)
    if not isinstance(value, list):
        raise ValueError(f"{name}: not a list")  # noqa: TRY004 - as above
    return value
