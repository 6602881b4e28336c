"""`settlement`: what an operator may do about items that cannot be settled, and what operators did: each act with who and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from xuezhan.cli.options import who_option, why_option
from xuezhan.cli.output import as_json_option, write_rows
from xuezhan.cli.times import shown
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from xuezhan.api.settlement.v1 import ledger_pb2 as pb

_LETTER: Final = ("table", "item", "reason", "times", "first_at", "last_at", "detail", "resolution")
_OUTCOME: Final = ("table", "item", "kind", "result", "reason")
_ACT: Final = ("at", "action", "table", "item", "player", "who", "why")
_MOST: Final = 1000


@click.group()
def settlement() -> None:
    """Look after items that cannot be settled, and see who did what."""


@settlement.command("dead-letters", epilog="\b\nExample:\n  xuezhan settlement dead-letters --json")
@click.option("--limit", type=click.IntRange(1, _MOST), default=100, show_default=True, help="At most so many.")
@click.option("--all", "resolved", is_flag=True, help="Also those that were dealt with.")
@as_json_option
@installation_options
def dead_letters(where: Installation, limit: int, *, resolved: bool, as_json: bool) -> None:
    """List what could not be settled, the latest first."""

    async def ask() -> list[dict[str, Any]]:
        async with where.client() as client:
            found = await client.ledger.dead_letters(where.auditor_token(), limit, resolved=resolved)
        return [
            {
                "table": one.table_id,
                "item": one.item,
                "reason": one.reason,
                "times": one.times,
                "first_at": shown(one.first_at),
                "last_at": shown(one.last_at),
                "detail": one.detail or None,
                "resolution": one.resolution or None,
            }
            for one in found
        ]

    write_rows(_LETTER, run(ask()), as_json=as_json)


@settlement.command("log", epilog="\b\nExample:\n  xuezhan settlement log --limit 20")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="At most so many.")
@as_json_option
@installation_options
def acts(where: Installation, limit: int, *, as_json: bool) -> None:
    """List what operators did to the ledger and to players, with who and why, the latest first."""

    async def ask() -> list[dict[str, Any]]:
        async with where.client() as client:
            found = await client.ledger.acts(where.auditor_token(), limit)
        return [
            {
                "at": shown(act.at),
                "action": act.action,
                "table": act.table_id or None,
                "item": act.item or None,
                "player": act.player_id or None,
                "who": act.who,
                "why": act.why,
            }
            for act in found
        ]

    write_rows(_ACT, run(ask()), as_json=as_json)


@settlement.command(epilog="\b\nExample:\n  xuezhan settlement replay 3f0c... --why 'base of the room corrected'")
@click.argument("table_id", metavar="TABLE")
@who_option
@why_option
@as_json_option
@installation_options
def replay(where: Installation, table_id: str, who: str, why: str, *, as_json: bool) -> None:
    """Let the stuck TABLE go on: its stored items are tried again, in order."""

    async def ask() -> Sequence[pb.SettledItem]:
        async with where.client() as client:
            return await client.ledger.replay(where.finance_token(), table_id, who, why)

    _tell(table_id, run(ask()), as_json=as_json)


@settlement.command("void-item", epilog="\b\nExample:\n  xuezhan settlement void-item 3f0c... 7 --why 'sent twice by a broken build'")
@click.argument("table_id", metavar="TABLE")
@click.argument("item", type=click.IntRange(min=1, max=2**31 - 1))
@who_option
@why_option
@as_json_option
@installation_options
def void_item(where: Installation, table_id: str, item: int, who: str, why: str, *, as_json: bool) -> None:
    """Let ITEM (a number) of TABLE count as refused and go on with what follows it. It must be the table's next item."""

    async def ask() -> Sequence[pb.SettledItem]:
        async with where.client() as client:
            return await client.ledger.void(where.finance_token(), table_id, item, who, why)

    _tell(table_id, run(ask()), as_json=as_json)


def _tell(table: str, settled: Sequence[pb.SettledItem], *, as_json: bool) -> None:
    rows = [{"table": table, "item": one.item, "kind": one.kind, "result": one.result, "reason": one.reason or None} for one in settled]
    write_rows(_OUTCOME, rows, as_json=as_json)
