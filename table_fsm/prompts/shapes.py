"""The JSON objects of prompts, one shape for each type.

Keys and values are part of the table's stable boundary: docs/table-events.md lists them. A key that is not required is
absent where there is nothing to say.
"""

from typing import TypeAlias

from table_fsm.prompts.cards import BurnJson, DealJson, DealMixedJson, MixFlopJson, MoveToBurnJson, RemoveJson, TurnJson
from table_fsm.prompts.ending import CollectJson, ShowJson, WaitJson
from table_fsm.prompts.opening import AnteJson, DrawForButtonJson, MoveButtonJson, PostJson, WagersJson
from table_fsm.prompts.pack import CheckPackJson, CutJson, ShuffleJson, ShuffleStubJson
from table_fsm.prompts.players import ActJson, CloseJson, DecideJson, DrawCardsJson, GiveUpJson, OpeningCards, OpenJson
from table_fsm.prompts.shape import Amounts, Shape

__all__ = ["Amounts", "OpeningCards", "PromptJson", "Shape"]

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
