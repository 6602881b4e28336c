"""The rank test of the tests, against figures worked out by hand and samples drawn at random."""

from __future__ import annotations

import random

import pytest

from tests.support.ranks import mann_whitney


def test_samples_of_one_kind_are_told_apart_as_often_as_the_level_says() -> None:
    rng = random.Random(1)
    found = [mann_whitney([rng.random() for _ in range(60)], [rng.random() for _ in range(90)]) for _ in range(2000)]
    for level in (0.5, 0.1, 0.01):
        assert sum(p < level for p in found) / 2000 == pytest.approx(level, abs=3 * (level / 2000) ** 0.5)


def test_the_level_of_a_small_case_is_the_one_worked_out_by_hand() -> None:
    """The odd against the even numbers up to 40: U = 190, z = -10 / sqrt(20 * 20 * 41 / 12) = -0.2705."""
    odd, even = list(range(1, 41, 2)), list(range(2, 41, 2))
    assert mann_whitney(odd, even) == pytest.approx(0.7868, abs=0.0001)
    assert mann_whitney(odd, even) == pytest.approx(mann_whitney(even, odd))


def test_equal_values_share_their_ranks() -> None:
    assert mann_whitney([1.0] * 30, [1.0] * 30) == 1.0
    assert mann_whitney([0.0] * 25 + [1.0] * 5, [0.0] * 5 + [1.0] * 25) < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_a_shift_of_20_ms_is_found_among_2000_delays_of_600_to_900_ms(seed: int) -> None:
    rng = random.Random(seed)
    delays = [rng.uniform(0.6, 0.9) for _ in range(2000)]
    assert mann_whitney([delay + 0.02 for delay in delays[:600]], delays[600:]) < 1e-4
    assert mann_whitney(delays[:600], delays[600:]) > 1e-4
