"""The hand of a player who has won: its 13 tiles are locked, and what it can still do (docs/rules/kaxinwu.md).

Law: a locked hand changes by kongs alone, and after each it still waits for every kind it has won with.
"""

from __future__ import annotations

from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.offers import ClaimOffer, TurnOffer
from games.mahjong.shapes import wait_mask
from games.mahjong.state import Seat
from games.mahjong.tiles import COPIES, Tile


def waits_after_kong(seat: Seat, tile: Tile) -> int:
    """Return the waits after a kong of all that the seat has of a kind; 0 if they do not hold every kind it has won with."""
    concealed = seat.concealed.copy()
    for _ in range(concealed.counts[tile]):
        concealed.remove(tile)
    melds = [meld for meld in seat.melds if meld.tile != tile]
    waits = wait_mask(concealed, [*melds, Meld(MeldKind.CONCEALED_KONG, tile)])
    won = 0
    for win in seat.wins:
        won |= 1 << win.tile
    return waits if waits & won == won else 0


def turn_offer(hand: HandState, who: int) -> TurnOffer:
    """A self-draw is won and a tile without a use is thrown by the server; only a kong of the drawn tile is the player's to decide."""
    seat = hand.seats[who]
    concealed, drawn = seat.concealed, seat.drawn
    bit, held = 1 << drawn, concealed.mask
    if seat.waits & bit:
        return TurnOffer(who, hand.number(who), drawn, 0, win=True, greyed=held, at_once=True)
    four = bit if concealed.counts[drawn] == COPIES else 0
    added = seat.pungs & bit
    if not ((four or added) and hand.left and waits_after_kong(seat, drawn)):
        four = added = 0
    return TurnOffer(who, hand.number(who), drawn, bit, four, added, greyed=held & ~bit, at_once=not (four or added))


def claim_offer(hand: HandState, who: int, source: int, tile: Tile, *, win: bool, kong: bool, robbing: bool) -> ClaimOffer | None:
    """A win is carried out by the server; so is a direct kong (`kong`: they have the tiles) that does not change the waits."""
    seat = hand.seats[who]
    held = seat.concealed.mask
    if win:
        return ClaimOffer(who, hand.number(who), tile, source, win=True, may_pass=False, robbing=robbing, at_once=True, greyed=held)
    after = waits_after_kong(seat, tile) if kong else 0
    if not after:
        return None
    same = after == seat.waits
    return ClaimOffer(who, hand.number(who), tile, source, kong=True, may_pass=not same, confirm_pass=not same, at_once=same, greyed=held)
