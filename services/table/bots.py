"""Bot seats: what the server's own players choose. One mind a game and level serves all tables of the process."""

from __future__ import annotations

import random

from games.bots import bot
from games.hand import Action, Bot
from services.kit import logs
from services.table.course_state import CourseState

log = logs.get(__name__)


class Bots:
    """All minds of a process."""

    def __init__(self) -> None:
        self._random = random.Random(random.SystemRandom().getrandbits(64))
        self._minds: dict[tuple[str, str], Bot] = {}

    def choose(self, course: CourseState, seat: int) -> Action:
        """Answer the open offer of a bot's seat, from what that seat may know."""
        key = (course.room.game, course.room.bots.level)
        mind = self._minds.get(key)
        if mind is None:
            mind = self._minds[key] = bot(*key, self._random)
        return mind.choose(course.hand, seat)

    def wrong(self, table: str, action: Action) -> None:
        """A bot chose what is not legal: a fault of the bot, its seat gets the default."""
        log.error("bot_refused", match=table, do=str(action.do))
