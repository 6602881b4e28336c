"""Rooms: what a studio offers, read from one TOML file that every service shares.

A room names its game, options, players, timers and money. A room that could take an account past what is exact, or names an option its game
does not have, is unusable configuration: the error names the room and the field.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from games.hand import Ruleset
from games.registry import GAMES, ruleset
from services.kit.config import ConfigError, one_line
from services.kit.items import MAX_COINS

Coins = Annotated[int, Field(ge=0, le=MAX_COINS)]
NEVER: Final = "never"
RATED: Final = "rated"
# Written values have their type already: `true` is not 1 coin.
_ROW = ConfigDict(extra="forbid", frozen=True, strict=True)


class BotRules(BaseModel):
    """How bots take part in a room."""

    model_config = _ROW

    wait_seconds: Annotated[float, Field(ge=0, le=3600)] | None = 10
    """A ticket that has waited this long is given bots as table mates; 0: at once; None, written "never": never."""
    level: Literal["random", "greedy"] = "greedy"
    pause_ms: Annotated[int, Field(ge=0, le=60_000)] = 800
    """How long a bot seems to think."""

    @field_validator("wait_seconds", mode="before")
    @classmethod
    def _never(cls, value: object) -> object:
        # TOML has no null.
        return None if value == NEVER else value


class Room(BaseModel):
    """One room. Money in whole coins, times in seconds or milliseconds as named."""

    model_config = _ROW

    game: str
    id: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,32}$")]
    name: Annotated[str, Field(min_length=1, max_length=64)]
    players: Annotated[int, Field(ge=2, le=8)] = 4
    options: dict[str, Any] = {}
    base: Coins
    """底分: coins a claim of multiple 1 is worth; or coins a point where the game pays pooled."""
    min_coins: Coins = 0
    """What a player must own to be seated."""
    entry: Coins = 0
    """进房收取的金币数: part of the stake, taken when seated and given back in the settlement."""
    lock: Literal["all"] | Coins = "all"
    """What is moved to escrow when seated."""
    rated: bool = False
    hands: Annotated[int, Field(ge=1, le=1000)] = 1
    """Hands a table plays at most."""
    break_seconds: Annotated[float, Field(ge=0, le=600)] = 5
    """The pause before a further hand at a table, in which players may leave."""
    refill_seconds: Annotated[float, Field(ge=0, le=600)] = 0
    """How long a table waits between two hands for others to take the seats of players who went; 0: it closes when one goes."""
    turn_seconds: Annotated[float, Field(ge=0, le=3600)] = 15
    """Time to answer an offer; 0: the table waits."""
    idle_seconds: Annotated[float, Field(gt=0, le=7 * 24 * 3600)] = 600
    """How long a room without a timer waits for a player."""
    claim_window_ms: Annotated[int, Field(ge=0, le=10_000)] = 600
    """The outcome of a discard is shown no earlier than this, asked or not."""
    public_records: bool = False
    """Whether any player may read the records of its finished hands, or only those who sat at the table."""
    spectator_delay_seconds: Annotated[float, Field(ge=0, le=3600)] = 0
    contribution_seconds: Annotated[float, Field(ge=0, le=60)] = 3
    """How long a commitment waits for the seats' hashes, and the deal for their bytes."""
    bots: BotRules = BotRules()

    @property
    def room_id(self) -> str:
        """Return the id all services use: "game/room"."""
        return f"{self.game}/{self.id}"

    @property
    def stake_needed(self) -> int:
        """Return the least a wallet must hold for a seat here."""
        fixed = 0 if self.lock == "all" else self.lock
        return max(self.min_coins, self.entry, fixed)

    def rules(self, version: str | None = None) -> Ruleset:
        """Return the ruleset of this room, shared by all its tables. `version`: as it was then; FieldError where nobody knows it."""
        return ruleset(self.game, {**self.options, "room": self.id}, self.players, version)

    @model_validator(mode="after")
    def _usable(self) -> Room:
        rules = self.rules()
        if self.base * max(rules.largest_claim, 1) * 3 > MAX_COINS:
            raise ValueError(f"base: three claims of {rules.largest_claim} times {self.base} are more than {MAX_COINS}")
        if self.lock != "all" and self.lock < self.entry:
            raise ValueError("lock: must hold the entry amount")
        if self.refill_seconds and (self.hands == 1 or not self.turn_seconds):
            raise ValueError("refill_seconds: only for rooms of several hands with a timer")
        return self


class Rooms:
    """All rooms, by id."""

    def __init__(self, rooms: list[Room]) -> None:
        self._rooms = {room.room_id: room for room in rooms}
        if len(self._rooms) != len(rooms):
            raise ConfigError("rooms: two rooms have the same game and id")

    def get(self, room_id: str) -> Room | None:
        """Return the room, or None."""
        return self._rooms.get(room_id)

    def __iter__(self) -> Iterator[Room]:
        return iter(self._rooms.values())


def load_rooms(path: Path | None) -> Rooms:
    """Read the rooms file; None reads the one that comes with the project. Raises ConfigError naming room and field."""
    rooms = []
    for number, row in enumerate(_rows(path or Path(str(resources.files("services.kit").joinpath("rooms.toml")))), 1):
        try:
            rooms.append(_room(row))
        except ValueError as error:
            name = f"{row.get('game', '?')}/{row.get('id', '?')}" if isinstance(row, dict) else "?"
            raise ConfigError(f"room {number} ({name}): {one_line(error) if isinstance(error, ValidationError) else error}") from None
    return Rooms(rooms)


def _room(row: Any) -> Room:
    """Return a room as the file has it. What is refused here and not in `Room` may be in the journal of a table that is being played."""
    if isinstance(row, dict):
        row = _rated(row)
    room = Room.model_validate(row)
    if room.stake_needed * room.players > MAX_COINS:
        raise ValueError(f"min_coins, entry, lock: {room.players} times {room.stake_needed} are more than {MAX_COINS}")
    return room


def _rated(row: dict[str, Any]) -> dict[str, Any]:
    """Return a room's row with what follows from its being rated or not: never bots, and the option of a game that has one for it."""
    rated, bots, options = row.get("rated", False), row.get("bots", {}), row.get("options", {})
    if rated is True and isinstance(bots, dict):
        if bots and bots.get("wait_seconds") != NEVER:
            raise ValueError(f'bots: a rated room never seats bots; leave bots out, or write bots = {{ wait_seconds = "{NEVER}" }}')
        row = {**row, "bots": {**bots, "wait_seconds": NEVER}}
    game = GAMES.get(row["game"]) if isinstance(row.get("game"), str) else None
    if game is not None and isinstance(options, dict) and any(option.name == RATED for option in game.options.options):
        if options.get(RATED, rated) != rated:
            raise ValueError("options.rated: it is the room's own field rated")
        row = {**row, "options": {**options, RATED: rated}}
    return row


def _rows(path: Path, *, may_include: bool = True) -> list[Any]:
    """Return the rooms of a file as written. `include` names a file beside it whose rooms come first; `[all]` is set in every room."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"rooms file {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"rooms file {path}: {error}") from None
    own, include, every = content.pop("room", []), content.pop("include", None), content.pop("all", {})
    if content:
        raise ConfigError(f"rooms file {path}: {next(iter(content))}: there is nothing but [[room]], [all] and include in a rooms file")
    if not isinstance(own, list) or not isinstance(every, dict):
        raise ConfigError(f"rooms file {path}: room, all: write [[room]] and [all]")
    if include is not None and (not may_include or not isinstance(include, str)):
        raise ConfigError(f"rooms file {path}: include: the name of one file that includes no other")
    rows = [*(_rows(path.parent / include, may_include=False) if include else []), *own]
    if not rows:
        raise ConfigError(f"rooms file {path}: room: at least one [[room]] is needed")
    return [_with_all(row, every) for row in rows]


def _with_all(row: Any, every: dict[str, Any]) -> Any:
    """Set in a room what is to be set in all; tables in it are changed, not replaced."""
    if not isinstance(row, dict):
        return row
    # What is said of bots is not meant for rooms that never seat them.
    rated = {**row, **every}.get("rated") is True
    changed = {
        key: {**row[key], **value} if isinstance(value, dict) and isinstance(row.get(key), dict) else value
        for key, value in every.items()
        if not (rated and key == "bots")
    }
    return {**row, **changed}
