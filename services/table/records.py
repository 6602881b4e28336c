"""The record of a hand that is over (docs/rules/record.md), as it is stored and given out.

Law: a record is built once, from what is stored; it waits for no settlement, since the coins of a hand follow from its rules.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from games import record
from games.hand import Action, Setup
from games.registry import game
from services.kit import statements
from services.table.hand_end import HandEnd
from services.table.signer import Signer
from services.table.statements import digest

TYPE: Final = "xuezhan/record/1"
SIGNATURE: Final = "signature"


def text(end: HandEnd, signer: Signer) -> str:
    """Return the record of a hand: canonical JSON, with its signature. A hand without statements has one of the first release, unsigned."""
    if end.committed.signed is None:
        return json.dumps(_first_release(end), separators=(",", ":"), ensure_ascii=False)
    found = (_called_off(end, ()) if end.called_off else _played(end, ())) | _statements(end, signer.installation)
    # A text of thousands of characters is written once. By their names the actions stand first, and the signature between the others.
    del found["actions"]
    rules: Any = end.rules
    actions = ",".join([_written(rules, action) for action in end.transcript.actions])
    before = statements.encode({name: value for name, value in found.items() if name < SIGNATURE})
    before = f'{{"actions":[{actions}],{before[1:-1]}'
    after = statements.encode({name: value for name, value in found.items() if name > SIGNATURE})[1:]
    signed = signer.sign_text(f"{before},{after}")
    signature = statements.encode({SIGNATURE: {"key_id": signed.key_id, "value": signed.signature.hex()}})
    return f"{before},{signature[1:-1]},{after}"


@lru_cache(maxsize=4096)
def _written(rules: Any, action: Action) -> str:
    """Return an action as it stands in records. There are few different ones, and hundreds in a hand."""
    return statements.encode(rules.action_to_json(action))


def _played(end: HandEnd, actions: Sequence[Action]) -> dict[str, Any]:
    assert end.hand is not None, "it was played to its end"
    return record.played(end.rules, _setup(end), end.hand, actions, end.base, end.money)


def _setup(end: HandEnd) -> Setup:
    return Setup(end.table, end.number, end.seed, end.contributions)


def _statements(end: HandEnd, installation: str) -> dict[str, Any]:
    """Return what a record says beyond the hand itself."""
    assert end.committed.signed is not None, "there are no statements"
    found: dict[str, Any] = {
        "type": TYPE,
        "installation": installation,
        "options": json.loads(end.committed.options),
        "commit": digest(end.committed.signed),
        "deal": None if end.dealt is None else digest(end.dealt),
        "seats": list(end.players),
        "contribution_hashes": [given.hex() or None for given in end.committed.hashes],
        "withheld": list(end.withheld),
        # A clock that was set back in the meantime gives no time before the deal.
        "times": [max(0, at - end.dealt_at) for at in end.transcript.times],
    }
    return found | ({"called_off_by": end.by} if end.by else {})


def _called_off(end: HandEnd, actions: Sequence[Action]) -> dict[str, Any]:
    """Return what the deal needs, and what was done until a hand was called off."""
    if end.hand is not None:
        return record.called_off(end.rules, _setup(end), end.hand, actions, end.base, end.money, end.called_off)
    found = record.undealt(end.rules, _setup(end), end.base, end.money, end.called_off)
    found |= {"rules": end.version, "seed": end.seed.hex() or None, "commitment": end.committed.commitment.hex()}
    if end.dealt is None:
        return found
    # It was dealt, and cannot be dealt again here: what came of it is not known.
    return {name: value for name, value in found.items() if name not in {"stages", "points", "coins"}}


def _first_release(end: HandEnd) -> dict[str, Any]:
    """Return the record of a hand that began under the first release, as that release gave it out."""
    if not end.called_off:
        options = {name: value for name, value in end.rules.options.items() if name not in game(end.rules.game).options.added}
        return _played(end, end.transcript.actions) | {"options": options, "seats": list(end.players)}
    return {
        "game": end.rules.game,
        "table": end.table,
        "hand": end.number,
        "seed": end.seed.hex(),
        "commitment": end.committed.commitment.hex(),
        "contributions": [None if given is None else given.hex() for given in end.contributions],
        "seats": list(end.players),
        "called_off": end.called_off,
    }
