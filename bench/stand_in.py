"""A stand-in for the settlement: it answers every item at once, so that a table server does all of its own work and waits for nobody.

It lives in the table server's process, where the in-memory broker is, on a thread of its own whose CPU time is told apart.
"""

from __future__ import annotations

import contextlib
import json
import threading
from pathlib import Path
from typing import Any, Final

from kombu import Connection, Consumer

from bench.crowd import SEATS
from games import payout
from services.kit import bus, keys
from services.kit.items import TableOutcome
from services.kit.letterbox import body_of
from services.kit.messages import Author, Reader
from services.kit.publisher import Publisher
from services.kit.roles import Role

STAKE: Final = 1_000_000
THREAD: Final = "stand-in-settlement"
_POLL_SECONDS: Final = 0.01


class StandIn:
    """Pays as the ledger would, from `STAKE` coins a seat, and remembers only tables that are open.

    A table that comes from another server has `STAKE` coins a seat again.
    """

    def __init__(self, url: str, secrets: Path) -> None:
        self.items = 0
        worker = keys.load(secrets, Role.WORKER)
        self._reader = Reader(worker.trust)
        self._author = Author(worker.key, worker.installation, THREAD)
        self._url = url
        self._money: dict[str, list[int]] = {}
        self._publisher = Publisher(url)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=THREAD, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        self._thread.join(5)
        self._publisher.close()

    def _run(self) -> None:
        queue = bus.settlement_queue(self._url)
        with (
            Connection(self._url, transport_options={"polling_interval": _POLL_SECONDS}) as connection,
            Consumer(connection, [queue], on_message=self._receive),
        ):
            while not self._stop.is_set():
                with contextlib.suppress(TimeoutError):
                    connection.drain_events(timeout=0.5)

    def _receive(self, message: Any) -> None:
        message.ack()
        text = self._reader.items(body_of(message))
        self.items += len(text.items)
        outcomes: dict[str, list[dict[str, Any]]] = {}
        for item in text.items:
            outcomes.setdefault(item.table, []).append(self._apply(item.table, item.seq, json.loads(item.body)))
        told = [{"table": table, "through": settled[-1]["seq"], "items": settled} for table, settled in outcomes.items()]
        for answer in self._author.outcomes(text.reply_to, [TableOutcome.model_validate(one) for one in told]):
            self._publisher.outcomes(text.reply_to, answer)

    def _apply(self, table: str, seq: int, body: dict[str, Any]) -> dict[str, Any]:
        outcome: dict[str, Any] = {"seq": seq, "kind": body["kind"], "result": "applied"}
        match body["kind"]:
            case "open":
                money = self._money[table] = [STAKE] * len(body["seats"])
            case "stage":
                before = self._money.get(table, [STAKE] * SEATS)
                claims = [[claim["payer"], claim["payee"], claim["multiple"]] for claim in body["claims"]]
                paid = payout.stage(body["base"], before, claims)
                money = self._money[table] = list(paid.money)
                outcome["moves"] = [{"payer": move[0], "payee": move[1], "coins": move[2]} for move in paid.moves]
                outcome["short"] = [{"seat": short.seat, "owed": short.owed, "paid": short.paid} for short in paid.short]
            case "hand_end" if body.get("points"):
                pooled = payout.pooled(body["rate"], self._money.get(table, [STAKE] * SEATS), body["points"])
                money = self._money[table] = list(pooled.money)
                outcome["change"] = list(pooled.change)
            case "close":
                money = [0] * len(self._money.pop(table, []))
            case _:
                money = self._money.get(table, [STAKE] * SEATS)
        return outcome | {"money": money}
