"""What every client was sent, written down for an audit: one file a table, one JSON object a line.

`{"seat", "player", "number", "event": name, "what": {...}}` for an event, with the protocol's own field names;
`{"seat", "player", "act", "answer", "sent", "waited"}` for an answer: when the act was sent (Unix time) and how long its answer took,
in seconds. Lines of one seat stand in the order in which they came.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.errors import CommandError
from xuezhan.client import Heard, Seat

_KEPT_LINES: Final = 200


class Traces:
    """Writes traces below a folder, some lines at a time; `close` writes the rest. CommandError when the folder cannot be made."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"--traces: {folder}: {error.strerror}", 2) from None
        self._folder = folder
        self._lines: dict[str, list[str]] = {}

    def heard(self, seat: Seat, heard: Heard) -> None:
        """Note an event, but not the offer that a view brought along: it is in the view."""
        if heard.name != "offer" or heard.number:
            self._add(seat, number=heard.number, event=heard.name, what=_plain(heard.what))

    def answered(self, seat: Seat, act: pb.Act, answer: pb.Answer, waited: float) -> None:
        """Note the answer to an act, which took `waited` seconds."""
        sent = round(time.time() - waited, 3)
        self._add(seat, act=_plain(act), answer=_plain(answer), sent=sent, waited=round(waited, 3))

    def close(self) -> None:
        """Write what is left."""
        for table in list(self._lines):
            self._write(table)

    def _add(self, seat: Seat, **fields: Any) -> None:
        lines = self._lines.setdefault(seat.table_id, [])
        lines.append(json.dumps({"seat": seat.place.seat, "player": seat.player, **fields}, ensure_ascii=False))
        if len(lines) >= _KEPT_LINES:
            self._write(seat.table_id)

    def _write(self, table: str) -> None:
        with (self._folder / f"{table}.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in self._lines.pop(table))


def _plain(what: object) -> dict[str, Any]:
    return MessageToDict(what, preserving_proto_field_name=True) if isinstance(what, Message) else {}
