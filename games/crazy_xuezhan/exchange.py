"""The phase in which three tiles are exchanged 换三张 (docs/rules/crazy_xuezhan.md). Reusable: it only moves concealed tiles and sets
`shift`.

Who takes part depends on the 13 tiles dealt alone, so the shift can be drawn at the deal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.deal import Stream
from games.hand import Action, Do, Event
from games.mahjong.concealed import Concealed
from games.mahjong.events import Exchanged
from games.mahjong.hooks import HandState
from games.mahjong.offers import EXCHANGED, ExchangeOffer
from games.mahjong.tiles import SUIT_OF


def takes_part(concealed: Concealed) -> bool:
    """Whether a seat exchanges: of the two suits other than its longest at least one counts three or more (else 好牌不换)."""
    return sorted(concealed.suit_sizes())[-2] >= EXCHANGED


def may_give(concealed: Concealed) -> tuple[int, ...]:
    """Return every tile of the suits that hold at least three."""
    sizes = concealed.suit_sizes()
    return tuple(tile for tile in concealed.tiles() if sizes[SUIT_OF[tile]] >= EXCHANGED)


class ExchangePhase:
    """Each seat that takes part gives three tiles of one suit to the participant `shift` places on."""

    name = "exchange"

    def prepare(self, hand: HandState, stream: Stream) -> None:
        """Draw the shift, 1 to n - 1 for n participants. One alone exchanges nothing."""
        taking_part = _participants(hand)
        if len(taking_part) >= 2:
            hand.shift = 1 + stream.uniform(len(taking_part) - 1)

    def open(self, hand: HandState) -> dict[int, Any]:
        """Ask those who take part."""
        if not hand.shift:
            return {}
        return {who: ExchangeOffer(who, hand.number(who), may_give(hand.seats[who].concealed)) for who in _participants(hand)}

    def close(self, hand: HandState, answers: Mapping[int, Action], out: list[Event]) -> None:
        """Move the tiles, all at once."""
        rules = hand.rules
        seats = tuple(sorted(answers))
        given = {who: tuple(sorted(answers[who].tiles)) for who in seats}
        got = {seats[(place + hand.shift) % len(seats)]: given[who] for place, who in enumerate(seats)}
        unconcerned = rules.all
        for who in seats:
            concealed = hand.seats[who].concealed
            concealed.remove_many(given[who])
            concealed.add_many(got[who])
            out.append(Exchanged(rules.only[who], seats, hand.shift, given[who], got[who]))
            unconcerned ^= rules.only[who]
        out.append(Exchanged(unconcerned, seats, hand.shift))

    def default(self, hand: HandState, who: int) -> Action:
        """The three lowest tiles of the shortest suit that holds three; ties m, p, s."""
        tiles = may_give(hand.seats[who].concealed)
        suits = [SUIT_OF[tile] for tile in tiles]
        shortest = min(suits, key=lambda suit: (suits.count(suit), suit))
        return Action(who, Do.EXCHANGE, tiles=tuple(tile for tile in tiles if SUIT_OF[tile] == shortest)[:EXCHANGED], auto=True)


def _participants(hand: HandState) -> list[int]:
    return [who for who, seat in enumerate(hand.seats) if takes_part(seat.concealed)]
