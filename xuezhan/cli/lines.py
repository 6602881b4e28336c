"""JSON Lines in, JSON Lines out: the loop of every command that reads standard input.

Law: one line in, one line out, in order. A line that cannot be used is answered with `{"error": what and where}` and the rest goes on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final, NoReturn

MAX_LINE_BYTES: Final = 8 * 1024 * 1024
"""More than any hand record needs."""


class LineError(ValueError):
    """A line that is no JSON value."""


def answer_lines(answer: Callable[[object], Mapping[str, Any]], *, names_once: bool = False, needs: str = "") -> int:
    """Answer standard input line by line. Returns the exit status: 1 if a line could not be used, else 0.

    `names_once`: an object with a name twice, which two programs could read differently, cannot be used. `needs`: what there must be at
    least one of; without it, no line at all is the status 1 too.
    """
    source, status, number = sys.stdin.buffer, 0, 0
    while raw := source.readline(MAX_LINE_BYTES + 1):
        number += 1
        try:
            result = answer(_read(raw, source, names_once=names_once))
        except LineError as error:
            result = {"error": str(error)}
        if "error" in result:
            status = 1
            result = {"error": f"line {number}: {str(result['error']).removeprefix('line: ')}"}
        write_line(result)
    if needs and not number:
        print(f"xuezhan: no {needs} came on standard input", file=sys.stderr)
        return 1
    return status


def write_line(value: Mapping[str, Any]) -> None:
    """Write one JSON object on its own line at once, so that a program at the other end can work in step."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        data = text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, echoed from the input
        data = json.dumps(value).encode()
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def _read(raw: bytes, source: BinaryIO, *, names_once: bool) -> object:
    if len(raw) > MAX_LINE_BYTES:
        while raw and not raw.endswith(b"\n"):
            raw = source.readline(MAX_LINE_BYTES)
        raise LineError(f"longer than {MAX_LINE_BYTES} bytes")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise LineError(f"not UTF-8 at byte {error.start}") from None
    if not text.strip():
        raise LineError("blank")
    try:
        value: object = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_each_once if names_once else None)
    except LineError:
        raise
    except RecursionError:
        raise LineError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise LineError(f"not JSON: {error.msg} at character {error.pos}") from None
    except ValueError as error:
        raise LineError(f"not JSON: {error}") from None
    return value


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise LineError("a name stands twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise LineError(f"not JSON: {name}")
