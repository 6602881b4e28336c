"""What every game must keep, whatever it is: subclass `Conformance`, say how to look at the game slowly, and its tests are there.

Random bots play whole hands; the checks look at every state of them. All is seeded: a failure names the hand that shows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from games.bots import bot
from games.hand import Action, Do, Event, Refusal, Ruleset, Setup, Why
from games.record import Recorder, build_record
from games.verify import Verifier

State = dict[str, Any]
"""What `Hand.dump` answers: full knowledge as plain values."""


def plain(hand: Any) -> State:
    """Everything a hand is, through JSON and back."""
    state: State = json.loads(json.dumps(hand.dump()))
    return state


class Conformance:
    """The suite. Sizes are set so that a game takes a few seconds."""

    rules: Ruleset
    bots = ("random", "greedy")
    longest = 400
    """No hand has more actions than this."""
    hands = 12
    """Hands for the checks of a whole hand; those that try everything at every state take some of them."""

    # What a game says of itself.

    def candidates(self, state: State, seat: int, random: Random) -> Iterable[Action]:
        """Actions worth trying: all that could be legal, and many that are not."""
        raise NotImplementedError

    def legal(self, state: State, action: Action) -> bool:
        """Whether the rules allow it, judged slowly from full knowledge and without looking at offers."""
        raise NotImplementedError

    def check_state(self, hand: Any, state: State) -> None:
        """Look at the game's own laws."""
        raise NotImplementedError

    def another_world(self, state: State, seat: int | None, random: Random) -> State:
        """Return a state that differs only in what the seat may not know."""
        raise NotImplementedError

    def check_event(self, event: Event, seat: int | None, before: State, after: State) -> None:
        """Check that the seat may know all that the event tells. Called for each event that the seat is shown."""
        raise NotImplementedError

    def new_client(self, seat: int | None) -> Any:
        """Return a client of one seat (None: a watcher) with `hear(event)` and `check(view)`."""
        raise NotImplementedError

    # Playing.

    def setup(self, number: int) -> Setup:
        contributions = tuple(None if seat % 2 else bytes([number % 256]) * 16 for seat in range(self.rules.players))
        return Setup("conformance", number, bytes([number % 256, number // 256]) * 16, contributions)

    def minds(self, random: Random) -> list[Any]:
        return [bot(self.rules.game, random.choice(self.bots), random) for _ in range(self.rules.players)]

    def moves(self, hand: Any, random: Random) -> Iterator[Action]:
        """Play a hand: yield each action before it is to be applied. Who of several answers first is random."""
        minds = self.minds(random)
        while not hand.over:
            seat = random.choice([seat for seat, offer in enumerate(hand.offers) if offer is not None])
            yield hand.default(seat) if hand.offers[seat].at_once else minds[seat].choose(hand, seat)

    def seats(self) -> list[int | None]:
        return [*range(self.rules.players), None]

    def verify(self, record: dict[str, Any]) -> None:
        assert Verifier().check(record) == {"ok": True}

    # The laws.

    def test_every_hand_ends_and_keeps_the_laws_of_the_game_at_every_state(self) -> None:
        for number in range(self.hands):
            hand, _ = self.rules.deal(self.setup(number))
            self.check_state(hand, hand.dump())
            stages: list[Any] = []
            for count, action in enumerate(self.moves(hand, Random(number))):
                assert count < self.longest, number
                assert not isinstance(hand.apply(action), Refusal), (number, action)
                assert hand.stages[: len(stages)] == stages, "stages are only added to"
                stages = list(hand.stages)
                assert sum(hand.points()) == 0
                assert all(stage.claims and all(multiple > 0 for *_, multiple in stage.claims) for stage in stages)
                self.check_state(hand, hand.dump())
            assert hand.over
            assert hand.offers == [None] * self.rules.players
            assert json.loads(json.dumps(hand.result())) == hand.result()

    def test_the_same_actions_give_the_same_hand_and_events(self) -> None:
        for number in range(self.hands // 3):
            one, first = self.rules.deal(self.setup(number))
            other, again = self.rules.deal(self.setup(number))
            assert first == again
            for action in self.moves(one, Random(number)):
                assert one.apply(action) == other.apply(action)
            assert plain(one) == plain(other)

    def test_a_hand_goes_on_the_same_after_storing_it_at_any_state(self) -> None:
        for number in range(self.hands // 3):
            hand, _ = self.rules.deal(self.setup(number))
            for action in self.moves(hand, Random(number)):
                stored = plain(hand)
                copy = self.rules.load(stored)
                assert plain(copy) == stored
                assert [copy.view(seat) for seat in self.seats()] == [hand.view(seat) for seat in self.seats()]
                assert copy.apply(action) == hand.apply(action)
                assert plain(copy) == plain(hand)

    def test_what_is_accepted_is_exactly_what_the_rules_allow(self) -> None:
        for number in range(self.hands // 4):
            hand, _ = self.rules.deal(self.setup(number))
            random = Random(number)
            for action in self.moves(hand, random):
                state = plain(hand)
                for seat in range(self.rules.players):
                    offer = hand.offers[seat]
                    candidates = list(self.candidates(state, seat, random))
                    for candidate in candidates if offer is not None else random.sample(candidates, min(20, len(candidates))):
                        legal = self.legal(state, candidate)
                        assert (offer is not None and offer.check(candidate) is None) == legal, (number, candidate, offer)
                        if not legal:
                            assert isinstance(hand.apply(candidate), Refusal), (number, candidate)
                        elif random.random() < 0.1:
                            assert not isinstance(self.rules.load(state).apply(candidate), Refusal), (number, candidate)
                assert plain(hand) == state, f"a refusal changed something: hand {number}"
                assert self.legal(state, action)
                hand.apply(action)

    def test_an_action_outside_the_table_or_the_hand_is_refused(self) -> None:
        hand, _ = self.rules.deal(self.setup(0))
        for seat in (-1, self.rules.players, 99):
            assert hand.apply(Action(seat, Do.PASS)).why is Why.MALFORMED
        for action in self.moves(hand, Random(0)):
            hand.apply(action)
        before = plain(hand)
        assert all(hand.apply(Action(seat, do)).why is Why.HAND_OVER for seat in range(self.rules.players) for do in Do)
        assert plain(hand) == before

    def test_the_servers_answer_is_always_accepted_and_ends_the_hand(self) -> None:
        for number in range(self.hands // 3):
            hand, _ = self.rules.deal(self.setup(number))
            for _ in range(self.longest):
                if hand.over:
                    break
                seat = next(seat for seat, offer in enumerate(hand.offers) if offer is not None)
                action = hand.default(seat)
                assert (action.seat, action.auto) == (seat, True)
                assert not isinstance(hand.apply(action), Refusal)
            assert hand.over
            assert all(hand.seat_done(seat) for seat in range(self.rules.players))

    def test_a_view_does_not_depend_on_what_its_seat_may_not_know(self) -> None:
        for number in range(self.hands // 4):
            hand, _ = self.rules.deal(self.setup(number))
            random = Random(number)
            for action in self.moves(hand, random):
                state = plain(hand)
                for seat in self.seats():
                    world = self.rules.load(self.another_world(state, seat, random))
                    assert world.view(seat) == hand.view(seat), (number, seat)
                hand.apply(action)

    def test_an_event_tells_a_seat_only_what_it_may_know(self) -> None:
        for number in range(self.hands * 2 // 3):
            hand, _ = self.rules.deal(self.setup(number))
            for action in self.moves(hand, Random(number)):
                before = plain(hand)
                events = hand.apply(action)
                after = plain(hand)
                for seat in self.seats():
                    for event in events:
                        if event.to >> (8 if seat is None else seat) & 1:
                            self.check_event(event, seat, before, after)

    def test_what_one_hears_adds_up_to_what_one_may_see(self) -> None:
        for number in range(self.hands):
            hand, events = self.rules.deal(self.setup(number))
            clients = {seat: self.new_client(seat) for seat in self.seats()}
            moves = self.moves(hand, Random(number))
            while True:
                for seat, client in clients.items():
                    for event in events:
                        if event.to >> (8 if seat is None else seat) & 1:
                            client.hear(event)
                    client.check(hand.view(seat))
                action = next(moves, None)
                if action is None:
                    break
                events = hand.apply(action)

    def test_every_form_of_an_event_goes_to_another_audience(self) -> None:
        hand, events = self.rules.deal(self.setup(1))
        for action in self.moves(hand, Random(1)):
            for place, event in enumerate(events):
                if place and type(event) is type(events[place - 1]) and getattr(event, "seat", 0) == getattr(events[place - 1], "seat", 0):
                    assert not event.to & events[place - 1].to
            events = hand.apply(action)

    def test_the_numbers_of_a_seats_offers_have_no_gap(self) -> None:
        for number in range(self.hands // 3):
            hand, _ = self.rules.deal(self.setup(number))
            last = [0] * self.rules.players
            for action in self.moves(hand, Random(number)):
                for seat, offer in enumerate(hand.offers):
                    if offer is not None:
                        assert offer.number in (last[seat], last[seat] + 1)
                        last[seat] = offer.number
                hand.apply(action)

    def test_actions_are_written_and_read_back(self) -> None:
        for number in range(self.hands // 3):
            hand, _ = self.rules.deal(self.setup(number))
            for action in self.moves(hand, Random(number)):
                assert self.rules.action_from_json(json.loads(json.dumps(self.rules.action_to_json(action)))) == action
                hand.apply(action)

    def test_a_record_does_not_tell_in_which_order_answers_arrived_and_verifies(self) -> None:
        for number in range(self.hands * 2 // 3):
            recorder = Recorder(self.rules, self.setup(number))
            journal = []
            for action in self.moves(recorder.hand, Random(number)):
                assert not isinstance(recorder.apply(action), Refusal)
                journal.append(action)
            money = [5000] * self.rules.players
            record = recorder.record(10, money)
            assert build_record(self.rules, self.setup(number), journal, 10, money) == record
            self.verify(json.loads(json.dumps(record)))
            replayed = [self.rules.action_from_json(action) for action in record["actions"]]
            assert sorted(replayed) == sorted(journal)
