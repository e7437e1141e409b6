"""Which card it may be that left a zone, or came to rest, where no reader has read its name."""

from collections.abc import Collection, Sequence

from table_fsm.poker.cards.places import HeldCard, Leaves, LiftedCard


def may_have_left(cards: Sequence[HeldCard], leaves: Leaves) -> Sequence[HeldCard]:
    """The cards of a zone of which one has left without a name; the first is taken for it.

    The zone must hold a card.
    """
    ups = [held for held in cards if held.up]
    if leaves is Leaves.LAST_OPEN and ups:
        return ups[-1:]
    down = [held for held in cards if not held.up]
    return cards if leaves is Leaves.ANY or not down else down


def any_of(cards: Collection[HeldCard]) -> frozenset[str]:
    """The names of which each of these cards has one; none where a card may have any."""
    names = [held.possible for held in cards]
    return frozenset().union(*names) if all(names) else frozenset()


def lifted_index(
    lifted: Sequence[LiftedCard],
    card: str | None,
    *,
    readable: bool,
    named_only: bool,
    only_from: str | None = None,
    newest: bool = False,
) -> int | None:
    """Index of the lifted card that a card without a place may be; None for none.

    `card`: the name that was read, `readable`: it is of the deck, and no reader has read it elsewhere; a name that is
    doubtful by itself does not tell the card that it was read from. `only_from`: without a matching name, only a card
    of that zone. `newest`: of several the one lifted last.
    """
    unnamed = None
    told = card if readable else None
    order = range(len(lifted))
    for index in reversed(order) if newest else order:
        out = lifted[index]
        if card is not None and out.card == card:
            return index
        if unnamed is None and (card is None or out.may_be(told)) and only_from in {None, out.zone}:
            unnamed = index
    return None if named_only else unnamed
