"""pokerkit's side of a hand: whose turn it is, what they may do, and how it ends.

Where pokerkit plays otherwise than the text, it is brought to the text at one place each, and `seen` counts how often
that decided something. All else is pokerkit's own: turn, amounts, pots, hands, shares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum

from tests.second_opinion import their_end
from tests.second_opinion.differences import Known, Seen
from tests.second_opinion.games import Opener
from tests.second_opinion.hands import Action, Hand, Options
from tests.second_opinion.openers import opener_of
from tests.second_opinion.their_cards import Feeder
from tests.second_opinion.their_state import SAME_OPENING, lifts_cap, new_state


class Barred(Enum):
    """Why a player may not raise."""

    NOT_REOPENED = "a raise after an all-in that was none"
    CAP = "a raise too many"
    NOBODY = "a raise that nobody can call"


class Theirs:
    """A hand in pokerkit. Players are numbered as in the `Hand`."""

    def __init__(self, hand: Hand, seen: Seen) -> None:
        self.hand = hand
        self.seen = seen
        self.state = new_state(hand, seen)
        self._feeder = Feeder(hand, self.state, seen)
        self._street = -1
        self._full = 0
        """The largest full bet or raise of the street, or the least there may be."""
        self._complete_to: int | None = None
        """The structured level, while an under-raise stands that may be raised to it."""
        self._lifted = False

    def catch_up(self, dealt: Mapping[str, Sequence[str]], passed: Mapping[int, Sequence[str]]) -> None:
        """Take the cards that have come to feltd's zones since, and open the betting round that follows them.

        `dealt`, `passed`: as in `Feeder.step`. Raises ValueError where pokerkit does not take a card.
        """
        while self.state.status and (self._check_idly() or self._feeder.step(dealt, passed)):
            pass
        if self.state.actor_index is not None and self._street != self.state.street_index:
            assert self.state.street_index is not None
            self._open_street(self.state.street_index)

    def result(self) -> their_end.Result:
        """How the hand ended."""
        return their_end.result_of(self.state, self.seen)

    # -- who acts

    def _open_street(self, street: int) -> None:
        state, hand = self.state, self.hand
        self._street = street
        self._full = hand.least_raise(street)
        self._complete_to = None
        opener = hand.opener(self._street)
        able = list(state.actor_indices)
        big = hand.big_blind
        if self._street == 0 and big is not None:
            begins, known = big + 1, Known.EQUAL_BLINDS
        elif opener is Opener.POSITION:
            return
        elif opener is Opener.AFTER_BLIND:
            begins, known = big + 1 if big is not None and state.statuses[big] else 0, Known.DRAW_OPENER
        else:
            begins = opener_of(opener, {player: self._showing(player) for player in sorted(able)})
            known = Known.OPENER
            theirs = state.opener_index
            if opener in SAME_OPENING and theirs is not None and state.stacks[theirs] and theirs != begins:
                raise ValueError(f"pokerkit opens with player {theirs}, by the text {begins} does")
        count = len(hand.seats)
        turned = sorted(able, key=lambda player: (player - begins) % count)
        if turned != able:
            self.seen[known] += 1
            state.actor_indices.clear()
            state.actor_indices.extend(turned)

    def _showing(self, player: int) -> list[str]:
        return [repr(card) for card in self.state.get_up_cards(player)]

    def options(self) -> Options | None:
        """What the player whose turn it is may do; None where nobody is to act."""
        state = self.state
        player = state.actor_index
        if player is None:
            return None
        owed = max(state.bets) - state.bets[player]
        must_bet = self.hand.game.must_bet and self._street == 0 and not self.hand.blinds
        if must_bet and not owed:
            self.seen[Known.MUST_BET] += 1
        return Options(
            player,
            state.stacks[player],
            owed,
            self._raises(player, owed),
            check=not must_bet,
            bet_made=self._bet_made,
        )

    @property
    def _bet_made(self) -> bool:
        return any(self.state.bets)

    def _check_idly(self) -> bool:
        """Pass over a player who owes nothing and has nobody left to bet against."""
        state = self.state
        player = state.actor_index
        if player is None or state.bets[player] < max(state.bets):
            return False
        if any(state.stacks[one] for one in state.player_indices if one != player and state.statuses[one]):
            return False
        self.seen[Known.IDLE_CHECK] += 1
        state.check_or_call()
        return True

    # -- amounts

    def _raises(self, player: int, owed: int) -> tuple[int, int] | None:
        """The least and the most for a bet or raise, in cents put in with it; None where there may be none."""
        self._lift_cap()
        state, hand = self.state, self.hand
        least = state.min_completion_betting_or_raising_to_amount
        most = state.max_completion_betting_or_raising_to_amount
        if least is None or most is None:
            return None
        if self._bet_made and player in state.acted_player_indices:
            self.seen[Known.SHORTS_ADD_UP] += 1
            return None
        paid, stack = state.bets[player], state.stacks[player]
        least, most = least - paid, most - paid
        if hand.game.raise_as_call and owed:
            by_text = min(stack, owed + self.full_raise(owed))
            self.seen[Known.RAISE_AS_CALL] += by_text != least
            least = by_text
        match hand.options["betting"]:
            case "pot":
                if self.lent_now:
                    pot = state.total_pot_amount - self.lent_now
                    most = min(stack, max(least, 2 * owed + pot))
            case "half_pot":
                self.seen[Known.HALF_POT] += 1
                most = min(stack, owed + (state.total_pot_amount - self.lent_now + owed) // 2)
            case "limit":
                self.seen[Known.SPREAD] += 1
                most = min(stack, owed + hand.options["table_max"])
            case "manila":
                self.seen[Known.SPREAD] += 1
                most = min(stack, owed + hand.bet * (4 if self._street == len(hand.game.streets) - 1 else 2))
        return (least, most) if least <= most else None

    @property
    def lent_now(self) -> int:
        """Lent chips that lie among the bets."""
        return self.state.lent[1] if self.state.lent is not None else 0

    @property
    def _most_raises(self) -> int | None:
        """Bets and raises that pokerkit lets be made in this betting round; None for any number."""
        return self.state.streets[self._street].max_completion_betting_or_raising_count

    def _lift_cap(self) -> None:
        """Where two players are left who have chips and the text lifts the cap, take pokerkit's away."""
        state = self.state
        if self._lifted or not lifts_cap(self.hand):
            return
        if sum(state.statuses[one] and state.stacks[one] > 0 for one in state.player_indices) > 2:
            return
        self._lifted = True
        if state.completion_betting_or_raising_count == self._most_raises:
            self.seen[Known.CAP_LIFTED] += 1
        state.streets = tuple(replace(street, max_completion_betting_or_raising_count=None) for street in state.streets)

    # -- what a player may not do

    def barred(self, may: Options) -> Barred | None:
        """Why the player whose turn it is may not raise; None where they may, or have not the chips."""
        state = self.state
        if may.stack <= may.owed:
            return None
        if may.bet_made and may.player in state.acted_player_indices:
            return Barred.NOT_REOPENED
        if state.completion_betting_or_raising_count == self._most_raises:
            return Barred.CAP
        others = [one for one in state.player_indices if one != may.player and state.statuses[one]]
        if all(state.stacks[one] + state.bets[one] <= max(state.bets) for one in others):
            return Barred.NOBODY
        return None

    def full_raise(self, owed: int) -> int:
        """A whole raise above a call of `owed`, in cents."""
        return max(self.hand.least_bet(self._street), owed) if self.hand.game.raise_as_call else self._full

    def next_player(self) -> tuple[int, int, int] | None:
        """The player who acts next if the one whose turn it is calls or checks, what they owe then, and their stack.

        None where nobody acts then: also where the next player owes nothing and has nobody left to bet against.
        """
        state = self.state
        if len(state.actor_indices) < 2:
            return None
        first, player = state.actor_indices[0], state.actor_indices[1]
        level = max(state.bets)
        owed = level - state.bets[player]
        left = {one: state.stacks[one] for one in state.player_indices if one != player and state.statuses[one]}
        left[first] = max(0, left[first] - (level - state.bets[first]))
        if not owed and not any(left.values()):
            self.seen[Known.IDLE_CHECK] += 1
            return None
        return player, owed, state.stacks[player]

    # -- actions

    def act(self, action: Action) -> None:
        """Carry out an action of the player whose turn it is. Raises ValueError where pokerkit does not take it."""
        state = self.state
        player = state.actor_index
        if player is None:
            raise ValueError("pokerkit has nobody to act")
        if action.word == "fold":
            state.fold()
        elif action.cents is None or action.cents <= max(state.bets) - state.bets[player]:
            state.check_or_call()
        else:
            self._raise(player, action.cents)

    def _raise(self, player: int, cents: int) -> None:
        state = self.state
        level, bet_made = max(state.bets), self._bet_made
        owed = level - state.bets[player]
        need = self._full
        if self.hand.game.raise_as_call and bet_made:
            need = self.full_raise(owed)
        if self._complete_to is not None:
            need = self._complete_to - level
        acted = set(state.acted_player_indices)
        state.complete_bet_or_raise_to(state.bets[player] + cents)
        if not state.actor_indices:
            return
        if not bet_made or cents - owed >= need:
            self._full = max(self._full, cents - owed)
            self._complete(None, level)
            return
        if self.hand.game.short_reopens:
            self._reopen(player, acted)
        elif state.acted_player_indices != acted | {player}:
            self.seen[Known.SHORT_OVER_BLIND] += 1
            state.acted_player_indices = acted | {player}
        if self._most_raises is not None:
            self.seen[Known.CAP_COUNTS_SHORT] += 1
            state.completion_betting_or_raising_count -= 1
        if self.hand.game.completes and self.hand.options["betting"] in {"limit", "structured"}:
            self.seen[Known.COMPLETES] += 1
            self._complete(self._complete_to or level + self._full, level + cents - owed)

    def _reopen(self, player: int, acted: set[int]) -> None:
        """Let all raise again after this player's short all-in, those who have acted too."""
        state = self.state
        self.seen[Known.SHORT_REOPENS] += bool(acted.intersection(state.actor_indices))
        state.acted_player_indices = {player}
        state.consecutive_short_all_in_amounts.clear()
        state.completion_betting_or_raising_amount = 0

    def _complete(self, to: int | None, level: int) -> None:
        """Let the least raise be one to this level; None: an ordinary one again."""
        if to is None and self._complete_to is None:
            return
        state, least = self.state, self._full
        self._complete_to = to
        if to is not None:
            least = to - level
            state.completion_betting_or_raising_amount = 0
        streets = list(state.streets)
        streets[self._street] = replace(streets[self._street], min_completion_betting_or_raising_amount=least)
        state.streets = tuple(streets)
