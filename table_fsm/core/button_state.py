"""State of the button in a round."""

from dataclasses import dataclass

from table_fsm.core.standing import ButtonSpots


@dataclass(slots=True)
class ButtonState:
    """The button of one round, and the draw for it before the first one."""

    seat: int | None = None
    """The button's seat by which the round is dealt; None until the first card to a player."""
    choice: tuple[int, int] | None = None
    """Expected and reported seat of the button where they differ.

    The first card shows by which of them the dealer deals.
    """
    found: str = ""
    """The fact `moved` of a button at a wrong seat on which the hand plays on; else empty."""
    spots: ButtonSpots | None = None
    """With a dead button: where button and blinds are in this hand."""
    cards: dict[int, str] | None = None
    """Cards dealt for the button, by seat, while the draw goes on; empty for a card nobody read."""
