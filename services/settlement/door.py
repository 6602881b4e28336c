"""The door: what a message must be before anything of it reaches the database.

Law: nothing unsigned, malformed or oversized is stored. A refusal names its reason; the other items of the message go on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import ValidationError

from services.kit.items import BODY, MAX_BATCH_BYTES, MAX_BATCH_ITEMS, SignedItem, canonical, verify
from services.kit.secrets import KeyRing
from services.settlement.batch import Good
from services.settlement.store_items import Key


class Bad(NamedTuple):
    """Why a message or one of its items was turned away. `table` and `seq` are only known where the item could be read."""

    reason: str
    table: str = ""
    seq: int = 0


def check(ring: KeyRing, items: object) -> tuple[list[Good], list[Bad]]:
    """Check a message's items: form, size, signature, body."""
    if not isinstance(items, list) or not items:
        return [], [Bad("malformed")]
    size = sum(len(str(item.get("body", ""))) for item in items if isinstance(item, dict))
    if len(items) > MAX_BATCH_ITEMS or size > MAX_BATCH_BYTES:
        return [], [Bad("oversized")]
    checked = [_check(ring, item) for item in items]
    return [one for one in checked if isinstance(one, Good)], [one for one in checked if isinstance(one, Bad)]


def _check(ring: KeyRing, value: Any) -> Good | Bad:
    try:
        item = SignedItem.model_validate(value)
    except ValidationError:
        return Bad("malformed")
    if not verify(ring, item):
        return Bad("unsigned", item.table, item.seq)
    try:
        body = BODY.validate_json(item.body)
    except ValidationError:
        return Bad("body", item.table, item.seq)
    if canonical(body) != item.body:
        return Bad("body", item.table, item.seq)
    return Good(Key(item.table, item.seq), body, item.body, item.reply_to)
