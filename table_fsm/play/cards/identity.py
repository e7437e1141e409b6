"""The identity of a card: doubled, foreign, of another back or pack, or not named by the shoe; each is told once."""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.round import Matter, RuledMatter
from table_fsm.events import CardPlaced, ShoeCard
from table_fsm.play.board import board
from table_fsm.play.deck import doubts
from table_fsm.poker.cards.places import Doubt, Origin, Placement
from table_fsm.prompts import types as ask
from table_fsm.rulebook.irregularities import Irregularity

_DURING_ROUND = {"found": "identity"}
_COUNTED = {"found": "count_in_round"}
MOUTH: Final = "mouth"
"""The shoe's mouth, where a card has no zone yet."""
_DOUBTS = {
    Doubt.DUPLICATE: Irregularity.DUPLICATE_CARD,
    Doubt.FOREIGN: Irregularity.FOREIGN_CARD,
    Doubt.UNEXPECTED: Irregularity.CARD_NOT_FROM_SHOE,
}


def _is_of_other_chips(core: Core, pack: str | None) -> bool:
    """Rule on a card whose chip is of another pack than that of the round's first card.

    The round's cards are held against each other alone, not against a pack's name that a shoe or a person told: a pack
    that was changed between two rounds without a word is no fault. Returns whether it is such a card.
    """
    round_ = core.round
    if round_.chips is None:
        round_.play_with_chips(pack)
    if pack is None or pack == round_.chips:
        return False
    core.find(Irregularity.FOREIGN_CARD, _DURING_ROUND, deck=round_.deck, once=(Matter.BACK, pack))
    return True


def judge(core: Core, doubt: Doubt | None, event: ShoeCard | CardPlaced | None, read: tuple[str, str | None]) -> None:
    """Rule on a card that is doubled, foreign, of another back or pack, or not named by the shoe.

    `event`: with which it came; None for one that lies there. `read`: the zone and the name that was read there.
    """
    if event is not None and _is_of_other_chips(core, event.pack):
        return
    deck = None if event is None else event.deck
    round_deck = core.round.deck
    if round_deck is None:
        core.round.play_with(deck)  # the first back that a reader recognises is the pack's
        round_deck = deck
    if deck is not None and round_deck is not None and deck != round_deck:
        core.find(Irregularity.FOREIGN_CARD, _DURING_ROUND, deck=round_deck, once=(Matter.BACK, deck))
        return
    if doubt is None:
        if doubts.too_many_out(core):
            core.find(Irregularity.FOREIGN_CARD, _COUNTED, deck=round_deck, once=(Matter.TOO_MANY_CARDS, None))
        return
    if doubt is Doubt.UNEXPECTED:
        core.find(_DOUBTS[doubt], deck=round_deck)
        return
    rulings, told = core.round.rulings, _doubted(*read)
    core.find(_DOUBTS[doubt], _DURING_ROUND, deck=round_deck, then=lambda _, __: rulings.settle(told))


def _doubted(zone: str, card: str | None) -> RuledMatter:
    return Matter.DOUBTED, f"{zone} {card}"


def judge_lying(core: Core, doubt: Doubt | None, zone: str, card: str | None) -> None:
    """Rule on the name of a card that lies on the layout, unless it was told as the card came."""
    if zone == "burn" and doubt is not None:
        board.first_is_doubted(core)
    if not _is_told(core, doubt, zone, card):
        judge(core, doubt, None, (zone, card))


def _is_told(core: Core, doubt: Doubt | None, zone: str, card: str | None) -> bool:
    """Whether a foreign or doubled card has been ruled on already: where it lies, or as it left the shoe."""
    return _is_told_in(core, doubt, zone, card) or _is_told_in(core, doubt, MOUTH, card)


def _is_told_in(core: Core, doubt: Doubt | None, zone: str | None, card: str | None) -> bool:
    """Whether it has been ruled on as a card of this zone."""
    if zone is None or doubt not in {Doubt.FOREIGN, Doubt.DUPLICATE}:
        return False
    return _doubted(zone, card) in core.round.rulings.matters


def doubt_anew(core: Core, placement: Placement, zone: str, card: str | None) -> Doubt | None:
    """The doubt about a card that came to rest, but for one that was ruled on where it was taken up.

    Else a card with which a person lets play go on calls the floor each time its player looks at it. The same name in
    another hand is another card, and told.
    """
    if placement.doubted:
        _told_as_it_left_the_shoe(core, zone, card)
        return placement.doubt
    before = placement.zone_before if placement.origin is Origin.LIFTED else None
    if before is None or not _is_told_in(core, placement.doubt, before, card):
        return placement.doubt
    core.round.rulings.reopen(_doubted(before, card))
    core.round.rulings.settle(_doubted(zone, card))
    return None


def _told_as_it_left_the_shoe(core: Core, zone: str, card: str | None) -> None:
    """Note where a card lies now that was ruled on as it left the shoe; without a name it may be each such card."""
    rulings = core.round.rulings
    if card is not None:
        rulings.settle(_doubted(zone, card))
        return
    start = f"{MOUTH} "
    for matter, told in [(matter[0], str(matter[1])) for matter in rulings.matters]:
        if matter is Matter.DOUBTED and told.startswith(start):
            rulings.settle(_doubted(zone, told.removeprefix(start)))


def is_double_on_its_way(core: Core, zone: str, card: str) -> bool:
    """Whether a card read in a zone where its name lies is the double of that card, which the deal still lacks there.

    It was told where it lay, was taken back by a ruling and is in the dealer's hand. Else it passes for a reader that
    repeats itself: the dealer is asked for one card more, and the hand has one too many.
    """
    if not core.round.deals.in_hand:
        return False
    taken = [out.zone for out in core.round.tracker.lifted if out.card is None and not out.off_table]
    if not any(_is_told_in(core, Doubt.DUPLICATE, before, card) for before in taken):
        return False
    asked = core.stage().prompt()
    return isinstance(asked, ask.Deal) and asked.zone == zone


def is_doubted(core: Core, placement: Placement, event: CardPlaced) -> bool:
    """Whether a person decides on the identity of a card that came to rest, or on where it came from."""
    round_ = core.round
    other_back = any(
        None not in {told, known} and told != known
        for told, known in ((event.deck, round_.deck), (event.pack, round_.chips))
    )
    unannounced = placement.origin is Origin.NOWHERE and core.shoe_deals
    return placement.doubted or placement.doubt is not None or other_back or unannounced
