"""The cards of a hand, from feltd's zones to pokerkit."""

from collections.abc import Mapping, Sequence

from pokerkit import Card

from tests.second_opinion import their_end
from tests.second_opinion.differences import Known, Seen
from tests.second_opinion.hands import Hand
from tests.second_opinion.their_state import CARDS, TextState


class Feeder:
    """Gives pokerkit the cards that lie at feltd's table, as far as it wants them."""

    def __init__(self, hand: Hand, state: TextState, seen: Seen) -> None:
        self._hand = hand
        self._state = state
        self._seen = seen
        self._known: dict[str, int] = {}
        """How many cards of each zone pokerkit has been given."""
        self._given_up = False

    def step(self, dealt: Mapping[str, Sequence[str]], passed: Mapping[int, Sequence[str]]) -> bool:
        """Take one step towards the next action; False where pokerkit waits for that, or for cards.

        `dealt`: all cards that ever came to a zone, in order. `passed`: what each player has replaced or given up.
        Raises ValueError where pokerkit does not take a card.
        """
        state = self._state
        if state.showdown_index is not None:
            state.show_or_muck_hole_cards(True)
        elif (player := state.stand_patter_or_discarder_index) is not None:
            if player not in passed:
                return False
            state.stand_pat_or_discard(tuple(CARDS[name] for name in passed[player]))
        elif (player := state.hole_dealee_index) is not None:
            return self._to_player(player, dealt)
        elif state.can_push_chips():
            their_end.push(state, self._seen)
        elif state.board_dealing_count:
            return self._give_up(passed) and self._to_board(state.board_dealing_count, dealt)
        else:
            return False
        return True

    def _to_player(self, player: int, dealt: Mapping[str, Sequence[str]]) -> bool:
        zone = f"seat:{self._hand.seats[player]}"
        known, count = self._known.get(zone, 0), len(self._state.hole_dealing_statuses[player])
        cards = _cards(dealt.get(zone, ())[known : known + count])
        if len(cards) < count:
            return False
        self._known[zone] = known + count
        self._state.deal_hole(cards, player)
        return True

    def _to_board(self, count: int, dealt: Mapping[str, Sequence[str]]) -> bool:
        there = len(self._state.board_cards)
        zones = [f"board:{number}" for number in range(there + 1, there + count + 1)]
        if any(zone not in dealt for zone in zones):
            return False
        self._state.deal_board(_cards([dealt[zone][0] for zone in zones]))
        return True

    def _give_up(self, passed: Mapping[int, Sequence[str]]) -> bool:
        """Take the cards that were given up out of pokerkit's hands; False while they are still to be given up."""
        state = self._state
        assert state.street_index is not None
        if self._given_up or not self._hand.game.streets[state.street_index].gives_up:
            return True
        live = [player for player in state.player_indices if state.statuses[player]]
        if not passed.keys() >= set(live):
            return False
        self._given_up = True
        self._seen[Known.GIVE_UP] += 1
        for player in live:
            for card in _cards(passed[player]):
                state.hole_card_statuses[player].pop(state.hole_cards[player].index(card))
                state.hole_cards[player].remove(card)
                state.mucked_cards.append(card)
        return True


def _cards(names: Sequence[str]) -> tuple[Card, ...]:
    return tuple(CARDS[name] for name in names)
