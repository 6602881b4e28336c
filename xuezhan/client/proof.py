"""A seat's part in the shuffle of every hand, and whether the server kept to what it had committed itself to before the deal.

Law: nothing is a fault that a lost connection, a restarted server or a slow program can cause. What a server did with bytes and hashes is
judged only on a connection that has been live since before the commitment, and by the order in which the server read and spoke.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.faults import Fault, FaultName
from xuezhan.client.hand_proof import HandProof
from xuezhan.client.offers import Offers
from xuezhan.client.receipts import Receipts
from xuezhan.client.record_keys import RecordKeys
from xuezhan.client.signed import digest
from xuezhan.client.statements import commitment_differs, deal_differs, hex_or_null, shown_by
from xuezhan.client.tickets import Place
from xuezhan.client.witness import Witness

OPERATOR: Final = "operator"


class DealProof:
    """The proof of one seat, hand by hand. What does not fit is added to `faults`."""

    def __init__(
        self,
        place: Place,
        player: str,
        say: Callable[[pb.Input], None],
        faults: list[Fault],
        receipts: Receipts | None = None,
        keys: RecordKeys | None = None,
    ) -> None:
        """`say` sends an input of this seat."""
        self.offers = Offers(say)
        self.hand: HandProof | None = None
        self._seat = place.seat
        self._table = place.table_id
        self._address = place.address
        self._player = player
        self._say = say
        self._faults = faults
        self._receipts = receipts
        self._keys = keys
        self._game = ""
        self._seats: list[str | None] | None = None

    # The connection.

    def attached(self, what: pb.Attached, place: Place, *, resumed: bool) -> None:
        """The seat is open on a stream. `resumed`: what it missed comes next, before anything new."""
        self._address = place.address
        self._game = what.room_id.partition("/")[0]
        if not resumed:
            self._seats = _players(what.seats)
        self.offers.attached(what.contribution_hash, resumed=resumed)
        if self._reveal() or resumed:
            self.offers.offer()

    def resynced(self) -> None:
        """What was missed comes next."""
        self.offers.lost_track()

    def detached(self) -> None:
        """The connection is gone."""
        self.offers.detached()

    def sent(self) -> None:
        """The own bytes have just been written to the stream."""
        hand = self.hand
        if hand is not None and hand.sent_on == self.offers.connection and not hand.sent_at:
            hand.note_sent()

    def elsewhere(self) -> None:
        """Another program plays the seat: this one does not know all that is done there."""
        if self.hand is not None and self._receipts is not None:
            self._receipts.elsewhere(self._table, self.hand.number, self._seat)

    # What the seat hears.

    def hear(self, name: str, what: Any) -> None:
        """Take in an event of the table."""
        match name:
            case "hand_committed":
                self._committed(what)
            case "contribution_revealed":
                self._revealed(what)
            case "deal_signed":
                self._deal_signed(what)
            case "contributed":
                self.offers.acknowledged(what.contribution_hash)
            case "seat_taken":
                if self._seats is not None and what.seat < len(self._seats):
                    self._seats[what.seat] = what.player_id or None
            case "hand_over":
                self._over(what)
            case "table_closed":
                self._no_end("the table closed")
            case "drew" | "dealt" | "exchanged" | "cards_dealt":
                self._shown(name, what)
            case _:
                pass

    def view(self, what: pb.View) -> None:
        """Take in a full view: what was missed is known from here on, but not how it came about."""
        self.offers.live = True
        if what.seats:
            self._seats = _players(what.seats)
        if what.HasField("committed") and what.HasField("over") and what.committed.hand > self.number:
            # It was over before this program, or this player, saw anything of it.
            self.hand = HandProof(what.committed, b"", Witness(self._seat), 0, 0.0, open=False)
        elif what.HasField("committed"):
            self._committed(what.committed, view=True)
        hand = self.hand
        if hand is None or not hand.open:
            return
        if what.HasField("deal_signed"):
            self._deal_signed(what.deal_signed)
        kind = what.WhichOneof("view")
        dealt = (what.mahjong.phase, what.mahjong.hand) if kind == "mahjong" else ("over", 0)
        if kind == "cards" and what.cards.turn_plus_one:
            dealt = "play", what.cards.hand
        if dealt[0] not in {"", "over"} and dealt[1] == hand.number:
            hand.settled = True
            hand.witness.look(getattr(what, str(kind)))
        if what.HasField("over"):
            self._over(what.over)
        elif dealt[0] == "over":
            # Before its deal, or after an end that was missed.
            hand.open, hand.sure = not hand.settled, bool(hand.digest)

    @property
    def number(self) -> int:
        """Return the number of the hand; 0 before the first."""
        return self.hand.number if self.hand is not None else 0

    def acted(self, stage: str, act: pb.Act, hand: int, offer: pb.Offer | None = None) -> None:
        """Keep what the player did in a hand: `sent`, `accepted` or `refused`."""
        if self._receipts is not None and hand:
            self._receipts.acted(self._table, hand, self._seat, stage, act, offer)

    # One hand.

    def _committed(self, what: pb.HandCommitted, *, view: bool = False) -> None:
        hand = self.hand
        if hand is not None and what.hand <= hand.number:
            if what.hand == hand.number and (what.commitment, what.contribution_hashes) != (
                hand.shown.commitment,
                hand.shown.contribution_hashes,
            ):
                self._keep(what.signed)
                self._fault(FaultName.RECOMMITTED, "two different commitments were shown")
            return
        if not view:
            self._no_end(f"hand {what.hand} was committed to")
        hashes = what.contribution_hashes
        own = hashes[self._seat] if self._seat < len(hashes) else b""
        missed = "" if view else self.offers.left_out(own)
        live_on = self.offers.connection if self.offers.live and not view else 0
        now = asyncio.get_running_loop().time()
        self.hand = HandProof(what, self.offers.take(own), Witness(self._seat), live_on, now)
        if missed:
            self._fault(FaultName.HASH_LEFT_OUT, missed)
        if what.HasField("signed"):
            self._read_commitment(self.hand, what)
        self._reveal()
        self.offers.offer()

    def _read_commitment(self, hand: HandProof, what: pb.HandCommitted) -> None:
        self._keep(what.signed)
        seats = self._seats if self.offers.live else None
        shown = shown_by(what, self._table, self._game, seats, self._keys.installation if self._keys else "")
        wrong, hand.commit = commitment_differs(what.signed.statement, shown, self._seat, self._player)
        hand.digest = digest(what.signed.statement)
        if wrong:
            self._fault(FaultName.BAD_STATEMENT, wrong)
        self._judge(hand, what.signed)

    def _reveal(self) -> bool:
        """Show the own bytes if they are due. An offer that follows tells, by its answer, that the server has read them."""
        hand = self.hand
        if hand is None or not hand.open or not hand.mine or hand.settled or not self.offers.connection:
            return False
        hand.sent_on, hand.sent_at, hand.asked = self.offers.connection, 0.0, self.offers.made
        self._say(pb.Input(reveal=pb.Reveal(contribution=hand.mine)))
        return True

    def _revealed(self, what: pb.ContributionRevealed) -> None:
        hand = self.hand
        if hand is None:
            return
        hashes = hand.shown.contribution_hashes
        hashed = hashes[what.seat] if what.seat < len(hashes) else b""
        if what.contribution and hashlib.sha256(what.contribution).digest() != hashed:
            self._fault(FaultName.BYTES_SWAPPED, f"other bytes were published for seat {what.seat} than those behind its hash")
        if what.contribution:
            hand.published[what.seat] = what.contribution
        elif what.seat == self._seat:
            self._withheld()
        hand.settled = hand.settled or what.seat == self._seat

    def _withheld(self) -> None:
        """The server says that it did not get this seat's bytes: was that possible?"""
        hand = self.hand
        dropped = hand.dropped(self.offers) if hand is not None else ""
        if dropped:
            self._fault(FaultName.BYTES_DROPPED, dropped)

    def _deal_signed(self, what: pb.DealSigned) -> None:
        hand = self.hand
        if hand is None or what.hand != hand.number or hand.bytes is not None:
            return
        self._keep(what.signed)
        commit = hand.commit if isinstance(hand.commit.get("hashes"), list) else {"hashes": hex_or_null(hand.shown.contribution_hashes)}
        wrong, said = deal_differs(what.signed.statement, commit, hand.digest)
        given = said.get("bytes")
        hand.bytes = given if isinstance(given, list) and len(given) == len(commit["hashes"]) else []
        if "bytes of seat" in wrong:
            self._fault(FaultName.BYTES_SWAPPED, wrong)
        elif wrong:
            self._fault(FaultName.BAD_STATEMENT, wrong)
        else:
            for seat in hand.published:
                if hand.bytes[seat] is None:
                    self._fault(FaultName.BYTES_DROPPED, f"the bytes of seat {seat} were shown, and left out of the deal")
            if hand.bytes[self._seat] is None:
                self._withheld()
        hand.settled = True
        self._judge(hand, what.signed)

    def _shown(self, name: str, what: Any) -> None:
        hand = self.hand
        if hand is None:
            return
        hand.settled = True
        hand.witness.hear(name, what)
        if name != "drew" or what.seat == self._seat:
            self._seen(name, what)

    # The end of a hand.

    def _over(self, what: pb.HandOver) -> None:
        hand = self.hand
        if hand is None or what.hand != hand.number or not hand.open:
            return
        hand.open, hand.settled = False, True
        self._seen("hand_over", what)
        if what.called_off and what.called_off != OPERATOR:
            self._fault(FaultName.CALLED_OFF, f"the hand was called off: {what.called_off}")
        if what.seed or not what.called_off:
            differs = hand.differs(what, self._table, self._game)
            if differs:
                self._fault(FaultName.OTHER_DEAL, differs)
        if hand.digest and hand.bytes is None and not what.called_off:
            self._fault(FaultName.BAD_STATEMENT, "the deal was not signed")

    def _no_end(self, then: str) -> None:
        hand = self.hand
        if hand is not None and hand.open and hand.sure:
            hand.open = False
            self._fault(FaultName.NO_END, f"{then} without an end of this one")

    # Statements, faults, receipts.

    def _judge(self, hand: HandProof, signed: pb.Signed) -> None:
        keys = self._keys
        if keys is None:
            return

        def judged(good: bool) -> None:
            if not good:
                self._fault(FaultName.BAD_SIGNATURE, f"no record key {signed.key_id} of the installation signed this statement", hand)
            elif keys.installation and hand.commit and hand.commit.get("installation") != keys.installation:
                self._fault(FaultName.BAD_STATEMENT, "the commit statement names another installation", hand)

        keys.judge(self._address, signed, judged)

    def _keep(self, signed: pb.Signed) -> None:
        if self._receipts is not None and signed.statement:
            self._receipts.statement(signed)

    def _seen(self, name: str, what: Any) -> None:
        if self._receipts is not None and self.hand is not None and (name != "exchanged" or what.gave):
            self._receipts.shown(self._table, self.hand.number, self._seat, self._player, name, what)

    def _fault(self, name: FaultName, text: str, hand: HandProof | None = None) -> None:
        """Note a fault, one of a kind a hand."""
        hand = hand or self.hand
        assert hand is not None, "before the first hand nothing is judged"
        if name not in hand.named:
            hand.named.add(name)
            self._faults.append(Fault(name, hand.number, text))


def _players(seats: Sequence[pb.SeatAssignment]) -> list[str | None]:
    return [seat.player_id or None for seat in seats]
