"""The figures of docs/security.md, "What a pause tells"."""

from __future__ import annotations

import pytest

from bench.pauses import measure


def test_the_slower_people_answer_the_more_their_pauses_tell() -> None:
    found = [measure("crazy_xuezhan", 20, 4, median, "test") for median in (0.2, 0.7, 1.5, 30.0)]
    assert len({(told.all, told.asked) for told in found}) == 1, "the same hands"
    late = [told.late for told in found]
    assert late == sorted(late)
    assert late[0] <= found[0].asked * 0.05
    assert late[-1] == found[-1].asked


@pytest.mark.parametrize("game", ["crazy_xuezhan", "happy_sichuan", "kaxinwu"])
def test_where_the_server_answers_for_everybody_no_outcome_is_late(game: str) -> None:
    told = measure(game, 10, 0, 1.5, "test")
    assert told.all > 200
    assert (told.asked, told.late) == (0, 0)
