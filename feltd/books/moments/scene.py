"""A table at a moment, as one who makes a fault happen sees it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from feltd.books.moments.croupier import Croupier, StuckError
from feltd.books.moments.setting import EMPTY_SEAT
from feltd.books.moments.stream import Stream
from table_fsm.felt import BOARD
from table_fsm.rulebook import Rulebook

NO_CARD_DUE: Final = "no card is due"
NO_PLAYERS_CARD: Final = "no card to a player is due"
NO_HIDDEN: Final = "no card lies face down before a player in the round"
NO_BETTING: Final = "no betting is open"
NOT_BEFORE_DEAL: Final = "the cards are being dealt, or the pack is not ready to be"
NO_ROUND: Final = "no card has been dealt"
HOUSE: Final = "the players bet against the house, not against each other"
NOT_HOUSE: Final = "no wagers lie in boxes: the players bet against each other"


class CannotError(Exception):
    """The fault cannot happen at this moment. Its text says why."""


@dataclass(slots=True)
class Scene:
    """A stream at a moment, and what a fault needs to know of it."""

    stream: Stream
    croupier: Croupier
    spent_cards: frozenset[str] = frozenset()
    """Cards that a fault of the same round has concerned, and that this one is not to concern."""
    spent_seats: frozenset[int] = frozenset()

    @classmethod
    def of(cls, stream: Stream) -> "Scene":
        """The scene of a stream as it stands."""
        return cls(stream, Croupier(stream))

    # -- what is so

    @property
    def book(self) -> Rulebook:
        """The book in force."""
        return self.stream.setting.book

    @property
    def prompt(self) -> dict[str, Any]:
        """What the table asks for; empty if it asks for nothing."""
        return self.stream.prompt or {}

    @property
    def view(self) -> Mapping[str, Any]:
        """The public view of the table."""
        return self.stream.table.view()

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats of the table that have a player."""
        return tuple(seat["seat"] for seat in self.view["seats"])

    @property
    def live(self) -> list[int]:
        """Seats with cards that have not folded."""
        return [seat["seat"] for seat in self.view["seats"] if seat["cards"] and not seat["folded"]]

    @property
    def in_deal(self) -> list[int]:
        """Seats that get the cards which are dealt: every player's in the first deal, later those in the round."""
        first = self.view["street"] in (None, self.book.streets[0].name)
        return [seat for seat in self.seats if seat not in self.folded] if first else self.live

    @property
    def in_round(self) -> bool:
        """Whether a card of the round lies on the layout."""
        return any(self.stream.layout.zones.values())

    @property
    def house(self) -> bool:
        """Whether the house banks the game."""
        return self.book.banked == "house"

    @property
    def folded(self) -> list[int]:
        """Seats that have folded."""
        return [seat["seat"] for seat in self.view["seats"] if seat["folded"]]

    def spend(self, deeds: Iterable[Mapping[str, Any]], seats: Iterable[int]) -> None:
        """Remember the cards and seats that these deeds of a fault concern, and these seats, in place of all before."""
        deeds = list(deeds)
        of_zones = [str(deed["zone"])[5:] for deed in deeds if str(deed.get("zone")).startswith("seat:")]
        said = [deed["seat"] for deed in deeds if isinstance(deed.get("seat"), int)]
        self.spent_cards = frozenset(deed["card"] for deed in deeds if deed.get("card"))
        self.spent_seats = frozenset({*map(int, of_zones), *said, *seats})

    def unspent(self, zone: str) -> list[str]:
        """The cards of a zone that lie face down, but those that an earlier fault has concerned."""
        return [card for card in self.stream.layout.down(zone) if card not in self.spent_cards]

    def other_seat(self, seats: Iterable[int], none: str) -> int:
        """The first of these seats that no earlier fault has concerned; raises CannotError with the reason `none`."""
        return next((seat for seat in seats if seat not in self.spent_seats), 0) or self.cannot(none)

    def hidden(self, besides: int | None = None) -> int:
        """A seat in the round with a card that lies face down; raises CannotError."""
        seats = [seat for seat in self.live if seat != besides and self.unspent(f"seat:{seat}")]
        others = [seat for seat in seats if seat not in self.spent_seats]
        return (others or seats)[0] if seats else self.cannot(NO_HIDDEN)

    def hole(self, seat: int) -> str:
        """The last card that came face down to a seat."""
        return self.unspent(f"seat:{seat}")[-1]

    @property
    def free_board(self) -> str | None:
        """The next empty place of the board."""
        return next((zone for zone in BOARD if not self.stream.layout.at(zone)), None)

    # -- what must be so

    def cannot(self, reason: str) -> NoReturn:
        """Raise CannotError."""
        raise CannotError(reason)

    def need(self, so: bool, reason: str) -> None:
        """Raise CannotError with this reason unless `so`."""
        if not so:
            raise CannotError(reason)

    def need_card_due(self) -> str:
        """The zone of the card that is due: a player's, the board's, or the burn. Raises CannotError."""
        if "burn" in self.prompt:
            return "burn"
        zone = self.prompt.get("deal")
        return self.free_board or self.cannot(NO_CARD_DUE) if zone == "board" else zone or self.cannot(NO_CARD_DUE)

    def need_player_due(self) -> int:
        """The seat whose card is due. Raises CannotError."""
        zone = str(self.prompt.get("deal", ""))
        self.need(zone.startswith("seat:"), NO_PLAYERS_CARD)
        return int(zone.removeprefix("seat:"))

    def need_betting(self) -> int:
        """The seat whose turn it is. Raises CannotError."""
        self.need(not self.house, HOUSE)
        self.need(self.stream.setting.keys, "without a keypad the table hears of no action")
        self.need("act" in self.prompt, NO_BETTING)
        return int(self.prompt["act"])

    def need_owed(self) -> int:
        """What the player whose turn it is has to put in, more than nothing. Raises CannotError."""
        owes = self.prompt.get("owes")
        return int(owes) if owes else self.cannot("the player has nothing to meet")

    def owed_by(self, seat: int) -> int:
        """What a player has to put in to meet the most, in cents, on the street that is open."""
        due = self.prompt.get("act")
        put_in = self._put_in()
        most = put_in.get(due, 0) + int(self.prompt.get("owes") or 0)
        return max(0, most - put_in.get(seat, 0))

    def _put_in(self) -> dict[Any, int]:
        """What each player has put in on the street; antes are no part of it."""
        total: dict[Any, int] = {}
        for deed in reversed(self.stream.done):
            if deed["ev"] in ("betting.closed", "hand.end"):
                break
            if deed["ev"] == "action" and deed["action"] != "ante":
                total[deed["seat"]] = total.get(deed["seat"], 0) + int(deed.get("cents") or 0)
        return total

    def need_round(self) -> None:
        """Raise CannotError unless a card of the round lies on the layout."""
        self.need(self.in_round, NO_ROUND)

    def need_ready(self) -> None:
        """Raise CannotError unless the pack is shuffled and no card has been dealt."""
        self.need(not self.in_round and next(iter(self.prompt), "") in _READY, NOT_BEFORE_DEAL)

    def need_house(self) -> None:
        """Raise CannotError unless the house banks the game."""
        self.need(self.house, NOT_HOUSE)

    # -- what is done

    def do(self, ev: str, **fields: Any) -> None:
        """One event of the fault."""
        self.stream.do(ev, **fields)

    def at_a_time(self, held: int) -> int:
        """How many cards a player who has so many gets at once in the deal."""
        whole = 0
        for step in self.book.streets[0].deal:
            if step.to == "seats":
                whole += step.cards
                if held < whole:
                    return min(step.at_a_time, whole - held)
        return 1

    def deal(
        self,
        zone: str,
        *,
        card: str | None = None,
        face: str | None = None,
        boxed: bool = False,
        from_shoe: bool = True,
    ) -> str:
        """A card to a zone, as it is due but for what is said otherwise; returns its name. Raises CannotError."""
        stream = self.stream
        name = card or stream.layout.draw()
        if name is None:
            self.cannot("no card is left")
        due = self.prompt.get("face") if self.prompt.get("deal") == zone else None
        usual = "up" if zone.startswith("board") and not self.house else "down"
        lies = face or due or usual
        if from_shoe:
            stream.do("shoe.card", card=name, face="up" if boxed else "down", deck=stream.deck)
        stream.do("card.placed", zone=zone, card=name, face=lies, deck=stream.deck)
        return name

    def pay_stakes(self) -> None:
        """Blinds, antes or wagers as they are asked for."""
        for _ in range(4):
            if next(iter(self.prompt), "") not in ("post", "ante", "wagers"):
                return
            self.croupier.step()

    def first_card(self) -> None:
        """Stakes, and the first card where it belongs, whatever the table asks for first."""
        self.pay_stakes()
        zone = self.prompt.get("deal") or ("board:1" if self.house else f"seat:{self.first_seat()}")
        self.deal(zone, face="down")

    def first_seat(self) -> int:
        """The seat that gets the first card."""
        seats, button = self.seats, self.view["button"] or 0
        least = button if self.book.button.marker == "buck" else button + 1
        return next((seat for seat in seats if seat >= least), seats[0])

    def wrong_button(self) -> int:
        """A seat at which the button is wrong: not where it lies, nor where it lies in the next round.

        Raises CannotError where there is none.
        """
        seats, button = self.seats, self.view["button"] or 0
        following = next((seat for seat in seats if seat > button), seats[0])
        wrong = (seat for seat in reversed(seats) if seat not in (button, following))
        return next(wrong, 0) or self.cannot("the only other seat is the next round's right one")

    def goes_on(self) -> None:
        """What is asked for next is done. Raises CannotError where that cannot be."""
        try:
            self.croupier.step()
        except StuckError as stuck:
            raise CannotError(str(stuck)) from None

    def after(self, seat: int) -> int:
        """The next live seat clockwise, or the next that gets cards while they are dealt. Raises CannotError."""
        ring = sorted({*(self.live if self.live and "act" in self.prompt else self.in_deal), seat})
        later = [other for other in ring if other > seat] + [other for other in ring if other < seat]
        return later[0] if later else self.cannot("there is no other player")

    @property
    def empty_seat(self) -> int:
        """A seat without a player; raises CannotError."""
        free = (seat for seat in (EMPTY_SEAT, *reversed(range(1, 11))) if seat not in self.seats)
        return self.other_seat(free, "every seat has a player")


_READY: Final = frozenset({"cut", "post", "ante", "wagers", "deal"})
