"""Moments on the command line: how long ago, or a date with or without a time of day."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Any, Final

import click

_AGO: Final = re.compile(r"([0-9]{1,6})([mhd])")
_SECONDS: Final = {"m": 60, "h": 3600, "d": 86_400}


class Moment(click.ParamType[int]):
    """A moment, in seconds since 1970."""

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the moment."""
        text = str(value)
        if found := _AGO.fullmatch(text):
            return max(1, int(time.time()) - int(found[1]) * _SECONDS[found[2]])
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            self.fail(f"{text!r} is no moment: 30m, 12h or 7d (ago), or 2026-01-31 or 2026-01-31T18:30 (UTC) is needed", param, ctx)
        seconds = int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
        if seconds < 1:
            self.fail(f"{text!r} is before 1970", param, ctx)
        return seconds


def shown(seconds: int) -> str:
    """Return a moment as commands print it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()
