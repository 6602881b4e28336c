"""The actions of one hand in the order of its record.

Law: the order follows from the accepted actions alone, in whatever order they arrived: each stands where it took effect, and the answers to
one question stand together, in the order of its seats.
"""

from __future__ import annotations

from games.hand import Action, Do, Question


class Transcript:
    """Accepted actions with the times at which they came, in any unit.

    `actions` and `times` hold what has taken effect, in record order. Answers to an open question are kept apart until they do; those to
    a question that is never decided are dropped.
    """

    __slots__ = ("_answers", "_order", "actions", "times")

    def __init__(self) -> None:
        self.actions: list[Action] = []
        self.times: list[int] = []
        self._answers: dict[int, tuple[Action, int]] = {}
        self._order: tuple[int, ...] = ()

    def note(self, action: Action, at: int, question: Question | None, *, decided: bool) -> None:
        """Add an accepted action. `question`: what was open before it; `decided`: whether the action ended that question."""
        if question is None or action.do is Do.LEAVE:
            self.actions.append(action)
            self.times.append(at)
        else:
            self._answers[action.seat] = (action, at)
            self._order = question.order
        if question is not None and decided:
            if action.do is Do.LEAVE:
                self._answers.clear()
            self.close()

    def add(self, action: Action, at: int) -> None:
        """Add an action that takes effect at once."""
        self.actions.append(action)
        self.times.append(at)

    def close(self) -> None:
        """Put the answers to the open question into their places: they take effect, or the hand ends with them."""
        for seat in self._order:
            if seat in self._answers:
                self.add(*self._answers.pop(seat))
