"""From multiples and points to coins."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.fields import FieldError
from games.payout import payout_json, pooled, stage


def test_who_has_enough_pays_each_claim_in_full() -> None:
    paid = stage(10, [1000, 1000, 1000, 0], [(0, 1, 10), (2, 1, 10), (0, 3, 1)])
    assert paid.moves == ((0, 1, 100), (2, 1, 100), (0, 3, 10))
    assert paid.money == (890, 1200, 900, 10)
    assert paid.short == ()


def test_who_has_not_pays_all_he_has_in_proportion_and_the_largest_remainder_gets_the_coin_left_over() -> None:
    # 1003 x 100/1100 = 91.18, 1003 x 1000/1100 = 911.81
    paid = stage(10, [0, 50, 1003, 7], [(2, 0, 100), (2, 3, 1000)])
    assert paid.moves == ((2, 0, 91), (2, 3, 912))
    assert paid.money == (91, 50, 0, 919)
    assert paid.short == ((2, 11000, 1003),)


@pytest.mark.parametrize(
    ("payer", "coins", "expected"),
    [
        (0, 1, {1: 1, 2: 0, 3: 0}),
        (0, 2, {1: 1, 2: 1, 3: 0}),
        (1, 1, {2: 1, 3: 0, 0: 0}),
        (2, 1, {3: 1, 0: 0, 1: 0}),
        (2, 2, {3: 1, 0: 1, 1: 0}),
        (3, 4, {0: 2, 1: 1, 2: 1}),
    ],
)
def test_equal_remainders_go_to_the_seat_that_comes_first_after_the_payer(payer: int, coins: int, expected: dict[int, int]) -> None:
    money = [0, 0, 0, 0]
    money[payer] = coins
    claims = [(payer, seat, 10) for seat in range(4) if seat != payer]
    for order in (claims, claims[::-1]):
        paid = stage(1, money, order)
        assert {move.payee: move.coins for move in paid.moves} == expected
        assert [(move.payer, move.payee) for move in paid.moves] == [claim[:2] for claim in order], "moves stand in the claims' order"


def test_of_two_claims_of_one_payee_with_equal_remainders_the_earlier_gets_the_coin() -> None:
    assert stage(1, [1, 0], [(0, 1, 5), (0, 1, 5)]).moves == ((0, 1, 1), (0, 1, 0))


def test_what_a_payer_receives_in_a_stage_does_not_help_them_pay_in_it() -> None:
    paid = stage(1, [100, 0, 0], [(0, 1, 100), (1, 2, 100)])
    assert paid.moves == ((0, 1, 100), (1, 2, 0))
    assert paid.money == (0, 100, 0)
    assert paid.short == ((1, 100, 0),)


def test_the_next_stage_sees_the_money_that_the_one_before_left() -> None:
    first = stage(1, [100, 0, 0], [(0, 1, 100)])
    assert stage(1, first.money, [(1, 2, 60)]).money == (0, 40, 60)


def test_without_claims_or_with_base_0_nothing_moves_and_nobody_is_short() -> None:
    assert stage(10, [5, 6], []) == ((), (5, 6), ())
    assert stage(0, [0, 6], [(0, 1, 1000)]) == (((0, 1, 0),), (0, 6), ())


def test_short_seats_are_told_in_seat_order() -> None:
    paid = stage(1, [1, 2, 3], [(2, 0, 4), (1, 0, 4), (0, 2, 4)])
    assert paid.short == ((0, 4, 1), (1, 4, 2), (2, 4, 3))


stages = st.integers(2, 4).flatmap(
    lambda seats: st.tuples(
        st.integers(0, 50),
        st.lists(st.integers(0, 3000), min_size=seats, max_size=seats),
        st.lists(
            st.tuples(st.integers(0, seats - 1), st.integers(1, seats - 1), st.integers(1, 10**6)).map(
                lambda claim: (claim[0], (claim[0] + claim[1]) % seats, claim[2])
            ),
            max_size=8,
        ),
    )
)


@given(stages)
def test_a_stage_conserves_coins_and_pays_everyone_their_share_to_the_coin(case: tuple[int, list[int], list[tuple[int, int, int]]]) -> None:
    base, money, claims = case
    paid = stage(base, money, claims)
    assert sum(paid.money) == sum(money)
    assert min(paid.money) >= 0
    change = [0] * len(money)
    for payer, payee, coins in paid.moves:
        change[payer] -= coins
        change[payee] += coins
    assert [has + more for has, more in zip(money, change, strict=True)] == list(paid.money)
    for seat, has in enumerate(money):
        owed = base * sum(claim[2] for claim in claims if claim[0] == seat)
        out = sum(move.coins for move in paid.moves if move.payer == seat)
        assert out == min(owed, has)
        assert ((seat, owed, out) in paid.short) is (out < owed)
        for claim, move in zip(claims, paid.moves, strict=True):
            if claim[0] == seat and owed:
                assert abs(move.coins - Fraction(out * claim[2] * base, owed)) < 1


def test_if_nobody_is_short_everyone_gets_exactly_points_times_rate() -> None:
    assert pooled(100, [5000, 5000, 5000, 5000], [-6, 18, -12, 0]) == ((-600, 1800, -1200, 0), (4400, 6800, 3800, 5000), ())


def test_a_seat_below_zero_pays_what_it_has_and_those_above_share_in_proportion() -> None:
    # Paid 600 + 100 = 700; shares 700 x 6/18 = 233.33 and 700 x 12/18 = 466.67
    pool = pooled(100, [5000, 0, 100, 0], [-6, 6, -12, 12])
    assert pool.change == (-600, 233, -100, 467)
    assert pool.money == (4400, 233, 0, 467)
    assert pool.short == ((2, 1200, 100),)


def test_equal_remainders_of_a_pool_go_to_the_lower_seat() -> None:
    assert pooled(1, [0, 0, 0, 5], [2, 2, 2, -6]).change == (2, 2, 1, -5)
    assert pooled(1, [7, 0, 0, 0], [-9, 3, 3, 3]).change == (-7, 3, 2, 2)


def test_a_rate_of_0_or_no_points_moves_nothing() -> None:
    assert pooled(0, [1, 2], [-5, 5]) == ((0, 0), (1, 2), ())
    assert pooled(9, [1, 2], [0, 0]) == ((0, 0), (1, 2), ())


@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(-200, 200)), min_size=1, max_size=4),
)
def test_a_pool_conserves_coins_and_nobody_loses_more_than_he_has(rate: int, seats: list[tuple[int, int]]) -> None:
    money = [has for has, _ in seats] + [1000]
    points = [won for _, won in seats]
    points.append(-sum(points))
    pool = pooled(rate, money, points)
    assert sum(pool.change) == 0
    assert min(pool.money) >= 0
    into = -sum(change for change in pool.change if change < 0)
    above = sum(won for won in points if won > 0)
    for won, has, change in zip(points, money, pool.change, strict=True):
        if won <= 0:
            assert change == -min(has, -won * rate)
        else:
            assert abs(change - Fraction(into * won, above)) < 1


def test_the_command_answers_a_stage() -> None:
    line = {"policy": "stage", "base": 10, "money": [0, 0, 1003, 0], "claims": [[2, 0, 100], [2, 3, 1000]], "note": "ignored"}
    assert payout_json(line) == {
        "moves": [[2, 0, 91], [2, 3, 912]],
        "money": [91, 0, 0, 912],
        "short": [{"seat": 2, "owed": 11000, "paid": 1003}],
    }


def test_the_command_answers_a_pool() -> None:
    line = {"policy": "pooled", "rate": 10, "money": [5, 0], "points": [-1, 1]}
    assert payout_json(line) == {"change": [-5, 5], "money": [0, 5], "short": [{"seat": 0, "owed": 10, "paid": 5}]}


STAGE: dict[str, Any] = {"policy": "stage", "base": 10, "money": [10, 20], "claims": [[0, 1, 1]]}
POOLED: dict[str, Any] = {"policy": "pooled", "rate": 10, "money": [10, 20], "points": [-1, 1]}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ([], "line: not a JSON object"),
        (None, "line: not a JSON object"),
        ("", "line: not a JSON object"),
        ({}, "policy: missing"),
        (STAGE | {"policy": "Stage"}, "policy: 'Stage' is not one of stage, pooled"),
        (STAGE | {"policy": None}, "policy: None is not one of stage, pooled"),
        (STAGE | {"base": -1}, "base: -1 is below 0"),
        (STAGE | {"base": 1.0}, "base: 1.0 is not a whole number"),
        (STAGE | {"base": True}, "base: True is not a whole number"),
        (STAGE | {"base": None}, "base: None is not a whole number"),
        (STAGE | {"base": 2**63}, f"base: {2**63} is above {2**63 - 1}"),
        (STAGE | {"money": []}, "money: no seats"),
        (STAGE | {"money": {}}, "money: not a list"),
        (STAGE | {"money": [10, -1]}, "money[1]: -1 is below 0"),
        (STAGE | {"money": [10, "1"]}, "money[1]: '1' is not a whole number"),
        (STAGE | {"money": [False, 1]}, "money[0]: False is not a whole number"),
        (STAGE | {"claims": None}, "claims: not a list"),
        (STAGE | {"claims": [[0, 1]]}, "claims[0]: not [payer, payee, multiple]"),
        (STAGE | {"claims": [[0, 1, 1, 1]]}, "claims[0]: not [payer, payee, multiple]"),
        (STAGE | {"claims": [[0, 1, 1], 7]}, "claims[1]: not [payer, payee, multiple]"),
        (STAGE | {"claims": ["011"]}, "claims[0]: not [payer, payee, multiple]"),
        (STAGE | {"claims": [[2, 1, 1]]}, "claims[0] payer: 2 is above 1"),
        (STAGE | {"claims": [[0, -1, 1]]}, "claims[0] payee: -1 is below 0"),
        (STAGE | {"claims": [[0, True, 1]]}, "claims[0] payee: True is not a whole number"),
        (STAGE | {"claims": [[1, 1, 1]]}, "claims[0]: seat 1 claims from itself"),
        (STAGE | {"claims": [[0, 1, 0]]}, "claims[0] multiple: 0 is below 1"),
        (STAGE | {"claims": [[0, 1, 1.5]]}, "claims[0] multiple: 1.5 is not a whole number"),
        ({key: value for key, value in STAGE.items() if key != "base"}, "base: missing"),
        ({key: value for key, value in STAGE.items() if key != "money"}, "money: missing"),
        ({key: value for key, value in STAGE.items() if key != "claims"}, "claims: missing"),
        ({key: value for key, value in POOLED.items() if key != "rate"}, "rate: missing"),
        ({key: value for key, value in POOLED.items() if key != "points"}, "points: missing"),
        (POOLED | {"rate": -1}, "rate: -1 is below 0"),
        (POOLED | {"rate": "10"}, "rate: '10' is not a whole number"),
        (POOLED | {"money": [1, -2]}, "money[1]: -2 is below 0"),
        (POOLED | {"points": [-1, 2]}, "points: they add up to 1, not to 0"),
        (POOLED | {"points": [0]}, "points: 1 seats, but money has 2"),
        (POOLED | {"points": [True, -1]}, "points[0]: True is not a whole number"),
        (POOLED | {"points": [0.5, -0.5]}, "points[0]: 0.5 is not a whole number"),
        (POOLED | {"points": "00"}, "points: not a list"),
    ],
)
def test_what_cannot_be_paid_out_is_an_error_that_names_the_field(line: object, error: str) -> None:
    assert payout_json(line) == {"error": error}


def test_bad_figures_are_refused_with_the_same_words_in_code() -> None:
    with pytest.raises(FieldError, match=r"claims\[0\] multiple: 0 is below 1"):
        stage(1, [1, 1], [(0, 1, 0)])
    with pytest.raises(ValueError, match="points: they add up to 3"):
        pooled(1, [1, 1], [1, 2])
