"""The two statements about a hand before it is played: what it is committed to, and which bytes went into its shuffle."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from services.table import shuffle
from services.table.signer import Signed, Signer

if TYPE_CHECKING:
    from services.table.course import Course

COMMIT: Final = "xuezhan/commit/1"
DEAL: Final = "xuezhan/deal/1"


def digest(signed: Signed) -> str:
    """Return the name of a statement in later ones and in the record."""
    return hashlib.sha256(signed.text.encode()).hexdigest()


def commit(signer: Signer, course: Course, seed: bytes, hashes: tuple[bytes, ...], at: int) -> Signed:
    """State what the next hand of a table is committed to. `at`: milliseconds since 1970."""
    rules = course.rules
    return signer.sign(
        {
            "type": COMMIT,
            "installation": signer.installation,
            "table": course.table_id,
            "hand": course.hand_no + 1,
            "at": at,
            "game": rules.game,
            "rules": rules.version,
            "options": dict(rules.options),
            "deck": rules.deck,
            "base": course.room.base,
            "seats": list(course.players),
            "money": list(course.money),
            "hashes": [given.hex() or None for given in hashes],
            "commitment": shuffle.commitment(seed).hex(),
        }
    )


def deal(signer: Signer, course: Course) -> Signed | None:
    """State which bytes the present hand is dealt with. None: its commitment was of a release without statements."""
    committed = course.committed
    assert committed is not None, "nothing is dealt without a commitment"
    if committed.signed is None:
        return None
    return signer.sign(
        {
            "type": DEAL,
            "installation": signer.installation,
            "table": course.table_id,
            "hand": course.hand_no,
            "commit": digest(committed.signed),
            "bytes": [None if given is None else given.hex() for given in course.contributions],
            "withheld": course.awaited(),
        }
    )
