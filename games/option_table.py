"""Options of a game as data: which there are, what they may be, and what each room gives them.

`null` stands for the default, where it is not a value of its own (a cap of null is no cap).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from games.fields import FieldError, shown

OptionValue: TypeAlias = str | int | bool | None

_DIGITS = re.compile("0|[1-9][0-9]{0,8}")
_ROOM_ID = re.compile("[a-z0-9_]{1,32}")


class OptionError(FieldError):
    """An option that cannot be used. `option` names it; the text says why."""

    def __init__(self, option: str, why: str) -> None:
        super().__init__(option, why)
        self.option = option


@dataclass(frozen=True, slots=True)
class Choice:
    """One word of several."""

    words: tuple[str, ...]
    null: bool = False

    def read(self, value: object) -> OptionValue:
        """Return the word. ValueError if it is none of them."""
        if isinstance(value, str) and value in self.words:
            return value
        raise ValueError(f"{shown(value)} is not one of {', '.join(self.words)}")


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `least` to `most`, also written in digits. `null`: null is a value."""

    least: int
    most: int
    null: bool = False

    def read(self, value: object) -> OptionValue:
        """Return the number. ValueError if it is none or out of range."""
        number = int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else value
        if isinstance(number, int) and not isinstance(number, bool) and self.least <= number <= self.most:
            return number
        raise ValueError(f"{shown(value)} is not a whole number from {self.least} to {self.most}")


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false, also written so."""

    null: bool = False

    def read(self, value: object) -> OptionValue:
        """Return the flag. ValueError if it is neither."""
        if isinstance(value, bool):
            return value
        if value in ("true", "false"):
            return value == "true"
        raise ValueError(f"{shown(value)} is neither true nor false")


@dataclass(frozen=True, slots=True)
class Option:
    """One option. A room's setting goes before `default`.

    `added`: it came when hands had been recorded already; a record without it means `default`, whatever its room sets today. `by_room`:
    such a record means what its room sets, because the room's id alone decided it then.
    """

    name: str
    kind: Choice | Whole | Flag
    default: OptionValue = None
    added: bool = False
    by_room: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """A room tier 场 of the game's page: its id, its name, the options it sets, and what a multiple or point is worth in coins.

    A studio's room with the same id sets its own `base`; 0: no coins move.
    """

    id: str
    name: str
    sets: Mapping[str, OptionValue] = field(default_factory=dict)
    base: int = 1


@dataclass(frozen=True, slots=True)
class OptionTable:
    """All options of one game. A room that is not listed is a studio's own: it has what the default room has."""

    game: str
    options: tuple[Option, ...]
    rooms: tuple[Room, ...]
    default_room: str

    def resolve(self, given: Mapping[str, object]) -> dict[str, OptionValue]:
        """Return every option with its value, `room` last. OptionError for an unknown option, or a value that is not allowed."""
        known = {option.name for option in self.options} | {"room"}
        for name in given:
            if name not in known:
                raise OptionError(name, f"{self.game} has no such option; it has {', '.join(sorted(known))}")
        room = self.room(given.get("room"))
        values = {option.name: self._value(option, room, given) for option in self.options}
        return values | {"room": room.id}

    @property
    def added(self) -> frozenset[str]:
        """Return the options that the game has been given since its first release."""
        return frozenset(option.name for option in self.options if option.added)

    def recorded(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a record, those included that the game has been given since."""
        room = self.room(given.get("room"))
        before = {
            option.name: room.sets.get(option.name, option.default) if option.by_room else option.default
            for option in self.options
            if option.added
        }
        return before | dict(given)

    def room(self, given: object) -> Room:
        """Return the room with this id; for null and for one that a rooms file has added, the default room. OptionError if it is no id."""
        wanted = self.default_room if is_null(given) else given
        if not isinstance(wanted, str) or not _ROOM_ID.fullmatch(wanted):
            raise OptionError("room", f"{shown(given)} is not 1 to 32 of the characters a-z 0-9 _")
        rooms = {room.id: room for room in self.rooms}
        return rooms.get(wanted) or replace(rooms[self.default_room], id=wanted, name=wanted)

    @staticmethod
    def _value(option: Option, room: Room, given: Mapping[str, object]) -> OptionValue:
        if option.name in given:
            value = given[option.name]
            if not is_null(value):
                try:
                    return option.kind.read(value)
                except ValueError as bad:
                    raise OptionError(option.name, str(bad)) from None
            if option.kind.null:
                return None
        return room.sets.get(option.name, option.default)


def is_null(value: object) -> bool:
    """Whether an option is given as null, also written so."""
    return value is None or value == "null"
