"""Signed texts: one JSON object, serialised once by its author and verified as the bytes that were received.

Law: a reader verifies first and parses afterwards, never serialises again; and reads nothing that two programs could read differently:
no doubled names, no fractions, no NaN, no integer beyond 2^53 - 1, no half of a character.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from services.kit.strict_json import read_object

LARGEST: Final = 2**53 - 1
_LONG: Final = re.compile(r"[0-9]{16}")
"""Of numbers with fewer digits each is small enough."""


def compose(value: Mapping[str, Any]) -> str:
    """Return the one text of a JSON object: names in order, no spaces, characters as themselves. ValueError for a fraction or NaN."""
    text = encode(value)
    read(text)
    return text


encode: Final[Callable[[Mapping[str, Any]], str]] = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode
"""As `compose`, for values that a program has made of whole numbers and texts it has checked: reading them again takes long."""


def read(text: str) -> dict[str, Any]:
    """Read a signed text. ValueError says what no such text may hold."""
    # Where no number can be too long, and no escape can hide half a character, there is less to look at: texts of thousands of numbers.
    whole = _whole if _LONG.search(text) else None
    try:
        found = read_object(text, parse_float=_no_fraction, parse_constant=_no_fraction, parse_int=whole)
        text.encode()
        if "\\u" in text:
            _no_half_characters(found)
    except UnicodeEncodeError:
        raise ValueError("half a character") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    return found


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no whole number")


def _whole(text: str) -> int:
    if len(text) > len(str(-LARGEST)) or abs(int(text)) > LARGEST:
        raise ValueError(f"{text[:20]} is beyond 2^53 - 1")
    return int(text)


def _no_half_characters(value: Any) -> None:
    """Look behind escapes: a text of plain letters can spell out a lone surrogate."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, list):
        for one in value:
            _no_half_characters(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            name.encode()
            _no_half_characters(one)
