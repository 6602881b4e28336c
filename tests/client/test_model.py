"""The picture of a table follows from what was shown."""

from __future__ import annotations

from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import TableModel, acts, legal, tile_name, tile_named


def tiles(text: str) -> list[mj.Tile.ValueType]:
    return [tile_named(name) for name in text.split()]


def names(numbers: list[int]) -> str:
    return " ".join(tile_name(number) for number in numbers)


def dealt(me: int | None = 0) -> TableModel:
    table = TableModel(4, me)
    mine = tiles("1m 1m 2m 3m 9m 9m 9m 5p 5p 5p 5p 7s 8s") if me is not None else []
    table.hear("dealt", mj.Dealt(hand=2, dealer=1, tiles=mine, wall_left=56, concealed_counts=[13, 13, 13, 13]))
    return table


def test_ones_own_tiles_are_known_and_the_others_are_counted() -> None:
    table = dealt()
    assert names(table.seats[0].tiles) == "1m 1m 2m 3m 9m 9m 9m 5p 5p 5p 5p 7s 8s"
    assert [seat.count for seat in table.seats] == [13] * 4
    assert table.seats[1].tiles == []


def test_an_exchange_changes_ones_own_tiles() -> None:
    table = dealt()
    table.hear("exchanged", mj.Exchanged(seats=[0, 1], shift=1, gave=tiles("1m 1m 2m"), got=tiles("1s 1s 1s")))
    assert names(sorted(table.seats[0].tiles)) == "3m 9m 9m 9m 5p 5p 5p 5p 1s 1s 1s 7s 8s"


def test_a_discard_lies_before_its_seat_until_somebody_melds_it() -> None:
    table = dealt()
    table.hear("drew", mj.Drew(seat=1, wall_left=55))
    table.hear("discarded", mj.Discarded(seat=1, tile=mj.TILE_9M))
    assert (table.seats[1].count, names(table.seats[1].discards), table.last_discard) == (13, "9m", mj.TILE_9M)
    table.hear("melded", mj.Melded(seat=0, meld=mj.Meld(kind=mj.MELD_KIND_DIRECT_KONG, tile=mj.TILE_9M, from_seat_plus_one=2)))
    assert (table.seats[0].count, names(table.seats[0].tiles)) == (10, "1m 1m 2m 3m 5p 5p 5p 5p 7s 8s")
    assert (table.seats[1].discards, table.turn, table.last_discard) == ([], 0, 0)


def test_an_added_kong_takes_the_place_of_its_pung() -> None:
    table = dealt()
    table.hear("melded", mj.Melded(seat=0, meld=mj.Meld(kind=mj.MELD_KIND_PUNG, tile=mj.TILE_1M, from_seat_plus_one=3)))
    table.hear("drew", mj.Drew(seat=0, tile=mj.TILE_1M, wall_left=50))
    table.hear("melded", mj.Melded(seat=0, meld=mj.Meld(kind=mj.MELD_KIND_ADDED_KONG, tile=mj.TILE_1M)))
    (meld,) = table.seats[0].melds
    assert meld.kind == mj.MELD_KIND_ADDED_KONG
    assert table.seats[0].count == 11


def test_a_view_sets_everything_anew() -> None:
    table = dealt()
    seat = mj.MahjongSeat(concealed_count=4, discards=tiles("2p"), void_suit=mj.SUIT_S)
    view = mj.MahjongView(hand=3, dealer=2, seats=[seat] * 4, wall_left=7, turn_plus_one=3, points=[1, -1, 0, 0], phase="play")
    table.hear("view", pb.View(mahjong=view, money=[5, 6, 7, 8], on_auto=[False, True, False, False]))
    assert (table.hand, table.dealer, table.turn, table.wall_left, table.money) == (3, 2, 2, 7, [5, 6, 7, 8])
    assert [one.on_auto for one in table.seats] == [False, True, False, False]
    assert names(table.seats[3].discards) == "2p"


def test_a_seat_that_another_took_is_there_again_with_their_money() -> None:
    table = dealt()
    table.hear("seat_changed", pb.SeatChanged(seat=2, on_auto=False, left=True))
    assert [seat.left for seat in table.seats] == [False, False, True, False]
    table.hear("seat_taken", pb.SeatTaken(seat=2, player_id="eve", money=[1, 2, 3, 4]))
    assert not any(seat.left for seat in table.seats)
    assert table.money == [1, 2, 3, 4]


def test_every_answer_that_an_offer_allows_is_listed() -> None:
    kong = mj.KongChoice(tile=mj.TILE_5P, kind=mj.MELD_KIND_CONCEALED_KONG)
    choices = mj.MahjongChoices(discards=tiles("1m 2p"), kongs=[kong], may_win=True)
    found = [(pb.Do.Name(act.do), tile_name(act.tile)) for act in legal(choices)]
    assert found == [("DO_WIN", ""), ("DO_KONG", "5p"), ("DO_DISCARD", "1m"), ("DO_DISCARD", "2p")]
    claim = mj.MahjongChoices(may_pung=True, may_pass=True)
    assert [pb.Do.Name(act.do) for act in legal(claim)] == ["DO_PUNG", "DO_PASS"]
    assert [acts.suit_name(act.suit) for act in legal(mj.MahjongChoices(void_suits=[mj.SUIT_M, mj.SUIT_S]))] == ["m", "s"]


def test_an_exchange_takes_three_tiles_of_one_suit_and_no_copy_that_is_not_held() -> None:
    found = acts.exchanges(tiles("1m 1m 2m 3p 4p 5p 6p"))
    assert [names(list(three)) for three in found] == ["1m 1m 2m", "3p 4p 5p", "3p 4p 6p", "3p 5p 6p", "4p 5p 6p"]
