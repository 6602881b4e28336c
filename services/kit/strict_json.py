"""JSON objects that two programs cannot read differently: no name twice, nothing nested beyond what a reader can follow."""

from __future__ import annotations

import json
from typing import Any


def read_object(text: str, **readers: Any) -> dict[str, Any]:
    """Read one JSON object; `readers` are the `parse_...` options of `json.loads`. ValueError for anything else."""
    try:
        found = json.loads(text, object_pairs_hook=_each_name_once, **readers)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found
