"""The shoe and its decks: shuffles, checks, changes of cards, latched faults."""

from collections.abc import Collection

from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.core.standing import DeckRecord, FaultRecord
from table_fsm.errors import Refused
from table_fsm.events import DeckChanged, ShoeCleared, ShoeDeckChecked, ShoeFault, ShoeShuffled
from table_fsm.felt import CARDS_SAID, FaultKind, is_card_name
from table_fsm.play.deck import doubts
from table_fsm.play.house import boxes
from table_fsm.play.rounds import end
from table_fsm.play.tournament import clock
from table_fsm.rulebook.irregularities import Irregularity

_BETWEEN = {"found": "between"}
_IN_ROUND = {"found": "count_in_round"}
_CHANGED = {"replaced": "in_round"}
_KINDS = frozenset(FaultKind)
_COUNTED = (Irregularity.SHORT_DECK, Irregularity.FOREIGN_CARD, Irregularity.DUPLICATE_CARD)


def on_shuffled(core: Core, event: ShoeShuffled) -> None:
    """Take a shuffle of a deck, with its count where the shoe counts."""
    if event.count is not None and event.count < 0:
        raise Refused("shoe.shuffled: count is a number of cards, 0 or more")
    standing = core.standing
    if not standing.open:
        record = core.deck(event.deck)
        record.shuffled = True
        standing.last_shuffled = core.deck_key(event.deck) or None
        return
    beside = core.in_round and _other_deck(core, event.deck)
    if core.in_round and not beside:
        end.judge_end(core)
    if core.in_round and not beside:
        end.finish_round(core)  # the pack in play was collected and shuffled, so the round is over
    record = core.deck(event.deck)
    key = core.deck_key(event.deck)
    record.shuffled = True
    if beside:
        standing.shuffled_beside = key or None
    else:
        standing.last_shuffled = key or None
        _ready_for_next(core)
    wrong = _count_wrong(core, event.count) if event.count is not None else None
    if wrong is not None:
        _not_whole(core, record, wrong, key, during_round=False)


def _other_deck(core: Core, deck: str | None) -> bool:
    """Whether a shuffle in a round is of the pack that is not in play.

    That is a pack of another name, or an unnamed one in a game with two packs.
    """
    if deck is None or core.round.deck is None:
        return core.book.deck.packs > 1
    return deck != core.round.deck


def _ready_for_next(core: Core) -> None:
    standing = core.standing
    if standing.collecting:
        standing.collecting = False
        standing.rest = "waiting"
    core.round.cut.forget()
    core.move("shuffled")
    standing.rest = core.rounds.state
    standing.attention = False
    clock.shuffled(core)


def other_pack_deals(core: Core, deck: str | None) -> bool:
    """Begin the next round with the pack that was shuffled while the ended round was played.

    Only in a game with two packs. `deck`: the pack that the shoe names; None where it names none. Returns whether that
    pack is dealt.
    """
    beside = core.standing.shuffled_beside
    if core.book.deck.packs < 2 or beside is None or deck not in {None, beside} or not core.deck(beside).shuffled:
        return False
    core.standing.last_shuffled, core.standing.shuffled_beside = beside, None
    _ready_for_next(core)
    return True


def on_deck_checked(core: Core, event: ShoeDeckChecked) -> None:
    """Take a full check of a deck, card by card."""
    lists = (event.missing, event.foreign, event.duplicate)
    for card in (card for cards in lists for card in cards):
        if not is_card_name(card):
            raise Refused(f"{card!r} is no card: {CARDS_SAID}")
    if event.count < 0:
        raise Refused("shoe.deck_checked: count is a number of cards, 0 or more")
    record = core.deck(event.deck)
    key = core.deck_key(event.deck)
    listed = _listed_wrong(event)
    record.counted, record.wrong = event.count, listed.value if listed is not None else None
    record.check_at = core.t
    if not core.standing.open:
        record.checked, record.fouled = listed is None, listed is not None
        if listed is None:
            doubts.forget(record)
        return
    wrong = listed or _count_wrong(core, event.count)
    if wrong is None:
        _found_whole(core, record)
        return
    in_play = core.in_round and not boxes.concluded(core) and (event.deck is None or event.deck == core.round.deck)
    _not_whole(core, record, wrong, key, during_round=in_play)


def _found_whole(core: Core, record: DeckRecord) -> None:
    record.fouled = False
    doubts.forget(record)
    record.checked = record.replaced_at is None or _witnessed(core, record)
    if record.checked:
        record.replaced_at = None
        core.move("cards_checked")


def _listed_wrong(event: ShoeDeckChecked) -> Irregularity | None:
    if event.missing:
        return Irregularity.SHORT_DECK
    if event.foreign:
        return Irregularity.FOREIGN_CARD
    return Irregularity.DUPLICATE_CARD if event.duplicate else None


def _count_wrong(core: Core, count: int) -> Irregularity | None:
    """The irregularity of a wrong number of cards; None where the number is right.

    One card too many can only be a foreign card.
    """
    if count == core.deck_size:
        return None
    return Irregularity.SHORT_DECK if count < core.deck_size else Irregularity.FOREIGN_CARD


def _not_whole(core: Core, record: DeckRecord, which: Irregularity, key: str, *, during_round: bool) -> None:
    record.fouled = True
    record.checked = False
    if any(core.has_pending(irregularity, key or None) for irregularity in _COUNTED):
        return
    core.find(which, _IN_ROUND if during_round else _BETWEEN, deck=key or None)


def judge_known_decks(core: Core) -> None:
    """Rule, as the table opens, on known decks that are not complete decks of this book."""
    for name, record in core.standing.decks.items():
        wrong = Irregularity(record.wrong) if record.wrong is not None else None
        if wrong is None and record.counted is not None:
            wrong = _count_wrong(core, record.counted)
        if wrong is None and record.fouled:
            wrong = Irregularity.SHORT_DECK
        if wrong is not None:
            record.fouled, record.checked = True, False
            core.find(wrong, _BETWEEN, deck=name or None)


def on_deck_changed(core: Core, event: DeckChanged) -> None:
    """Mark a deck as unchecked because new or replacement cards were brought in."""
    record = core.deck(event.deck)
    record.checked = record.shuffled = False
    doubts.forget(record)
    record.check_at = record.counted = record.wrong = None
    record.replaced_at = core.t if core.standing.open else None
    if core.standing.open and core.in_round and not core.collecting() and not core.round.showdown.decided:
        _judge_changed_in_round(core, event.deck)


def _judge_changed_in_round(core: Core, deck: str | None) -> None:
    """Rule on cards of the pack in play that are changed before the round is over, if the book speaks of it."""
    named = core.row(Irregularity.DECK_UNCHECKED, _CHANGED).when.get("replaced", ())
    if "in_round" in named and not _other_deck(core, deck):
        core.find(Irregularity.DECK_UNCHECKED, _CHANGED, deck=core.deck_key(deck) or None)


def _witnessed(core: Core, record: DeckRecord) -> bool:
    """Whether a role that must witness replacement cards has badged since they came.

    A badge up to `witness_seconds` before they came counts too.
    """
    if record.replaced_at is None or not core.standing.open:
        return True
    rules = core.book.deck
    if not rules.replacement_badges:
        return True
    badges = [core.standing.badges[role] for role in rules.replacement_badges if role in core.standing.badges]
    return any(at >= record.replaced_at - core.book.box.witness_seconds for at in badges)


def badge_seen(core: Core) -> None:
    """Complete the check of replacement cards, if a badge was all that was missing."""
    for record in core.standing.decks.values():
        if record.replaced_at is not None and record.check_at is not None and _witnessed(core, record):
            record.checked = True
            record.replaced_at = None


def on_fault(core: Core, event: ShoeFault) -> None:
    """Latch a fault that the shoe reports, and raise its alarm."""
    if event.kind not in _KINDS:
        raise Refused(f"fault {event.kind!r}: {', '.join(sorted(_KINDS))}")
    standing = core.standing
    for fault in standing.faults:
        if fault.kind == event.kind and fault.deck == event.deck:
            if not fault.present:  # it has come back
                fault.present, fault.acknowledged = True, False
                alarms.raise_alarm(core, event.kind, deck=event.deck, device="shoe")
            return
    standing.faults.append(FaultRecord(event.kind, event.deck))
    alarms.raise_alarm(core, event.kind, deck=event.deck, device="shoe")
    if not standing.open:
        return
    if not core.in_round or boxes.concluded(core):
        core.find(Irregularity.SHOE_UNAVAILABLE, {"noticed": "fault"}, deck=event.deck)
        return
    if event.deck is not None and core.round.deck is not None and event.deck != core.round.deck:
        return  # the idle deck: the round plays on, and no new one starts
    core.find(Irregularity.SHOE_MALFUNCTION, {"fault": event.kind}, deck=event.deck)


def on_cleared(core: Core, event: ShoeCleared) -> None:
    """Note that a fault of the shoe is gone; a person still has to acknowledge it."""
    if event.kind not in _KINDS:
        raise Refused(f"fault {event.kind!r}: {', '.join(sorted(_KINDS))}")
    found = [
        f for f in core.standing.faults if f.kind == event.kind and (event.deck is None or f.deck in {None, event.deck})
    ]
    if not found:
        raise Refused(f"fault {event.kind!r} was not reported: nothing to clear")
    for fault in found:
        fault.present = False
        for alarm in [
            a for a in core.standing.alarms if a.kind == fault.kind and a.deck == fault.deck and a.device == "shoe"
        ]:
            alarms.over(core, alarm)
    end_faults(core)


def faults_seen(core: Core, of: Collection[tuple[str, str | None]] | None = None) -> None:
    """Note that a person has seen the shoe's faults: those that are cleared end.

    `of`: those of these kinds and decks alone; None for all.
    """
    for fault in core.standing.faults:
        fault.acknowledged = fault.acknowledged or of is None or (fault.kind, fault.deck) in of
    end_faults(core)


def end_faults(core: Core) -> None:
    """Remove faults that are cleared and acknowledged."""
    core.standing.faults = [f for f in core.standing.faults if f.present or not f.acknowledged]
