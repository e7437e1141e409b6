"""What each decision does, in words: the text beside its button."""

from typing import assert_never

from feltd.text.catalogue import say
from table_fsm.felt import Decision


def effect_of(decision: Decision) -> str:
    """Return what happens when a person takes this decision, in whole sentences."""
    match decision:
        case Decision.ACKNOWLEDGE:
            return say("The alarm is silent and does not escalate. Its cause remains until it is put right.")
        case Decision.CONFIRM:
            return say("The ruling stands as it was given, and waits no more.")
        case Decision.OVERRULE:
            return say(
                "The outcome that you choose takes the ruling's place. What followed from the ruling is undone where "
                "the round still allows it."
            )
        case Decision.MISDEAL:
            return say(
                "The round ends at once and does not count. The cards are collected and shuffled. Blinds and antes "
                "stand only where the rulebook says so."
            )
        case Decision.VOID:
            return say(
                "The round ends at once and does not count. The cards are collected and shuffled. Everything that was "
                "wagered goes back."
            )
        case Decision.EXCLUDE:
            return say(
                "The player's hand is out of this round: dead, or void with its wagers returned in a game against the "
                "house. Everybody else plays on."
            )
        case Decision.PLAY_ON:
            return say("Whatever waits for a decision is decided: nothing more is done about it, and play goes on.")
        case Decision.RESUME:
            return say("Play goes on after a fault that is cleared and acknowledged.")
        case Decision.CHECK_DECK:
            return say("The deck is counted before the next round. A ruling that waits goes on waiting.")
        case _:
            assert_never(decision)
