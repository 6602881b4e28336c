"""What `xuezhan combos crazy_duel` answers to one line: whether cards are a play, which, and whether it beats another.

A line that cannot be used is answered with `{"error": what and where}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from games.crazy_duel.cards import CARD_NAMES, COPIES, TOP_NAMES, Card, card_of
from games.crazy_duel.kinds import Play, PlayKind
from games.crazy_duel.plays import read
from games.fields import FieldError, listed, mapping, member, required, text

MOST: Final = 25
"""More cards than a player is dealt cannot be played."""


def combos_line(line: object) -> dict[str, Any]:
    """Judge the play of one line."""
    try:
        fields = mapping("line", line)
        cards = _cards("cards", required(fields, "cards"))
        if not cards:
            raise FieldError("cards", "none")
        over_cards = fields.get("over")
        table = _cards("over", [] if over_cards is None else over_cards)
        _check_copies(cards, table)
        kind = _kind(fields, "kind")
        over = _table_play(table, _kind(fields, "over_kind"))
    except FieldError as bad:
        return {"error": str(bad)}
    play = read(cards, kind, over)
    if isinstance(play, Play):
        return {"legal": True, "kind": play.kind, "top": TOP_NAMES[play.top], "stars": play.stars}
    return {"legal": False, "why": play}


def _cards(where: str, value: object) -> tuple[Card, ...]:
    names = listed(where, value)
    if len(names) > MOST:
        raise FieldError(where, f"{len(names)} cards, and a player has {MOST}")
    return tuple(_card(f"{where}[{place}]", name) for place, name in enumerate(names))


def _card(where: str, value: object) -> Card:
    try:
        return card_of(text(where, value))
    except FieldError:
        raise
    except ValueError as bad:
        raise FieldError(where, str(bad)) from None


def _check_copies(cards: tuple[Card, ...], table: tuple[Card, ...]) -> None:
    """A pack has two of each card, on the table and in the play together."""
    for where, some in (("cards", cards), ("over", table), ("cards and over", (*cards, *table))):
        for card, count in Counter(some).items():
            if count > COPIES:
                raise FieldError(where, f"{count} of {CARD_NAMES[card]}, and there are {COPIES}")


def _kind(fields: Mapping[str, Any], name: str) -> PlayKind | None:
    value = fields.get(name)
    return None if value is None else member(name, value, PlayKind)


def _table_play(table: tuple[Card, ...], kind: PlayKind | None) -> Play | None:
    if not table:
        if kind is not None:
            raise FieldError("over_kind", "without over")
        return None
    play = read(table, kind)
    if isinstance(play, Play):
        return play
    raise FieldError("over", f"no play: {play}")
