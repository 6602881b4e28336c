"""What a load run checks once all hands are played: every coin against the statements, every acknowledged action against the records."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.verify import Verifier
from xuezhan.api.settlement.v1 import settlement_pb2 as pb
from xuezhan.cli.load.player import AckKey, LoadPlayer, record_key
from xuezhan.cli.load.tally import Tally
from xuezhan.client import Client, ClientError

AT_ONCE: Final = 16
SETTLE_SECONDS: Final = 60.0
MAY_LOSE: Final = frozenset({"pung", "kong", "pass"})
"""Answers that a record may leave out: a claim that lost to a win."""


@dataclass
class Wallet:
    """A player's coins before the run: wallet and stakes, and the newest ledger entry."""

    coins: int
    entry: int


async def at_once(work: Iterable[Awaitable[None]]) -> None:
    """Await many things, a bounded number at the same time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(item: Awaitable[None]) -> None:
        async with gate:
            await item

    await asyncio.gather(*(one(item) for item in work))


async def wallet(client: Client, token: str, player: str) -> Wallet:
    """Read what a player owns."""
    balance = await client.coins.balance(token, player)
    entry = 0
    async for page in client.coins.statement_pages(token, player, page=1):
        entry = max((line.entry_id for line in page.lines), default=0)
        break
    return Wallet(balance.wallet + balance.at_stake, entry)


async def check_coins(client: Client, token: Callable[[], str], before: dict[str, Wallet], players: list[LoadPlayer], tally: Tally) -> None:
    """Compare every wallet's change with its statement, and with the coins that the player was told of at the tables."""

    async def one(player: LoadPlayer) -> None:
        balance = await _at_rest(client, token, player.name)
        lines = await _lines_since(client, token(), player.name, before[player.name].entry)
        coins, first, last = tally.coins, before[player.name].coins, balance.wallet + balance.at_stake
        stated = sum(line.coins for line in lines)
        won = sum(line.coins for line in lines if line.table_id)
        coins.before += first + stated - won
        coins.after += last
        coins.stated += won
        coins.won += max(won, 0)
        coins.lost += max(-won, 0)
        coins.changed += won != 0
        if balance.at_stake:
            tally.error(f"{player.name}: {balance.at_stake} coins are still at stake in {balance.match_id}")
        if last - first != stated or (lines and lines[0].balance_after != last):
            coins.mismatches += 1
            tally.error(f"{player.name}: had {first}, has {last}, but the statement says {stated}")
        elif player.saw_all and player.settled != won:
            coins.mismatches += 1
            tally.error(f"{player.name}: was told of {player.settled} coins at the tables, but the statement says {won}")

    await at_once(one(player) for player in players)


async def _at_rest(client: Client, token: Callable[[], str], player: str) -> pb.GetBalanceResponse:
    """Return the balance once nothing is at stake, or when that has taken too long."""
    deadline = asyncio.get_running_loop().time() + SETTLE_SECONDS
    while True:
        balance = await client.coins.balance(token(), player)
        if not balance.at_stake or asyncio.get_running_loop().time() > deadline:
            return balance
        await asyncio.sleep(0.2)


async def _lines_since(client: Client, token: str, player: str, entry: int) -> list[pb.StatementLine]:
    lines: list[pb.StatementLine] = []
    async for page in client.coins.statement_pages(token, player):
        lines += [line for line in page.lines if line.entry_id > entry]
        if not page.lines or page.lines[-1].entry_id <= entry:
            break
    return lines


async def check_records(
    client: Client, token: Callable[[], str], players: list[LoadPlayer], tally: Tally, servers: Sequence[str] = ()
) -> None:
    """Replay every record, and look for every acknowledged action in it.

    Records are asked of the server that had the table last; if it is gone, of any of `servers`.
    """
    acknowledged: dict[tuple[str, int], Counter[AckKey]] = {}
    for player in players:
        for key, times in player.acknowledged.items():
            acknowledged.setdefault(key[:2], Counter())[key] += times

    async def one(table: str, address: str) -> None:
        try:
            records = await client.tables(",".join(dict.fromkeys((address, *servers)))).records(token(), table)
        except ClientError as error:
            tally.error(f"records of {table}: {error}")
            return
        if not records:
            tally.error(f"{table} has no record")
        verifier = Verifier()
        for record in records:
            _check_record(record, verifier.check(record), acknowledged.pop((table, record["hand"]), Counter()), tally)
            await asyncio.sleep(0)

    await at_once(one(table, address) for table, address in list(tally.tables.items()))
    for (table, hand), acts in acknowledged.items():
        tally.acknowledged_missing += acts.total()
        tally.error(f"hand {hand} of {table} has no record, but {acts.total()} of its actions were acknowledged")


def _check_record(record: dict[str, Any], verdict: dict[str, Any], acts: Counter[AckKey], tally: Tally) -> None:
    table, hand = record["table"], record["hand"]
    tally.recorded_hands += 1
    tally.hands.add((table, hand))
    tally.recorded_actions += len(record["actions"])
    tally.recorded_auto += sum(1 for action in record["actions"] if action.get("auto"))
    if verdict.get("ok") is not True:
        tally.records_wrong += 1
        tally.error(f"record of hand {hand} of {table}: {verdict}")
    recorded = Counter((table, hand, action["seat"], *record_key(action)) for action in record["actions"] if not action.get("auto"))
    missing = {key: times for key, times in (acts - recorded).items() if key[3] not in MAY_LOSE}
    if missing:
        tally.acknowledged_missing += sum(missing.values())
        tally.error(f"hand {hand} of {table}: acknowledged but not in the record: {sorted(missing)}")
    seats = {key[2] for key in acts}
    tally.recorded_unacknowledged += sum(times for key, times in (recorded - acts).items() if key[2] in seats)
