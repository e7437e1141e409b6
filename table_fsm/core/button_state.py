"""What a table remembers of the button in a round."""

from dataclasses import dataclass

from table_fsm.core.standing import ButtonSpots


@dataclass(slots=True)
class ButtonState:
    """The button of one round, and the draw for it before the first one."""

    seat: int | None = None
    """By which button the round is dealt: known from the first card to a player on."""
    choice: tuple[int, int] | None = None
    """Expected and reported button where they differ: the first card tells by which one the dealer deals."""
    found: str = ""
    """How a button at a wrong seat, on which the hand plays on, came to be there; empty where none was found."""
    spots: ButtonSpots | None = None
    """With a dead button: where button and blinds are in this hand."""
    cards: dict[int, str] | None = None
    """While cards are dealt for the button: each seat's, empty where nobody read it."""
