"""Where pokerkit's `State` plays otherwise than a book's text: each place by name, with its reason."""

from collections import Counter
from enum import Enum
from typing import TypeAlias


class Known(Enum):
    """A place where pokerkit differs and the text decides. The value says where; what; by which clause."""

    LENT_BLIND = (
        "a short big blind: pokerkit asks for the largest blind that was put in, the text for the whole big blind "
        "(Onyx, Blinds 3; ours elsewhere). pokerkit is lent the missing chips while the bets of the first round lie."
    )
    ANTE_AFTER_BLIND = (
        "the big blind's ante: pokerkit takes an ante before the blind, The Star 7.14 the blind first. pokerkit is "
        "given the ante that is left."
    )
    IDLE_CHECK = (
        "nobody to bet against: pokerkit asks a player for a check when all others are all in for no more; by the text "
        "the round is over once all bets are met (TAS C 12.3(b), ACT 9.3(b))."
    )
    SHORTS_ADD_UP = (
        "short all-ins that add up: to pokerkit several make a full raise together, and open the betting again; by the "
        "text each is no raise (TAS C 16.3, ACT 13.4, Onyx Raise Requirements 5)."
    )
    SHORT_REOPENS = (
        "a raise after a short all-in: pokerkit bars those who have acted; by TAS B 11.1(b), (c) each player in turn "
        "may call and raise until the bets are equal. pokerkit forgets who has acted and how much was raised before."
    )
    SHORT_OVER_BLIND = (
        "a short all-in over a blind, or over a short bet: pokerkit counts it as a raise; by the text a raise is not "
        "less than the opening bet, which the blind is (TAS C 7.3, ACT 5.1)."
    )
    CAP_COUNTS_SHORT = (
        "the number of raises: pokerkit counts a short all-in as one; by the text it is none (TAS C 16.2, 16.3, ACT "
        "13.4)."
    )
    CAP_LIFTED = (
        "the number of raises between two players: pokerkit's holds for them too, and where all others are all in; the "
        "text lifts it for two who contest a pot (TAS C 7.1, ACT 5.1; Onyx for the last two of a tournament, Raise "
        "Requirements 4)."
    )
    HALF_POT = (
        "half pot: pokerkit has no such limit. Half of its pot with the call in it is taken (TAS B 5.4, ACT 4.3(h))."
    )
    SPREAD = (
        "a least and a greatest bet: pokerkit has one size or none. The greatest is reckoned from its bets (ACT A 3.2; "
        "the option table_max)."
    )
    COMPLETES = (
        "an under-raise at fixed or structured limits: pokerkit asks for a whole bet above the all-in; by TAS C 16.2 "
        "the raise is to the structured level."
    )
    RAISE_AS_CALL = (
        "the least raise: pokerkit asks for the raise before it, TAS B 11.1(b)(ii) for the amount to call, and the "
        "minimum wager at least. The least raise is reckoned from pokerkit's call."
    )
    OPENER = (
        "who opens a round of stud: pokerkit has other cards or breaks ties by suit, and lets an all-in hand open; by "
        "the text ties go by position (TAS B 11.1(a), ACT D 1.2), and who is all in takes no part (TAS B 13.1, ACT "
        "13.1)."
    )
    EQUAL_BLINDS = (
        "two equal blinds between two players: pokerkit begins with the big blind; by the text the player behind it "
        "does, who has the button (Onyx, Dealer Button 3)."
    )
    DRAW_OPENER = (
        "the second round of Draw Poker: pokerkit begins behind the button; by ACT B 1.2 behind the last blind, and by "
        "B 1.3 at the buck where that player is inactive."
    )
    FOLDED_EXCESS = (
        "a folded bet that nobody matched: pokerkit gives it back to the player who folded; by the text the pot is all "
        "that was bet, and a folded hand has no claim to it (TAS A, Pot; C 12.3(a), ACT 9.3(a))."
    )
    POT_OF_NOBODY = (
        "the last hand left is all in for less than the others put in before they folded: pokerkit gives it no part in "
        "the pot and stops; by the text the last active player wins the pot, which is all that was bet (TAS A, Pot; C "
        "12.3(a), ACT 9.3(a))."
    )
    LOW_OF_ANOTHER_POT = (
        "high and low: where nobody in a side pot has a low hand, and somebody in another pot has, pokerkit divides "
        "half the side pot among all who are in it; by the text the high hand takes it (ACT 3.5(d), 13.2)."
    )
    GIVE_UP = "Pineapple: pokerkit replaces what is discarded. The card given up is taken out of its hands."
    MUST_BET = (
        "a check in the first round: in pokerkit who owes nothing may check; by the text nobody may where there is no "
        "blind (TAS B 12.1, C 13.1, ACT 10.1; Razz 2)."
    )

    @property
    def title(self) -> str:
        """Where it differs."""
        return self.value.partition(":")[0]


Seen: TypeAlias = Counter[Known]
"""How often each difference has decided something."""
