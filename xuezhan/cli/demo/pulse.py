"""What the services count, as the demo shows it: read from their own metrics ports, like Prometheus does."""

from __future__ import annotations

import asyncio
import time
import urllib.request
from dataclasses import dataclass
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

READ_SECONDS: Final = 1.0


@dataclass
class Pulse:
    """Totals since the services started; `actions_per_second` over the last reading."""

    tables: int = 0
    hands: int = 0
    actions: int = 0
    actions_per_second: float = 0.0
    items: int = 0
    coins_moved: int = 0

    async def follow(self, metrics: dict[str, str]) -> None:
        """Read again every second until cancelled; `metrics` has host:port by service."""
        last, before = time.monotonic(), 0
        while True:
            await asyncio.sleep(READ_SECONDS)
            table, settlement = await asyncio.gather(*(asyncio.to_thread(_read, metrics[name]) for name in ("table", "settlement")))
            now = time.monotonic()
            self.tables = int(table.get("xuezhan_table_tables", 0))
            self.hands = int(table.get("xuezhan_table_hands_total", 0))
            self.actions = int(table.get("xuezhan_table_actions_total", 0))
            self.items = int(settlement.get("xuezhan_settlement_items_total", 0))
            self.coins_moved = int(settlement.get("xuezhan_settlement_coins_paid_total", 0))
            self.actions_per_second = (self.actions - before) / (now - last)
            last, before = now, self.actions


def _read(address: str) -> dict[str, float]:
    """Return each sample's sum over its labels; nothing while the port does not answer."""
    try:
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=2) as answer:
            text = answer.read().decode()
    except OSError:
        return {}
    sums: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            sums[sample.name] = sums.get(sample.name, 0.0) + sample.value
    return sums
