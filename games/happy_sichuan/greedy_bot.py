"""The greedy bot of 欢乐麻将: it plays as in the other mahjong games, towards two suits."""

from __future__ import annotations

from games.mahjong.distance import distance
from games.mahjong.greedy_bot import GreedyBot
from games.mahjong.melds import meld_mask
from games.mahjong.state import Seat
from games.mahjong.tiles import SUIT_MASKS, SUITS


class TwoSuitBot(GreedyBot):
    """Gives up the suit without which it is nearest to ready; of equals the one it has least of. A melded suit it has to keep."""

    __slots__ = ()

    def unwanted(self, seat: Seat) -> int:
        """Return the mask of the suit given up, 0 if all three are melded."""
        melded = meld_mask(seat.melds)
        free = [suit for suit in range(len(SUITS)) if not melded & SUIT_MASKS[suit]]
        if not free:
            return 0
        return SUIT_MASKS[min(free, key=lambda suit: _cost(seat, suit))]


def _cost(seat: Seat, suit: int) -> tuple[int, int]:
    keys = list(seat.concealed.keys)
    keys[suit] = 0
    return distance(keys, len(seat.melds)), seat.concealed.suit_sizes()[suit]
