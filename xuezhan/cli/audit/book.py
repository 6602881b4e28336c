"""Receipts of players, read from their files: signed statements, and what their programs saw and did (docs/rules/record.md).

Law: with keys a statement counts only if one of them signed it, so a forged receipt accuses nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from xuezhan.cli.audit.shapes import SignedLine, check_seen, check_signed, check_statement
from xuezhan.client.signed import PublicKey, digest, read
from xuezhan.client.statements import COMMIT, DEAL, deal_differs

MAX_LINE_BYTES: Final = 64 * 1024
"""More than any receipt has."""

Hand = tuple[str, int]
"""A table's id and the number of a hand there."""


class Statement(NamedTuple):
    """A statement that counts. `digest`: the SHA-256 of its text."""

    digest: str
    text: str
    said: Mapping[str, Any]


class Subject(NamedTuple):
    """What there is only one statement or record of."""

    installation: str
    type: str
    table: str
    hand: int


class Book:
    """All receipts by hand. `errors`: lines that could not be used."""

    def __init__(self, keys: Mapping[str, PublicKey]) -> None:
        """`keys` by their ids; none: statements are taken as they are."""
        self.errors: list[str] = []
        self.seen: dict[Hand, list[dict[str, Any]]] = {}
        self._keys = keys
        self._statements: dict[Subject, dict[str, Statement]] = {}
        self._subjects: dict[Hand, set[Subject]] = {}

    def load(self, path: Path) -> None:
        """Read a file of receipts. OSError if it cannot be read."""
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                while not raw.endswith(b"\n") and len(raw) > MAX_LINE_BYTES:
                    raw = file.readline(MAX_LINE_BYTES + 1) or b"\n"
                try:
                    self._add(read(raw.decode()))
                except ValueError as bad:
                    self.errors.append(f"{path} line {number}: {bad}")

    def statements(self, hand: Hand, kind: str) -> list[Statement]:
        """Return the statements of a type about a hand; several if the server contradicted itself."""
        subjects = sorted(subject for subject in self._subjects.get(hand, ()) if subject.type == kind)
        return [statement for subject in subjects for statement in self._statements[subject].values()]

    def committed(self) -> Iterator[Hand]:
        """Yield the hands that a server committed itself to, in order."""
        for hand, subjects in sorted(self._subjects.items()):
            if any(subject.type == COMMIT for subject in subjects):
                yield hand

    def contradictions(self) -> Iterator[tuple[Subject, str]]:
        """Yield what the server signed that cannot both be true, without any record."""
        for subject, statements in sorted(self._statements.items()):
            commits = self._statements.get(subject._replace(type=COMMIT), {})
            if len(statements) > 1:
                yield subject, "equivocation"
            elif subject.type == DEAL and commits:
                (deal,) = statements.values()
                commit = commits.get(str(deal.said.get("commit")))
                if commit is None:
                    yield subject._replace(type=COMMIT), "equivocation"
                elif wrong := deal_differs(deal.text, commit.said, commit.digest)[0]:
                    yield subject, wrong

    def _add(self, line: dict[str, Any]) -> None:
        if "statement" in line:
            self._add_statement(check_signed(line))
        else:
            check_seen(line)
            self.seen.setdefault((line["table"], line["hand"]), []).append(line)

    def _add_statement(self, line: SignedLine) -> None:
        text = line.statement
        key = self._keys.get(line.key_id)
        if self._keys and (key is None or not key.verifies(text.encode(), bytes.fromhex(line.signature))):
            raise ValueError("signature: fits no key that was given")
        said = read(text)
        kind = said.get("type")
        if kind not in (COMMIT, DEAL):
            raise ValueError("statement: of no known type")
        check_statement(said, commits=kind == COMMIT)
        hand = said["table"], said["hand"]
        subject = Subject(said["installation"], kind, *hand)
        statement = Statement(digest(text), text, said)
        self._statements.setdefault(subject, {})[statement.digest] = statement
        self._subjects.setdefault(hand, set()).add(subject)
