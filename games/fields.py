"""Reading values that came from outside as JSON: each is checked once, and the error names the field."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

LONGEST_SHOWN = 60

E = TypeVar("E", bound=StrEnum)


class FieldError(ValueError):
    """A value that cannot be used. The text says where it stands and why."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")


def shown(value: object) -> str:
    """Return a value as errors show it: short, whatever came in."""
    written = repr(value)
    return written if len(written) <= LONGEST_SHOWN else f"{written[:LONGEST_SHOWN]}…"


def mapping(where: str, value: object) -> Mapping[str, Any]:
    """Return a JSON object."""
    if not isinstance(value, Mapping):
        raise FieldError(where, "not a JSON object")
    return value


def listed(where: str, value: object) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise FieldError(where, "not a list")
    return value


def text(where: str, value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise FieldError(where, f"{shown(value)} is not text")
    return value


def flag(where: str, value: object) -> bool:
    """Return a truth value; 0 and 1 are none."""
    if not isinstance(value, bool):
        raise FieldError(where, f"{shown(value)} is neither true nor false")
    return value


def whole(where: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number in a range; true and 1.0 are none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise FieldError(where, f"{shown(value)} is not a whole number")
    if least is not None and value < least:
        raise FieldError(where, f"{value} is below {least}")
    if most is not None and value > most:
        raise FieldError(where, f"{value} is above {most}")
    return value


def member(where: str, value: object, words: type[E]) -> E:
    """Return the member that is written so."""
    for word in words:
        if value == word:
            return word
    raise FieldError(where, f"{shown(value)} is not one of {', '.join(words)}")


def required(fields: Mapping[str, Any], name: str) -> Any:
    """Return a field that must be there."""
    if name not in fields:
        raise FieldError(name, "missing")
    return fields[name]
