"""The shapes of receipts (docs/rules/record.md). A line is checked as a whole before any of it is used, so a bad line is one error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from xuezhan.client.receipts import SEEN
from xuezhan.client.signed import LARGEST

Whole = Annotated[int, Field(ge=0, le=LARGEST)]
Hex = Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$")]
Names = list[str]


class _Shape(BaseModel):
    """Names that are not listed are passed over: a later release may write more of them."""

    model_config = ConfigDict(strict=True, frozen=True)


ShapeT = TypeVar("ShapeT", bound=_Shape)


class SignedLine(_Shape):
    """A statement as it was received."""

    key_id: str
    signature: Hex
    statement: str


class _Statement(_Shape):
    """What every statement says. What else a statement must say depends on its type."""

    type: str
    installation: str
    table: str
    hand: Whole


class _Commit(_Statement):
    """A commit statement, as far as the deal statement is compared with it."""

    hashes: list[str | None]


class _Act(_Shape):
    """An act in the notation of records. `on` and `of`: the tile that is claimed, and whose it was."""

    do: str
    tile: str = ""
    suit: str = ""
    tiles: Names = []
    cards: Names = []
    kind: str = ""
    on: str = ""
    of: Whole = 0


_NONE = _Act(do="")


class _Seen(_Shape):
    """What a seat saw or did."""

    type: Literal["xuezhan/seen/1"]
    table: str
    hand: Whole
    seat: Whole
    player: str = ""
    tiles: Names = []
    cards: Names = []
    draw: str = ""
    left: Whole = 0
    gave: Names = []
    got: Names = []
    sent: _Act = _NONE
    accepted: _Act = _NONE
    refused: _Act = _NONE
    elsewhere: bool = False
    seed: str = ""
    called_off: str = ""

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        for one, other in (("draw", "left"), ("got", "gave")):
            if (one in self.model_fields_set) != (other in self.model_fields_set):
                raise ValueError(f"{one} and {other} belong together")
        return self


def check_seen(line: Mapping[str, Any]) -> None:
    """ValueError says what is wrong with a `seen` line."""
    if line.get("type") != SEEN:
        raise ValueError(f"neither a statement nor of type {SEEN}")
    _check(_Seen, line)


def check_signed(line: Mapping[str, Any]) -> SignedLine:
    """Return a line that holds a statement. ValueError says what is wrong with it."""
    return _check(SignedLine, line)


def check_statement(said: Mapping[str, Any], *, commits: bool) -> None:
    """ValueError says what is wrong with a statement."""
    _check(_Commit if commits else _Statement, said)


def _check(shape: type[ShapeT], value: Mapping[str, Any]) -> ShapeT:
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"].removeprefix("Value error, ")) from None
