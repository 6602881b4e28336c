"""The judgement of each record line, and what remains to be said when all have been read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from games.verify import Verifier, entropy
from xuezhan.cli.audit.book import Book, Subject
from xuezhan.cli.audit.receipts import against_seen, against_statements
from xuezhan.client.signed import PublicKey, canonical, digest

RECORD: Final = "xuezhan/record/1"
SIMULATED: Final = "simulate"
"""The table of records that nobody signs."""
CLAIMED: Final = "claimed"
"""The proof of what rests on texts that no key given has signed, or on what is missing: it convicts nobody."""
MOST_RECORDS: Final = 2_000_000
"""Signed records remembered by their digests, so that two different ones for one hand are noticed."""


class Auditor:
    """Judges records one after the other. `bad`: whether anything was false."""

    def __init__(self, keys: Mapping[str, PublicKey], book: Book) -> None:
        """`keys` by their ids; none: signatures are not checked."""
        self.bad = False
        self._keys = keys
        self._book = book
        self._verifier = Verifier()
        self._published: set[tuple[str, int]] = set()
        self._digests: dict[Subject, bytes] = {}
        self._twice: set[Subject] = set()
        self._proof = "signed" if keys else CLAIMED
        """Of what rests on statements, which count only if a key signed them, and on signed records."""
        self._doubtful: set[str] = set()
        """Tables with a line that no key has signed: what later lines are compared with may be forged."""

    def check(self, line: object) -> dict[str, Any]:
        """Judge one line."""
        verdict = self._verifier.check(line)
        if isinstance(line, Mapping) and isinstance(line.get("table"), str) and isinstance(line.get("hand"), int):
            self._published.add((line["table"], line["hand"]))
        if "error" in verdict:
            return verdict
        assert isinstance(line, Mapping), "what is no object is an error"
        signed, why = self._signed(line)
        if signed != "yes":
            self._doubtful.add(line["table"])
        said = self._false_line(line, why, verdict) or {"ok": True}
        return {**said, "signed": signed, **entropy(line)}

    def _false_line(self, line: Mapping[str, Any], unsigned: str, verdict: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what is false about a record; None if nothing is."""
        proof = CLAIMED if line["table"] in self._doubtful else self._proof
        if unsigned:
            return self._false(unsigned, CLAIMED)
        if not verdict["ok"]:
            # Which lines were given is not signed, so a gap or a hand that stands twice proves nothing.
            return self._false(verdict["why"], CLAIMED if verdict["why"].startswith("hand: ") else proof, at=verdict["at"])
        if line["table"] == SIMULATED:
            return None
        if wrong := against_statements(line, self._book):
            return self._false(wrong[1], proof, at=wrong[0])
        if wrong := against_seen(line, self._book):
            return self._false(wrong[1], CLAIMED, at=wrong[0])
        return None

    def rest(self) -> Iterator[dict[str, Any]]:
        """Yield what no line answers: commitments without a record, and what the server signed that cannot both be true."""
        for table, hand in self._book.committed():
            if (table, hand) not in self._published:
                # Which lines were given is not signed: whoever gives them can leave one out.
                yield self._false("unpublished", CLAIMED, table=table, hand=hand)
        for subject, why in self._book.contradictions():
            yield self._false(why, self._proof, **subject._asdict())
        for subject in sorted(self._twice):
            yield self._false("equivocation", self._proof, **subject._asdict())
        for error in self._book.errors:
            self.bad = True
            yield {"error": f"receipts: {error}"}

    def _false(self, why: str, proof: str, *, at: int | None = None, **what: Any) -> dict[str, Any]:
        self.bad = True
        return {"ok": False, "at": at, "why": why, "proof": proof, **what}

    def _signed(self, line: Mapping[str, Any]) -> tuple[str, str]:
        """Return how far a record is signed, and why that is not enough."""
        if "signature" not in line:
            return "no", "unsigned" if self._keys and line["table"] != SIMULATED else ""
        signature = line["signature"]
        named = isinstance(signature, Mapping) and all(isinstance(signature.get(name), str) for name in ("key_id", "value"))
        if not named or line.get("type") != RECORD:
            return "no", "signature: not one of a record"
        try:
            text = canonical({name: value for name, value in line.items() if name != "signature"})
            value = bytes.fromhex(signature["value"])
        except ValueError as bad:
            return "no", f"signature: {bad}"
        if self._keys:
            key = self._keys.get(signature["key_id"])
            if key is None or not key.verifies(text, value):
                return "no", "signature: fits no key that was given"
        self._remember(line, text)
        return ("yes" if self._keys else "unchecked"), ""

    def _remember(self, line: Mapping[str, Any], text: bytes) -> None:
        subject = Subject(str(line.get("installation")), RECORD, line["table"], line["hand"])
        found = bytes.fromhex(digest(text.decode()))
        if len(self._digests) < MOST_RECORDS and self._digests.setdefault(subject, found) != found:
            self._twice.add(subject)
