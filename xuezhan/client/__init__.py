"""Typed asynchronous client: queue for a room, play a seat, see what it did to one's coins.

A bot that plays one hand; run it with a player's token (`xuezhan token alice`) as its argument:

    import asyncio, random, sys
    from xuezhan.client import Client, legal

    async def play(token: str) -> None:
        async with Client(matchmaking="127.0.0.1:7100") as client:
            seat = await client.play(token, "crazy_xuezhan/mayou")
            print("seat", seat.place.seat, "of table", seat.table_id)
            async for number, name, what in seat:
                if name == "offer":
                    answer = await seat.act(random.choice(legal(what.mahjong)))
                    if answer.refused:
                        print("refused:", answer.refused, answer.detail)
                elif name == "won":
                    print("seat", what.seat, "won", what.multiple)
                elif name == "stage_settled":
                    print("money at the table:", list(what.money))
                elif name == "hand_over":
                    print("hand over, points", list(what.points), *seat.faults)

    asyncio.run(play(sys.argv[1]))

`Client` is one program's connections; `Seat` one seat, whatever becomes of the connection; `acts` makes answers; `table_model` gives a
picture of the table that is kept up from what is heard. `PlayStream` carries any number of seats over one stream: give `Client.play` a
listener and a thousand seats cost no more tasks than one. `Seat.faults` says what a server did that it must not do; `Client.receipts`
keeps what shows it.
"""

from xuezhan.client.acts import card_name, card_named, legal, tile_name, tile_named
from xuezhan.client.card_model import CardSeatModel, CardTableModel
from xuezhan.client.channels import Channels
from xuezhan.client.client import Client
from xuezhan.client.coins import Coins
from xuezhan.client.errors import ClientError
from xuezhan.client.faults import Fault, FaultName
from xuezhan.client.ledger import Ledger
from xuezhan.client.model import SeatModel, TableModel
from xuezhan.client.pictures import Picture, table_model
from xuezhan.client.receipts import Receipts
from xuezhan.client.seat import REGULAR_ENDS, SEAT_OVER, Heard, Seat
from xuezhan.client.stream import PlayStream
from xuezhan.client.tables import Tables
from xuezhan.client.tickets import Place, Tickets

__all__ = [
    "REGULAR_ENDS",
    "SEAT_OVER",
    "CardSeatModel",
    "CardTableModel",
    "Channels",
    "Client",
    "ClientError",
    "Coins",
    "Fault",
    "FaultName",
    "Heard",
    "Ledger",
    "Picture",
    "Place",
    "PlayStream",
    "Receipts",
    "Seat",
    "SeatModel",
    "TableModel",
    "Tables",
    "Tickets",
    "card_name",
    "card_named",
    "legal",
    "table_model",
    "tile_name",
    "tile_named",
]
