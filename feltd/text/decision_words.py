"""What each decision does, in words: the text beside its button."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from table_fsm.felt import Decision

EFFECTS: Final[Mapping[Decision, str]] = MappingProxyType(
    {
        Decision.ACKNOWLEDGE: "The alarm is silent and does not escalate. Its cause remains until it is put right.",
        Decision.CONFIRM: "The ruling is confirmed. It needs no further decision.",
        Decision.OVERRULE: "The outcome that you choose takes the ruling's place. What followed from the ruling is "
        "undone where the round still allows it.",
        Decision.MISDEAL: "The round ends at once and does not count. The cards are collected and shuffled. Blinds and "
        "antes stand only where the rulebook says so.",
        Decision.VOID: "The round ends at once and does not count. The cards are collected and shuffled. Everything "
        "that was wagered goes back.",
        Decision.EXCLUDE: "The player's hand is out of this round: dead, or void with its wagers returned in a game "
        "against the house. Everybody else plays on.",
        Decision.PLAY_ON: "Every ruling that waits is settled without further action. "
        "Play goes on unless something else stops it.",
        Decision.RESUME: "Play goes on after a fault that is cleared and acknowledged.",
        Decision.SHELVE: "The alarm is hidden and does not escalate until the time is over. Then it comes back.",
        Decision.UNSHELVE: "The alarm is shown again at once.",
        Decision.CHECK_DECK: "The deck is counted before the next round. A ruling that waits goes on waiting.",
    }
)
"""Whole sentences, by decision."""
