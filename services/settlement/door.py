"""The door: what an item must be before anything of it reaches the database. That it is signed by a table server is known by then.

Law: nothing malformed is stored. A refusal names its reason; the other items of the message go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import ValidationError

from services.kit.items import BODY, Item, canonical
from services.settlement.batch import Good
from services.settlement.store_items import Key


class Bad(NamedTuple):
    """Why an item was turned away."""

    reason: str
    table: str
    seq: int


def check(items: Sequence[Item], reply_to: str) -> tuple[list[Good], list[Bad]]:
    """Check the bodies of a message's items."""
    checked = [_check(item, reply_to) for item in items]
    return [one for one in checked if isinstance(one, Good)], [one for one in checked if isinstance(one, Bad)]


def _check(item: Item, reply_to: str) -> Good | Bad:
    try:
        body = BODY.validate_json(item.body)
    except ValidationError:
        return Bad("body", item.table, item.seq)
    if canonical(body) != item.body:
        # Read strictly: a text that two programs could read differently is not the one text of any body.
        return Bad("body", item.table, item.seq)
    return Good(Key(item.table, item.seq), body, item.body, reply_to)
