"""Fixtures of the table service."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from services.table import shuffle
from tests.table.deals import nonces
from tests.table.examples import Example
from tests.table.world import World


@pytest.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[..., Any]]:
    """Makes and starts worlds: `w = await world(rules=Rules(...))`. They deal the same in every run."""
    monkeypatch.setattr(shuffle, "new_nonce", nonces())
    async with AsyncExitStack() as stack:

        async def make(**more: Any) -> World:
            made = World(tmp_path, **more)
            await stack.enter_async_context(made)
            return made

        yield make


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Example:
    """Plays a hand of which the test knows the course."""
    return Example(tmp_path, monkeypatch)
