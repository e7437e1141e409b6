"""What the dealer is asked to do next: every type of prompt.

A prompt's shape, its type, and how it is read back stand side by side in the module of its matter. `to_json` gives the
object that stands under `prompt` in an output, `read` the prompt of such an object, as far as its keys tell it. Amounts
are cents, or a tournament's points, None where they are not known; seats are numbers, zones those of events.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final, TypeAlias, get_args

from table_fsm.felt import Face
from table_fsm.prompts.cards import Burn, Deal, DealMixed, MixFlop, MoveToBurn, Remove, Turn
from table_fsm.prompts.ending import Collect, Show, Wait, WaitReason
from table_fsm.prompts.opening import Ante, DrawForButton, MoveButton, Post, Wagers
from table_fsm.prompts.pack import CheckPack, Cut, Shuffle, ShuffleStub
from table_fsm.prompts.players import Act, Close, Decide, DrawCards, GiveUp, Open, ReturnBet

__all__ = [
    "PROMPTS",
    "Act",
    "Ante",
    "Burn",
    "CheckPack",
    "Close",
    "Collect",
    "Cut",
    "Deal",
    "DealMixed",
    "Decide",
    "DrawCards",
    "DrawForButton",
    "GiveUp",
    "MixFlop",
    "MoveButton",
    "MoveToBurn",
    "Open",
    "Post",
    "Prompt",
    "Remove",
    "ReturnBet",
    "Show",
    "Shuffle",
    "ShuffleStub",
    "Turn",
    "Wagers",
    "Wait",
    "WaitReason",
    "act",
    "deal",
    "decide",
    "turn",
]  # fmt: skip

deal: Final[Callable[[str, Face], Deal]] = cache(Deal)
"""Make a `Deal`. Most events ask for one again that was made before: this costs a fourth, and it is the same object."""
act: Final[Callable[[int, int | None, bool, tuple[int, ...], ReturnBet | None], Act]] = lru_cache(maxsize=512)(Act)
decide: Final[Callable[[tuple[int, ...]], Decide]] = lru_cache(maxsize=512)(Decide)
turn: Final[Callable[[tuple[str, ...]], Turn]] = lru_cache(maxsize=512)(Turn)
"""Make an `Act`, a `Decide` and a `Turn` in the same way; there are many of them, so that not all are kept."""

Prompt: TypeAlias = (
    Deal
    | DealMixed
    | Burn
    | Remove
    | Turn
    | MoveToBurn
    | MixFlop
    | CheckPack
    | Shuffle
    | ShuffleStub
    | Cut
    | MoveButton
    | DrawForButton
    | Wagers
    | Post
    | Ante
    | Open
    | Act
    | Close
    | Decide
    | DrawCards
    | GiveUp
    | Show
    | Collect
    | Wait
)
PROMPTS: Final[tuple[type[Prompt], ...]] = get_args(Prompt)
"""Every type of prompt."""
