"""What a seat may do, listed exactly and compactly: sets of kinds are 27-bit masks, so an offer costs the same however much it holds.

Law: an offer alone decides whether an answer is legal (`check`); whoever carries out an action does not judge it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from games.hand import Action, Do, Refusal, Why
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import KINDS, SUIT_OF, SUITS, Suit, Tile, tiles_in

EXCHANGED: Final = 3
"""How many tiles an exchange 换三张 takes."""
_DISCARD: Final = Do.DISCARD
_KONGS: Final = frozenset({MeldKind.DIRECT_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG})


def _is_tile(number: int) -> bool:
    return 0 <= number < KINDS


def _needs_tile(action: Action) -> bool:
    return _is_tile(action.tile) and not action.tiles and not action.kind


def _needs_nothing(action: Action) -> bool:
    return action.tile == -1 and not action.tiles and not action.kind


_FIELDS: Final[dict[Do, tuple[Callable[[Action], bool], str]]] = {
    Do.VOID: (lambda action: 0 <= action.tile < len(SUITS) and not action.tiles and not action.kind, "a suit and nothing else"),
    Do.EXCHANGE: (
        lambda action: len(action.tiles) == EXCHANGED and all(map(_is_tile, action.tiles)) and action.tile == -1 and not action.kind,
        "three tiles and nothing else",
    ),
    Do.DISCARD: (_needs_tile, "a tile and nothing else"),
    Do.PUNG: (_needs_nothing, "no tile"),
    Do.KONG: (lambda action: _is_tile(action.tile) and not action.tiles and action.kind in _KONGS, "a tile and the kind of kong"),
    Do.WIN: (_needs_nothing, "no tile"),
    Do.PASS: (_needs_nothing, "no tile"),
    Do.LEAVE: (_needs_nothing, "no tile"),
}


def malformed(action: Action) -> Refusal | None:
    """Return a refusal if an action has not the fields it should have."""
    rule = _FIELDS.get(action.do)
    if rule is None:
        return Refusal(Why.NOT_OFFERED)
    fits, needed = rule
    return None if fits(action) else Refusal(Why.MALFORMED, f"{action.do} takes {needed}")


class MahjongOffer:
    """What the offers have in common: the fields of an action are looked at before the choice."""

    __slots__ = ()

    def check(self, action: Action) -> Refusal | None:
        """Return why this offer does not include the action, or None if it does."""
        refusal = malformed(action)
        if refusal is None and not self._includes(action):
            return Refusal(Why.NOT_OFFERED)
        return refusal

    @property
    def lapses(self) -> bool:
        """Whether the offer may end without an answer."""
        return False

    @property
    def draw_and_discard(self) -> bool:
        """Whether nothing is possible but to throw, the drawn tile among others: what 自动摸打 does by itself."""
        return False

    def _includes(self, action: Action) -> bool:
        raise NotImplementedError  # pragma: no cover


@dataclass(slots=True)
class VoidOffer(MahjongOffer):
    """Name one suit 定缺. `suits`: a mask of three bits."""

    seat: int
    number: int
    suits: int = (1 << len(SUITS)) - 1
    at_once: bool = False

    def _includes(self, action: Action) -> bool:
        return action.do is Do.VOID and self.suits >> action.tile & 1 == 1


@dataclass(slots=True)
class ExchangeOffer(MahjongOffer):
    """Give three tiles of one suit 换三张. `tiles`: every copy that may be given, sorted; a suit with fewer than three is not in it."""

    seat: int
    number: int
    tiles: tuple[Tile, ...]
    at_once: bool = False

    def of_suit(self, suit: Suit) -> list[Tile]:
        """Return the tiles of one suit that may be given."""
        return [tile for tile in self.tiles if SUIT_OF[tile] == suit]

    def _includes(self, action: Action) -> bool:
        given = action.tiles
        if action.do is not Do.EXCHANGE or len({SUIT_OF[tile] for tile in given}) != 1:
            return False
        return all(given.count(tile) <= self.tiles.count(tile) for tile in given)


@dataclass(slots=True)
class TurnOffer(MahjongOffer):
    """One's own turn.

    `tile`: the tile just drawn, -1 after a pung. `discards`, `concealed_kongs`, `added_kongs`: masks of kinds. `greyed` 置灰: kinds held
    that may not be discarded now. Passing up a win or kong needs no answer of its own; `confirm_pass`: a client should ask before it
    sends a discard that does.
    """

    seat: int
    number: int
    tile: Tile
    discards: int
    concealed_kongs: int = 0
    added_kongs: int = 0
    win: bool = False
    greyed: int = 0
    at_once: bool = False
    confirm_pass: bool = False

    @property
    def draw_and_discard(self) -> bool:
        """Whether nothing is possible but to throw, the drawn tile among others: what 自动摸打 does by itself."""
        chances = self.win or self.concealed_kongs or self.added_kongs
        return self.tile >= 0 and not chances and self.discards >> self.tile & 1 == 1

    @property
    def must_win(self) -> bool:
        """Whether a win is all that is offered."""
        return self.win and not (self.discards | self.concealed_kongs | self.added_kongs)

    def kongs(self) -> list[tuple[Tile, MeldKind]]:
        """Return the kongs that may be declared."""
        concealed = [(tile, MeldKind.CONCEALED_KONG) for tile in tiles_in(self.concealed_kongs)]
        return concealed + [(tile, MeldKind.ADDED_KONG) for tile in tiles_in(self.added_kongs)]

    def check(self, action: Action) -> Refusal | None:
        """Return why this offer does not include the action, or None if it does."""
        # The most frequent answer of all, so it is let through before the general way.
        tile = action.tile
        if action.do is _DISCARD and 0 <= tile < KINDS and self.discards >> tile & 1 and not action.tiles and not action.kind:
            return None
        return MahjongOffer.check(self, action)

    def _includes(self, action: Action) -> bool:
        if action.do is Do.WIN:
            return self.win
        if action.do is not Do.KONG or action.kind == MeldKind.DIRECT_KONG:
            return False
        kongs = self.added_kongs if action.kind == MeldKind.ADDED_KONG else self.concealed_kongs
        return kongs >> action.tile & 1 == 1


@dataclass(slots=True)
class ClaimOffer(MahjongOffer):
    """Claim another's discard, or an announced added kong (`robbing` 抢杠), of `tile` by the seat `source`.

    `confirm_pass`: a client should ask before it sends a pass. `greyed` 置灰: kinds held that are shown as not to be discarded.
    """

    seat: int
    number: int
    tile: Tile
    source: int
    win: bool = False
    kong: bool = False
    pung: bool = False
    may_pass: bool = True
    robbing: bool = False
    confirm_pass: bool = False
    at_once: bool = False
    greyed: int = 0

    @property
    def must_win(self) -> bool:
        """Whether a win is all that is offered."""
        return self.win and not (self.may_pass or self.pung or self.kong)

    @property
    def lapses(self) -> bool:
        """A win always matters; a pung or kong may lose to the wins of others."""
        return not self.win

    def _includes(self, action: Action) -> bool:
        match action.do:
            case Do.WIN:
                return self.win
            case Do.PUNG:
                return self.pung
            case Do.PASS:
                return self.may_pass
            case Do.KONG:
                return self.kong and action.kind == MeldKind.DIRECT_KONG and action.tile == self.tile
            case _:
                return False


Offers = VoidOffer | ExchangeOffer | TurnOffer | ClaimOffer
