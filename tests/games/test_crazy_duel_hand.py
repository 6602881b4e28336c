"""A hand of 疯狂对杀: the deal, turns, refusals and the answers of the server."""

from __future__ import annotations

from collections import Counter

import pytest

from games.crazy_duel.cards import PACK, TOP_NAMES, format_cards
from games.crazy_duel.events import CardsDealt, CardsPassed, CardsPlayed
from games.hand import WATCHERS, Action, Do, Refusal, Setup, Why
from tests.games.duel import RULES, dealt, lay, play, refused, skip, table
from tests.games.naive_cards import cards

# The deal.


def test_ten_cards_are_put_away_and_each_seat_gets_twenty_five() -> None:
    hand, _ = dealt()
    assert Counter(hand.wall) == Counter(PACK)
    assert hand.cards(0) == tuple(sorted(hand.wall[10:35]))
    assert hand.cards(1) == tuple(sorted(hand.wall[35:60]))


def test_who_holds_the_shown_card_leads_its_twin_does_not_matter() -> None:
    leaders: Counter[int] = Counter()
    for number in range(60):
        hand, _ = dealt(number)
        assert 10 <= hand.shown < 60
        leader = 0 if hand.shown < 35 else 1
        assert hand.leader == hand.turn == leader
        assert hand.offers[leader].to_beat is None
        assert hand.offers[1 - leader] is None
        leaders[leader] += 1
    assert min(leaders.values()) > 15


def test_the_same_setup_deals_the_same_and_memory_of_the_hand_before_is_ignored() -> None:
    setup = Setup("t", 2, bytes(32), (None, None))
    one, _ = RULES.deal(setup)
    other, _ = RULES.deal(Setup("t", 2, bytes(32), (None, None), {"dealer": 1}))
    assert one.dump() == other.dump()
    assert one.carry() == {}


def test_a_deal_can_be_computed_by_hand() -> None:
    """docs/rules/deal.md once more, in the plainest way."""
    import hashlib
    import hmac

    seed = bytes(range(32))
    key = hmac.new(seed, b"xuezhan/1\0t\0" + b"1\0" + bytes(16) + bytes(16), hashlib.sha256).digest()
    blocks = b"".join(hmac.new(key, i.to_bytes(8, "big"), hashlib.sha256).digest() for i in range(20))
    words = iter([int.from_bytes(blocks[i : i + 4], "big") for i in range(0, len(blocks), 4)])

    def uniform(n: int) -> int:
        return next(word % n for word in words if word < 2**32 - 2**32 % n)

    wall = [*range(30), *range(30)]
    for i in range(59, 0, -1):
        j = uniform(i + 1)
        wall[i], wall[j] = wall[j], wall[i]
    hand, _ = dealt(1)
    assert list(hand.wall) == wall
    assert hand.shown == 10 + uniform(50)


def test_a_seat_is_shown_its_own_cards_alone_and_watchers_none() -> None:
    hand, events = dealt()
    shown = hand.wall[hand.shown]
    assert events == [
        CardsDealt(1, hand.cards(0), shown, hand.leader, (25, 25)),
        CardsDealt(2, hand.cards(1), shown, hand.leader, (25, 25)),
        CardsDealt(WATCHERS, (), shown, hand.leader, (25, 25)),
    ]


# Turns.


def test_who_leads_must_play() -> None:
    hand = table("9S 10S", "JS QS")
    assert not hand.offers[0].may_pass
    assert refused(hand, Action(0, Do.PASS)) is Why.NOT_OFFERED


def test_who_follows_is_told_what_to_beat_and_may_pass_also_when_able_to_beat() -> None:
    hand = table("9S 10S", "JS QS")
    lay(hand, "9S")
    offer = hand.offers[1]
    assert offer.may_pass
    assert (offer.to_beat.seat, offer.to_beat.cards, TOP_NAMES[offer.to_beat.play.top]) == (0, cards("9S"), "9")
    assert hand.offers[0] is None
    assert skip(hand) == [CardsPassed(WATCHERS | 3, 1)]


def test_after_a_pass_the_other_leads_anything() -> None:
    hand = table("9S 10S 10H", "JS QS")
    lay(hand, "9S")
    skip(hand)
    assert hand.turn == 0
    assert hand.offers[0].to_beat is None
    assert refused(hand, Action(0, Do.PASS)) is Why.NOT_OFFERED
    lay(hand, "10S 10H")


def test_play_goes_to_and_fro_until_one_passes() -> None:
    hand = table("9S JS KS", "10S QS AS")
    for card in ("9S", "10S", "JS", "QS", "KS"):
        lay(hand, card)
    assert hand.over
    assert hand.winner == 0


def test_a_play_is_shown_to_all_with_its_reading_and_how_many_cards_are_left() -> None:
    hand = table("10S JS QS KS w 9H", "9S")
    (event,) = lay(hand, "w KS 10S QS JS")
    assert isinstance(event, CardsPlayed)
    assert event.to == WATCHERS | 3
    assert (event.seat, event.cards, event.play.kind, TOP_NAMES[event.play.top], event.left) == (
        0,
        cards("w KS 10S QS JS"),
        "straight",
        "A",
        1,
    )


def test_each_seat_counts_its_own_offers_from_one() -> None:
    hand = table("9S JS KS 2S", "10S QS AS")
    assert hand.offers[0].number == 1
    lay(hand, "9S")
    assert hand.offers[1].number == 1
    lay(hand, "10S")
    assert hand.offers[0].number == 2
    skip(hand)
    assert hand.offers[1].number == 2
    assert not hand.offers[1].at_once
    assert not hand.offers[1].lapses


def test_a_follower_who_names_no_kind_gets_the_first_that_beats() -> None:
    hand = table("10S 10H JS JH QS QH 9S", "JC QC KC w w W 9H")
    lay(hand, "10S 10H JS JH QS QH")
    (event,) = lay(hand, "JC QC KC w w W")
    assert isinstance(event, CardsPlayed)
    assert event.play.kind == "pair_row"


# Refusals.


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (play(0, "9S 10S"), Why.NOT_A_PLAY),
        (play(0, "9S 9H", "single"), Why.NOT_THAT_KIND),
        (play(0, "9S 9H", "bomb"), Why.NOT_THAT_KIND),
        (play(0, "9S 10S", "pair"), Why.NOT_A_PLAY),
        (play(0, "JS"), Why.NOT_OFFERED),  # the other's card
        (play(0, "9S 9S"), Why.NOT_OFFERED),  # a copy it does not have
        (play(0, "2S"), Why.NOT_OFFERED),
        (play(0, ""), Why.MALFORMED),
        (play(0, "9S", "solo"), Why.MALFORMED),
        (Action(0, Do.PLAY, 3, cards("9S")), Why.MALFORMED),
        (Action(0, Do.PLAY, tiles=(30,)), Why.MALFORMED),
        (Action(0, Do.PLAY, tiles=(-1,)), Why.MALFORMED),
        (Action(0, Do.PASS), Why.NOT_OFFERED),
        (Action(0, Do.PASS, tiles=cards("9S")), Why.MALFORMED),
        (Action(0, Do.DISCARD, 3), Why.NOT_OFFERED),
        (Action(0, Do.WIN), Why.NOT_OFFERED),
        (play(1, "JS"), Why.NOT_YOUR_TURN),
        (Action(1, Do.PASS), Why.NOT_YOUR_TURN),
        (Action(2, Do.PASS), Why.MALFORMED),
        (Action(-1, Do.LEAVE), Why.MALFORMED),
        (Action(1, Do.LEAVE, tiles=cards("JS")), Why.MALFORMED),
        (Action(0, Do.LEAVE, kind="single"), Why.MALFORMED),
    ],
)
def test_what_is_not_legal_for_a_leader_is_refused_and_nothing_happens(action: Action, why: Why) -> None:
    assert refused(table("9S 9H 10S", "JS JH"), action) is why


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (play(1, "10S 10H"), Why.DOES_NOT_BEAT),
        (play(1, "JC JD"), Why.DOES_NOT_BEAT),  # an equal pair
        (play(1, "KS"), Why.DOES_NOT_BEAT),
        (play(1, "KS KH KC"), Why.DOES_NOT_BEAT),
        (play(1, "10S KS"), Why.NOT_A_PLAY),
        (play(1, "KS KH", "triple"), Why.NOT_THAT_KIND),
        (play(0, "9S"), Why.NOT_YOUR_TURN),
    ],
)
def test_what_does_not_beat_is_refused_and_nothing_happens(action: Action, why: Why) -> None:
    hand = table("JS JH 9S", "10S 10H JC JD KS KH KC")
    lay(hand, "JS JH")
    assert refused(hand, action) is why


def test_an_offer_judges_without_changing_anything() -> None:
    hand = table("9S 9H", "JS")
    offer = hand.offers[0]
    assert offer.check(play(0, "9S 9H")) is None
    assert offer.check(play(0, "9S JS")) == Refusal(Why.NOT_OFFERED, "not held")
    assert offer.check(Action(0, Do.PASS)) == Refusal(Why.NOT_OFFERED, "who leads must play")
    assert hand.left == [2, 1]


def test_nothing_is_taken_after_the_hand() -> None:
    hand = table("9S", "JS")
    lay(hand, "9S")
    for action in (play(1, "JS"), Action(0, Do.PASS), Action(1, Do.LEAVE)):
        assert refused(hand, action) is Why.HAND_OVER


# The server's answers.


def test_by_default_a_follower_passes() -> None:
    hand = table("9S 10S", "2S 2H")
    lay(hand, "9S")
    assert hand.default(1) == Action(1, Do.PASS, auto=True)


@pytest.mark.parametrize(
    ("held", "lowest"),
    [
        ("KS 10D 9D 9H 2S", "9H"),
        ("10D 10C 10H 10S", "10S"),
        ("10D 10C 10H", "10H"),
        ("10D 10C", "10C"),
        ("W w 2D 2S", "2S"),
        ("W w", "w"),
        ("W W", "W"),
    ],
)
def test_by_default_a_leader_plays_its_lowest_single_by_rank_then_spades_hearts_clubs_diamonds(held: str, lowest: str) -> None:
    hand = table(held, "JS")
    action = hand.default(0)
    assert (action.do, format_cards(action.tiles), action.kind, action.auto) == (Do.PLAY, lowest, "single", True)
    assert not isinstance(hand.apply(action), Refusal)


def test_a_hand_played_by_defaults_alone_ends() -> None:
    hand, _ = dealt()
    steps = 0
    while not hand.over:
        assert not isinstance(hand.apply(hand.default(hand.turn)), Refusal)
        steps += 1
    # The leader plays 25 singles, the other passes after each but the last.
    assert steps == 25 + 24
