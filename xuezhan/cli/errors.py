"""How a command says that it could not do its work."""

from __future__ import annotations


class CommandError(Exception):
    """Ends the command with one line on standard error. `status` 1: the work failed; 2: it could not begin."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status
