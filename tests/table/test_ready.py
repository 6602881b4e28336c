"""A table server that says it serves is ready to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games.mahjong import shapes


async def test_what_is_built_once_is_built_before_it_serves(world: Callable[..., Any]) -> None:
    """Half a second in the middle of the first hands, otherwise, for everybody."""
    shapes._tables.cache_clear()
    await world()
    assert shapes._tables.cache_info().misses == 1
