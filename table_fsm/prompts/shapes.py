"""The JSON objects of prompts, one shape for each type in `table_fsm.prompts.types`.

Keys and values are part of the table's stable boundary: docs/table-events.md lists them. A key that is not required is
absent where there is nothing to say.
"""

from typing import Literal, NotRequired, TypeAlias

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # before Python 3.12 pydantic refuses the one of `typing`

from table_fsm.felt import Face

OpeningCards: TypeAlias = Literal["low_card", "high_card", "high_hand", "low_hand"]
Amounts: TypeAlias = dict[str, int | None]
"""Cents, or a tournament's points, by seat number; null where the amount is not known."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class Shape(TypedDict):
    """A JSON object that has these keys. A later version may add some; it renames none."""


class DealJson(Shape):
    """Deal the next card."""

    deal: str
    """The zone that the card goes to."""
    face: Face


class DealMixedJson(Shape):
    """Put a card of the mixed four back, as a card of the flop."""

    deal: Literal["board"]
    face: Literal["up"]


class BurnJson(Shape):
    """Burn cards."""

    burn: int
    """How many are still to be burnt."""


class RemoveJson(Shape):
    """Take back a card."""

    remove: str
    """The zone that the card lies in."""


class TurnJson(Shape):
    """Turn cards face up."""

    turn: list[str]
    """The zones whose cards are to be turned."""


class MoveToBurnJson(Shape):
    """Put a card of the board on the burn pile."""

    move: str
    """The zone that the card lies in."""
    to: Literal["burn"]


class MixFlopJson(Shape):
    """Mix the four cards of the flop face down; one becomes the next burn card."""

    mix: list[str]
    """The zones that the four lie in."""


class CheckPackJson(Shape):
    """Check the pack, card by card."""

    check: str | None
    """The pack's colour, null where it is not known."""


class ShuffleJson(Shape):
    """Shuffle the pack."""

    shuffle: str | None
    """The pack's colour, null where it is not known."""


class ShuffleStubJson(Shape):
    """Shuffle the undealt cards."""

    shuffle_stub: Literal[True]


class CutJson(Shape):
    """Have the cards cut."""

    cut: Literal[True]
    by: NotRequired[str]
    """The seat's zone, where one player has the right to cut."""


class MoveButtonJson(Shape):
    """Move the button."""

    move: Literal["button"]
    to: int
    """The seat."""


class DrawForButtonJson(Shape):
    """Begin the draw for the button."""

    draw: Literal["button"]


class WagersJson(Shape):
    """Have the players place their wagers."""

    wagers: Literal[True]


class PostJson(Shape):
    """Have the blinds posted."""

    post: Amounts


class AnteJson(Shape):
    """Have the antes put in."""

    ante: Amounts


class OpenJson(Shape):
    """Have the player open whose cards showing say so; not all of them were read."""

    open: OpeningCards


class ActJson(Shape):
    """Have a player act."""

    act: int
    """The seat."""
    owes: int | None
    """What a call takes; null where it is not known."""
    check: NotRequired[Literal[False]]
    """Present where the player may not check though nothing is owed."""
    check_beats: NotRequired[list[int]]
    """Seats whose open cards the player must beat to check."""
    return_bet: NotRequired[Amounts]
    """A bet that goes back."""


class CloseJson(Shape):
    """Close the betting round."""

    close: Literal["betting"]
    return_bet: NotRequired[Amounts]
    """A bet that goes back."""


class DecideJson(Shape):
    """Have players decide: to play or to check or fold, against the house."""

    decide: list[int]
    """The seats."""


class DrawCardsJson(Shape):
    """Ask a player how many cards they replace."""

    draw: int
    """The seat."""


class GiveUpJson(Shape):
    """Have players give up cards, for which they get none."""

    give_up: list[int]
    """The seats that hold too many."""
    count: int
    """How many cards each player gives up."""


class ShowJson(Shape):
    """Have players show their hands."""

    show: list[int]
    """The seats, in order."""
    by_key: NotRequired[Literal[True]]
    """Present where no reader sees that a hand lies open: the dealer presses the key for each that does."""


class CollectJson(Shape):
    """Push the pots or settle, and collect the cards."""

    collect: Literal[True]


class WaitJson(Shape):
    """Wait."""

    wait: Literal["floor", "go", "players"]
    """For a person's decision; for the director, hand for hand; for players."""


PromptJson: TypeAlias = (
    DealJson
    | DealMixedJson
    | BurnJson
    | RemoveJson
    | TurnJson
    | MoveToBurnJson
    | MixFlopJson
    | CheckPackJson
    | ShuffleJson
    | ShuffleStubJson
    | CutJson
    | MoveButtonJson
    | DrawForButtonJson
    | WagersJson
    | PostJson
    | AnteJson
    | OpenJson
    | ActJson
    | CloseJson
    | DecideJson
    | DrawCardsJson
    | GiveUpJson
    | ShowJson
    | CollectJson
    | WaitJson
)
