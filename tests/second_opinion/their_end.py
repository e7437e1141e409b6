"""The end of a hand in pokerkit: the pots, and who gets what."""

from dataclasses import dataclass

from pokerkit import ChipsPushing

from tests.second_opinion.differences import Known, Seen
from tests.second_opinion.their_state import TextState


@dataclass(frozen=True, slots=True)
class Result:
    """How a hand ended. Cents, by players.

    `pots`: the cents of each and who contests it, the main pot first; empty where all others have folded. `pushed`:
    what each player got, by pot from 0 and by the kind of hand, 0 for the first. `stacks`: after the hand; None where
    a folded player's chips are divided, which pokerkit does not do.
    """

    pots: list[tuple[int, tuple[int, ...]]]
    pushed: dict[tuple[int, int], dict[int, int]]
    stacks: list[int] | None


def push(state: TextState, seen: Seen) -> None:
    """Push the pots; the half of a low hand that nobody in the pot has goes to the high hand."""
    pots = state._pots or []
    for one in pots if sum(state.statuses) == 1 else []:
        if not one.player_indices:
            seen[Known.POT_OF_NOBODY] += 1
            one.player_indices = (state.statuses.index(True),)
    parts: list[tuple[int, int, int | None, int | None]] = []
    for cents, pot, board, kind in state._sub_pots:
        if kind and parts and not any(state.get_up_hand(player, 0, kind) for player in pots[pot].player_indices):
            seen[Known.LOW_OF_ANOTHER_POT] += 1
            parts[-1] = (parts[-1][0] + cents, *parts[-1][1:])
        else:
            parts.append((cents, pot, board, kind))
    state._sub_pots[:] = parts
    while state.can_push_chips():
        state.push_chips()


def result_of(state: TextState, seen: Seen) -> Result:
    """The pots and who got what; what pokerkit gave back to a folded player is in the last pot."""
    pots, stacks = list(state.pots_at_showdown), list(state.stacks)
    pushed = {
        (one.pot_index, one.hand_type_index or 0): {player: cents for player, cents in enumerate(one.amounts) if cents}
        for one in state.operations
        if isinstance(one, ChipsPushing)
    }
    folded, excess = state.excess
    if not excess:
        return Result(pots, pushed, stacks)
    seen[Known.FOLDED_EXCESS] += 1
    if pots:
        pots[-1] = (pots[-1][0] + excess, pots[-1][1])
    last = pushed[max(pushed)]
    if len(last) > 1:
        return Result(pots, pushed, None)
    stacks[folded] -= excess
    for winner in last:
        last[winner] += excess
        stacks[winner] += excess
    return Result(pots, pushed, stacks)
