"""The player who is called: the one whose bet another player has met (ACT 2001, 12.1)."""

from dataclasses import dataclass


@dataclass(slots=True)
class Called:
    """The seat that was called, on this street and in the last betting round that was held.

    A blind is no bet. Who raises has met the bet before. An all-in short of a raise is a bet that others meet.
    """

    bettor: int | None = None
    """The seat whose bet is to be met; None where nobody has bet on this street, or it is not known who."""
    on_street: int | None = None
    """The seat that was called last on this street; None for nobody."""
    in_final_round: int | None = None
    """The seat that was called last in the last betting round that was held and is over; None for nobody."""

    def open_street(self) -> None:
        """Begin a street, on which nobody has bet."""
        self.forget()

    def close_street(self) -> None:
        """Note who was called, once a street on which players could bet is over."""
        self.in_final_round = self.on_street

    def bet(self, seat: int) -> None:
        """Note a bet or raise, or an all-in above the bet."""
        self.meet(seat)
        self.bettor = seat

    def meet(self, seat: int) -> None:
        """Note that the seat has met the bet, or is all in with less."""
        if self.bettor not in {None, seat}:
            self.on_street = self.bettor

    def take_back_bet(self, bettor: int | None) -> None:
        """Note that the last bet goes back. `bettor`: whose bet was to be met before it."""
        self.bettor = bettor

    def forget(self) -> None:
        """Forget who was called on this street, because an all-in of unknown size may be a raise."""
        self.bettor = self.on_street = None
