"""Reading the lines of `xuezhan score` and `xuezhan waits`.

Law: what is read is a hand that can lie on a table: 13 tiles, melds counted, and no fifth copy of a tile. FieldError names what is
not so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from games.fields import FieldError, flag, listed, mapping, member, required, text, whole
from games.mahjong.concealed import Concealed
from games.mahjong.fans import Circumstances, How
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.shapes import SETS, WAITING_SIZE
from games.mahjong.tiles import COPIES, TILE_NAMES, Suit, Tile, parse_tiles, suit_of, tile_of

T = TypeVar("T")


class HandLine(NamedTuple):
    """A hand of 13. `void` None: no suit is ruled out; `cap` in fans, None: not given."""

    concealed: Concealed
    melds: tuple[Meld, ...]
    void: Suit | None
    cap: int | None


class WinLine(NamedTuple):
    """A hand of 13, the tile that won and how it came."""

    hand: HandLine
    tile: Tile
    around: Circumstances


def read_hand(line: object) -> HandLine:
    """Read the fields that a hand of 13 has. FieldError for a line that cannot be used."""
    return _read_hand(mapping("line", line), ())


def read_win(line: object) -> WinLine:
    """Read a win. FieldError for a line that cannot be used."""
    fields = mapping("line", line)
    tile = _read(tile_of, "tile", required(fields, "tile"))
    hand = _read_hand(fields, (tile,))
    how = fields.get("how")
    around = Circumstances(
        how=None if how is None else member("how", how, How),
        kongs=whole("kongs", fields.get("kongs", 0), 0, SETS),
        last_tile=flag("last_tile", fields.get("last_tile", False)),
        first_draw=flag("first_draw", fields.get("first_draw", False)),
        dealer=flag("dealer", fields.get("dealer", False)),
    )
    return WinLine(hand, tile, around)


def _read_hand(fields: Mapping[str, Any], winning: tuple[Tile, ...]) -> HandLine:
    tiles = _read(parse_tiles, "concealed", required(fields, "concealed"))
    melds = _melds(fields.get("melds", []))
    size = len(tiles) + 3 * len(melds)
    if size != WAITING_SIZE:
        raise FieldError("concealed", f"{size} tiles with the melds, not {WAITING_SIZE}")
    held = Counter((*tiles, *winning))
    for meld in melds:
        held[meld.tile] += meld.size
    tile, most = max(held.items(), key=itemgetter(1))
    if most > COPIES:
        raise FieldError("concealed", f"{most} of {TILE_NAMES[tile]} with the melds and the winning tile")
    void, cap = fields.get("void"), fields.get("cap")
    return HandLine(
        Concealed(tiles),
        melds,
        None if void is None else _read(suit_of, "void", void),
        None if cap is None else whole("cap", cap, 1),
    )


def _melds(value: object) -> tuple[Meld, ...]:
    given = listed("melds", value)
    if len(given) > SETS:
        raise FieldError("melds", f"{len(given)} of them, and a hand has {SETS} sets")
    return tuple(_meld(f"melds[{place}]", one) for place, one in enumerate(given))


def _meld(where: str, value: object) -> Meld:
    fields = mapping(where, value)
    return Meld(member(f"{where} kind", fields.get("kind"), MeldKind), _read(tile_of, f"{where} tile", fields.get("tile")))


def _read(notation: Callable[[str], T], where: str, value: object) -> T:
    """Read a text in the notation of tiles or suits, and say where it stands if it cannot be read."""
    try:
        return notation(text(where, value))
    except FieldError:
        raise
    except ValueError as bad:
        raise FieldError(where, str(bad)) from None
