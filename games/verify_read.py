"""Reading a hand record before it is checked: what its hand starts from, and which form of a record it is.

Errors name the field that cannot be used. The forms: of a finished hand, of one called off (dealt or not), and of one called off by a
release that kept only its seed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from games.fields import FieldError, listed, mapping, required, text, whole
from games.hand import Ruleset, Setup
from games.registry import game, ruleset

MOST_COINS: Final = (1 << 53) - 1
"""No account passes this, so no figure of a record may."""
TYPE: Final = "xuezhan/record/1"
_FINISHED: Final = ("dealer", "dealer_from", "wall", "stages", "points", "coins", "actions")
_TYPED: Final = ("installation", "seats", "contribution_hashes", "withheld", "times", "commit", "deal")
"""What a record that names its type has besides."""


class Before(NamedTuple):
    """What the hand before left to the next, and who sat where as far as its record says."""

    hand: int
    carry: Mapping[str, Any]
    seats: object


class Trouble(Exception):  # noqa: N818 - a finding, not an error
    """What is wrong with a record. `at`: the number of the action, their count for the end, None for the deal."""

    def __init__(self, at: int | None, why: str) -> None:
        super().__init__(why)
        self.at = at
        self.why = why


class Record(NamedTuple):
    """A record whose setup could be read; the rest is as given.

    `dealt`: whether its hand was; `walled`: whether its record says how, so that it can be dealt and played again; `follows`: whether the
    hand before is known, where the dealer is from there.
    """

    given: Mapping[str, Any]
    rules: Ruleset
    setup: Setup
    actions: list[Any]
    dealt: bool
    walled: bool
    follows: bool

    @property
    def called_off(self) -> bool:
        """Whether the hand was not played to its end."""
        return self.given.get("called_off") is not None


class Name(NamedTuple):
    """Which hand a record is of. `simulate` plays any number of tables under one name: its game and options tell them apart."""

    table: str
    game: str
    hand: int
    of: str


def name_of(given: Mapping[str, Any]) -> Name:
    """Return which hand a record is of."""
    table = text("table", required(given, "table"))
    if not table.isascii() and any("\ud800" <= letter <= "\udfff" for letter in table):
        raise FieldError("table", "half a character")
    played = text("game", required(given, "game"))
    hand = whole("hand", required(given, "hand"), 0, MOST_COINS)
    of = json.dumps([played, given.get("options"), given.get("players")], sort_keys=True) if table == "simulate" else ""
    return Name(table, played, hand, of)


def is_bare(given: Mapping[str, Any]) -> bool:
    """Whether this is the record that earlier releases kept of a hand called off: its seed and bytes, not how it was dealt."""
    return given.get("called_off") is not None and "players" not in given


def read(given: Mapping[str, Any], name: Name, last: Before | None, *, gap: bool) -> Record:
    """Read what a hand starts from. `last`: the hand before; `gap`: hands before it are missing, so that its dealer is taken as given."""
    players = whole("players", required(given, "players"), 1)
    options = game(name.game).options.recorded(mapping("options", required(given, "options")))
    called_off = given.get("called_off") is not None
    walled = not called_off or "wall" in given
    # What cannot be dealt again may have been dealt under rules that nobody has.
    version = text("rules", given["rules"]) if "rules" in given and walled else None
    rules = ruleset(name.game, options, players, version)
    if not same(options, dict(rules.options)):
        raise FieldError("options", "not every option with its resolved value")
    for field in ("commitment", *(_FINISHED if walled else ()), *(_typed(given) if "type" in given else ())):
        required(given, field)
    seats = listed("seats", given["seats"]) if "seats" in given else None
    if seats is not None and (len(seats) != players or any(seat is not None and not isinstance(seat, str) for seat in seats)):
        raise FieldError("seats", "not a player's id or null a seat")
    carry, new_players = _before(given, players, seats, last, gap=gap)
    setup = Setup(
        table=name.table,
        hand=name.hand,
        seed=b"" if called_off and not walled and given.get("seed", "") is None else hex_bytes("seed", required(given, "seed")),
        contributions=contributions_of(given),
        before=carry,
        new_players=new_players,
    )
    if len(setup.contributions) != players:
        raise FieldError("contributions", f"{len(setup.contributions)} of {players} seats")
    dealt = walled or given.get("deal") is not None
    return Record(given, rules, setup, listed("actions", given.get("actions", [])), dealt, walled, carry is not None)


def contributions_of(given: Mapping[str, Any]) -> tuple[bytes | None, ...]:
    """Return the players' bytes, None where there are none."""
    return tuple(
        None if one is None else hex_bytes(f"contributions[{seat}]", one)
        for seat, one in enumerate(listed("contributions", required(given, "contributions")))
    )


def _typed(given: Mapping[str, Any]) -> tuple[str, ...]:
    if given["type"] != TYPE:
        raise FieldError("type", f"not {TYPE}")
    return _TYPED


def _before(
    given: Mapping[str, Any], players: int, seats: list[Any] | None, last: Before | None, *, gap: bool
) -> tuple[Mapping[str, Any] | None, bool]:
    """Return what the hand before left, and whether others play now; nothing where the dealer is not from there."""
    if given.get("dealer_from") != "before":
        return None, False
    if last is not None:
        return last.carry, None not in (last.seats, seats) and last.seats != seats
    if gap and isinstance(given.get("dealer"), int):
        return {"dealer": whole("dealer", given["dealer"], 0, players - 1)}, False
    return None, False


def hex_bytes(where: str, value: object) -> bytes:
    """Return bytes given in hex."""
    try:
        return bytes.fromhex(text(where, value))
    except ValueError:
        raise FieldError(where, "not hexadecimal") from None


def same(one: object, other: object) -> bool:
    """Whether two JSON values are the same: 1, 1.0 and true are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def compare(at: int | None, name: str, given: object, derived: object) -> None:
    """Raise what is wrong if a record's value is not the derived one."""
    if not same(given, derived):
        raise Trouble(at, f"{name}: the record has another")


def check_bytes(given: Mapping[str, Any], contributions: tuple[bytes | None, ...], *, dealt: bool) -> None:
    """Check the players' bytes against their hashes, and who is said to have withheld them."""
    hashes = given.get("contribution_hashes")
    if hashes is None:
        withheld = [seat for seat, one in enumerate(contributions) if one is None]
        if any(seat not in withheld for seat in listed("withheld", given.get("withheld", []))):
            raise Trouble(None, "withheld: a seat whose bytes are there")
        return
    if len(listed("contribution_hashes", hashes)) != len(contributions):
        raise FieldError("contribution_hashes", "not one a seat")
    for seat, one in enumerate(contributions):
        if one is not None and hashes[seat] != hashlib.sha256(one).hexdigest():
            raise Trouble(None, f"contributions: the bytes of seat {seat} are not those behind its hash")
    missing = [seat for seat, one in enumerate(contributions) if one is None and hashes[seat] is not None]
    compare(None, "withheld", given.get("withheld"), missing if dealt else [])
