"""What a load run is told to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from games.registry import GAMES
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as pb
from xuezhan.cli.errors import CommandError


@dataclass(frozen=True)
class Plan:
    """One run. Every player plays `hands` hands; `tables` tables are played at the same time, spread over the `games`; times in seconds.

    `rooms` names rooms by id, or as "game/id"; a game without one is played in its first room. `run` names the run in player ids and
    idempotency keys. `coins` each player is given; None: plenty for the room. `think`: how long a player waits before they answer;
    `leave`: the chance a turn that they leave instead, and the chance that they go once they have won.
    """

    games: tuple[str, ...]
    rooms: tuple[str, ...]
    tables: int
    hands: int
    run: str
    connections: int = 1
    bots: str = "random"
    coins: int | None = None
    think: float = 0.0
    leave: float = 0.0
    patience: float = 120.0
    timeout: float = 1800.0
    traces: Path | None = None
    check_records: bool = True

    def tables_of(self, place: int) -> int:
        """Return how many tables the game at this place of `games` gets: as many as the others, the first ones one more if need be."""
        return self.tables // len(self.games) + (place < self.tables % len(self.games))


def named(given: Sequence[str]) -> tuple[str, ...]:
    """Return the games of a repeated, comma-separated option, each once. Raises CommandError for one that nobody here can play."""
    games = tuple(dict.fromkeys(name.strip() for text in given for name in text.split(",")))
    for game in games:
        if game not in GAMES:
            raise CommandError(f"--game: nobody here can play {game!r}; games: {', '.join(GAMES)}", 2)
    return games


def check_rooms(wanted: Sequence[str], offered: Sequence[Sequence[pb.Room]]) -> None:
    """Check that each room that was asked for is one of the games that are played. Raises CommandError for one that is not."""
    known = [room.room_id for of_game in offered for room in of_game]
    for name in wanted:
        if not any(name in {room_id, room_id.partition("/")[2]} for room_id in known):
            raise CommandError(f"--room: no game that is played has a room {name!r}; rooms: {', '.join(known) or 'none'}", 2)


def room_of(game: str, wanted: Sequence[str], offered: Sequence[pb.Room]) -> pb.Room:
    """Return the room in which a game is to be played; `offered` are all rooms of the game. Raises CommandError if it is not there."""
    for room in offered:
        if room.room_id in wanted or room.room_id.partition("/")[2] in wanted:
            return room
    foreign = [name for name in wanted if "/" in name and name.partition("/")[0] != game]
    if offered and len(foreign) == len(wanted):
        return offered[0]
    known = ", ".join(room.room_id for room in offered) or "none"
    raise CommandError(f"--room: {game} has no room {' or '.join(wanted)!r} here; rooms: {known}", 2)
