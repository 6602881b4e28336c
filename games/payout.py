"""From multiples and points to coins (docs/rules/payout.md): what every settlement, record and command computes coins with.

Law: coins are conserved exactly and nobody pays more than they have. Pure functions of the seat money before and what is owed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from games.fields import FieldError, listed, mapping, member, required, whole
from games.hand import Claim, Policy

LARGEST = 2**63 - 1
"""No figure that comes in may be larger: far beyond what an account may hold, and what is computed from it stays printable."""


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

    `base` 底分 is coins a multiple, `money` coins a seat, a claim (payer, payee, multiple). Who cannot pay in full shares all they have in
    proportion to the multiples they owe. FieldError names the field that cannot be used.
    """
    whole("base", base, 0, LARGEST)
    _check_money(money)
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
    """Settle a hand's sums of points at once: who is below zero pays into one pool what they can, who is above shares it in proportion.

    `rate` is coins a point; `points` a seat, adding up to zero. FieldError names the field that cannot be used.
    """
    whole("rate", rate, 0, LARGEST)
    _check_money(money)
    if len(points) != len(money):
        raise FieldError("points", f"{len(points)} seats, but money has {len(money)}")
    for seat, sum_of_seat in enumerate(points):
        whole(f"points[{seat}]", sum_of_seat, -LARGEST, LARGEST)
    if sum(points) != 0:
        raise FieldError("points", f"they add up to {sum(points)}, not to 0")
    change = [-min(has, max(-won, 0) * rate) for has, won in zip(money, points, strict=True)]
    short = tuple(Short(seat, -won * rate, -change[seat]) for seat, won in enumerate(points) if won < 0 and -change[seat] < -won * rate)
    winners = [seat for seat, won in enumerate(points) if won > 0]
    for seat, part in zip(winners, _share(-sum(change), [points[seat] for seat in winners]), strict=True):
        change[seat] = part
    return PooledResult(tuple(change), tuple(has + part for has, part in zip(money, change, strict=True)), short)


def payout_json(line: object) -> dict[str, Any]:
    """Answer one line of `xuezhan payout`: the result, or `{"error": what and where}`."""
    try:
        fields = mapping("line", line)
        policy = member("policy", required(fields, "policy"), Policy)
        money = listed("money", required(fields, "money"))
        if policy is Policy.STAGE:
            paid = stage(required(fields, "base"), money, listed("claims", required(fields, "claims")))
            return {"moves": [list(move) for move in paid.moves], "money": list(paid.money), "short": short_json(paid.short)}
        pool = pooled(required(fields, "rate"), money, listed("points", required(fields, "points")))
        return {"change": list(pool.change), "money": list(pool.money), "short": short_json(pool.short)}
    except FieldError as bad:
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
    if not isinstance(claim, list | tuple) or len(claim) != len(Claim._fields):
        raise FieldError(where, "not [payer, payee, multiple]")
    payer, payee = (whole(f"{where} {name}", seat, 0, seats - 1) for name, seat in zip(("payer", "payee"), claim, strict=False))
    if payer == payee:
        raise FieldError(where, f"seat {payer} claims from itself")
    return Claim(payer, payee, whole(f"{where} multiple", claim[2], 1, LARGEST))


def _check_money(money: Sequence[int]) -> None:
    if not money:
        raise FieldError("money", "no seats")
    for seat, coins in enumerate(money):
        whole(f"money[{seat}]", coins, 0, LARGEST)
