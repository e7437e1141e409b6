"""The card tracker: the known place of each card of the deck, or that it is unseen.

It never guesses a face. A card leaves the shoe's mouth (`leave_shoe`), comes to rest in a zone (`place`), may be turned
(`turn`), may leave the zone (`lift`), and is collected at the round's end. A sensor that reads no face gives None: such
a card has no name.
"""

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from table_fsm.felt import BOARD_ZONES
from table_fsm.poker.cards.dealt_order import DealtOrder
from table_fsm.poker.cards.nameless import any_of, lifted_index, may_have_left
from table_fsm.poker.cards.open_in_doubt import OpenInDoubt, is_mixed, lie_again, note_change
from table_fsm.poker.cards.places import Doubt, HeldCard, Leaves, LiftedCard, MouthCard, Origin, Placement

_ALWAYS_OPENED = BOARD_ZONES | {"dealer"}
"""Zones whose cards are always turned, so that a name read there is read by chance."""
_BACK_IN_THE_DECK = frozenset({"muck", "shoe"})


@dataclass(slots=True)
class CardTracker:
    """The places of the cards of one round.

    `deck`: the names that belong to it. `order`: how the cards left the shoe.
    """

    deck: frozenset[str]
    zones: dict[str, list[HeldCard]] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    mouth: deque[MouthCard] = field(default_factory=deque)
    lifted: list[LiftedCard] = field(default_factory=list)
    on_pack: list[str | None] = field(default_factory=list)
    """Cards put back on top of the undealt ones, the topmost last."""
    left_shoe: int = 0
    misnamed: bool = False
    """A reader has read another name than the one inferred: any inferred name may be another card's."""
    order: DealtOrder = field(default_factory=DealtOrder)
    open_in_doubt: dict[str, OpenInDoubt] = field(default_factory=dict)
    """By zone: cards that lay face up, of which one may have left without a name."""

    def leave_shoe(self, card: str | None, deck: str | None, boxed: bool) -> Doubt | None:
        """Enter a card that left the shoe's mouth; return the doubt about it, or None."""
        self.left_shoe += 1
        if self.on_pack:
            self.on_pack.pop()
        doubt = self._claim(card, "mouth")
        name = None if doubt else card
        self.mouth.append(MouthCard(name, deck, boxed, doubt is not None, self.order.come(name)))
        return doubt

    def place(self, zone: str, card: str | None, up: bool, *, moves: bool = True) -> Placement:
        """Enter a card that came to rest in a zone.

        It is matched with the cards at the shoe's mouth first, then with the lifted ones. `moves`: a card without a
        name may be one lifted elsewhere; else only one lifted from this zone.
        """
        placement = self._origin(zone, card, moves=moves)
        doubted = placement.doubted or placement.doubt is not None
        inferred = card is None and placement.card is not None
        boxed = placement.boxed and bool(self.mouth)
        held = HeldCard(placement.card, up, placement.number, doubted, inferred, boxed=boxed)
        self.zones.setdefault(zone, []).append(held)
        if placement.card is not None:
            self.where[placement.card] = zone
        if self.open_in_doubt:
            self._may_settle_open(zone, placement, looked=moves and not up)
        return placement

    def _may_settle_open(self, zone: str, placement: Placement, *, looked: bool) -> None:
        """Let cards lie open again once what was taken up lies where it lay, face down: it was looked at.

        `looked`: the card lies face down, and may not be another one that came for it unseen.
        """
        before = placement.zone_before if placement.origin is Origin.LIFTED else None
        note_change(self.open_in_doubt, zone, before, looked=looked)
        if self.lifted_from(zone):
            return
        for held, name in lie_again(self.open_in_doubt, zone, self.zones[zone]):
            self._lies_open(held, name, zone)

    def _lies_open(self, held: HeldCard, name: str | None, zone: str) -> None:
        held.up = True
        if held.card is None and name is not None and self._claim(name, zone) is None:
            held.card = name

    def may_lie_open(self, zone: str) -> list[str]:
        """The names of the zone's cards that count as face down, where they may be just those that lay face up before.

        Empty where they may not, or where it is not known which of them those are.
        """
        lay = self.open_in_doubt.get(zone)
        return [] if lay is None else lay.may_lie(self.zones[zone], self._lie_up())

    def _lie_up(self) -> frozenset[str | None]:
        """Names of all cards that lie face up."""
        return frozenset(held.card for cards in self.zones.values() for held in cards if held.up)

    def is_elsewhere(self, zone: str, card: str) -> bool:
        """Whether a name is known of a card that is not in this zone, whichever side of it is up."""
        return self.where.get(card, zone) != zone

    def _origin(self, zone: str, card: str | None, *, moves: bool) -> Placement:
        if self.mouth and not self._is_discard(zone, card):
            lies_again = self._lies_again(card, zone)
            for index, out in enumerate(self.mouth):
                if card is None or out.card == card or (out.card is None and not lies_again):
                    del self.mouth[index]
                    return self._from_shoe(out, card)
                if index == 0 and self._lifted_index(card, named_only=True) is not None:
                    break
            if card is not None and self._exchange_boxed(card):
                return self._from_shoe(self.mouth.popleft(), card)
        newest = zone == "muck"  # a player may hold a hand for long: the cards passed now were lifted last
        lifted_at = None if newest else self._lifted_index(card, named_only=False, only_from=zone)
        if lifted_at is None and (moves or newest):  # else a card laid back would pass for another player's
            lifted_at = self._lifted_index(card, named_only=False, only_from=None if moves else zone, newest=newest)
        if lifted_at is not None:
            return self._from_lifted(lifted_at, card, zone)
        if self.mouth:
            given = self.mouth.popleft()
            if given.card is not None:  # the card that the shoe named is not here: it counts as not yet seen
                self.where.pop(given.card, None)
                self.order.unname(given.number)
            wrong = self._claim(card, zone) or Doubt.UNEXPECTED
            return Placement(
                Origin.SHOE, None if wrong is not Doubt.UNEXPECTED else card, doubt=wrong, number=given.number
            )
        doubt = self._claim(card, zone)
        name = None if doubt else card
        if self._taken_off_pack(card):
            return Placement(Origin.SHOE, name, doubt=doubt, number=self.order.come(name))
        dealt = not self.left_shoe and zone not in _BACK_IN_THE_DECK  # a table with no shoe sensor
        return Placement(Origin.NOWHERE, name, doubt=doubt, number=self.order.come(name) if dealt else None)

    def _from_lifted(self, index: int, card: str | None, zone: str) -> Placement:
        was = self.lifted.pop(index)
        name = was.card if was.card is not None else card
        doubt = self._name_read(was.number, name, zone) if was.card is None else None
        name = name if doubt in {None, Doubt.UNEXPECTED} else None
        left = self._left(card, [was.face_down_in]) if zone == "muck" else None
        return Placement(Origin.LIFTED, name, was.zone, doubt, number=was.number, open_before=was.up, left=left)

    def _left(self, card: str | None, discards: Iterable[str | None]) -> str | None:
        """Where a discard lay face down; None where it is not known, as where a card taken up elsewhere may be it.

        `discards`: where each discard lay that it may be. Else one player's card would pass for another's fold.
        """
        others = (lifted for lifted in self.lifted if card is None or lifted.may_be(card))
        places = {*discards, *(lifted.face_down_in for lifted in others)}
        return places.pop() if len(places) == 1 else None

    def _name_read(self, number: int | None, name: str | None, zone: str) -> Doubt | None:
        """Enter the name that is read of a card that left its zone without one; return the doubt about it, or None.

        `number`: the card's, in the order of the deal.
        """
        boxed, wrong = self._was_boxed(name), self._gives_way(name)
        doubt = self._claim(name, zone)
        if name is None or doubt is not None:
            return doubt
        self.order.name(number, name, by_chance=False)
        return self._other_than_inferred() if wrong and not boxed else None

    def _other_than_inferred(self) -> Doubt | None:
        """Note that a name was read which another card has by inference; the first one is a doubt."""
        doubt = None if self.misnamed else Doubt.UNEXPECTED
        self.misnamed = True
        return doubt

    def _is_discard(self, zone: str, card: str | None) -> bool:
        """Whether a card without a name that is discarded is one that was lifted: the shoe has given boxed cards alone.

        Else a boxed card that the dealer holds would pass for a player's discard, which would count as still held.
        """
        return card is None and zone == "muck" and bool(self.lifted) and all(out.boxed for out in self.mouth)

    def _lies_again(self, card: str | None, zone: str) -> bool:
        """Whether a named card was lifted and goes to the discards, or back where it lay: the shoe did not give it.

        Else a card out of the shoe that no reader saw come to rest would pass for it, and it for a double.
        """
        at = self._lifted_index(card, named_only=True)
        return at is not None and (zone == "muck" or self.lifted[at].zone == zone)

    def _from_shoe(self, out: MouthCard, card: str | None) -> Placement:
        if out.doubted:
            return Placement(Origin.SHOE, None, boxed=out.boxed, number=out.number, doubted=True)
        if out.card is not None:
            return Placement(Origin.SHOE, out.card, boxed=out.boxed, number=out.number)
        boxed = out.boxed or self._was_boxed(card)
        doubt = self._claim(card, "mouth")
        if card is not None and doubt is None:
            self.order.name(out.number, card, by_chance=True)
        return Placement(Origin.SHOE, None if doubt else card, doubt=doubt, boxed=boxed, number=out.number)

    def _was_boxed(self, card: str | None) -> bool:
        """Whether a card read here is one that the shoe named as boxed; takes the name from where no reader read it.

        Such a card waits in the dealer's hand while others are burnt, and a nameless one of them has passed for it.
        """
        bearer = self._inferred_bearer(card) if card is not None and card in self.where else None
        if bearer is None or not bearer.boxed:
            return False
        self._unname(bearer)
        return True

    def _exchange_boxed(self, card: str) -> bool:
        """Let a boxed card that is read here be the first one out of the shoe, if it passes for one that lies unread.

        As `_was_boxed`, where the shoe has named the others too: one of them lies there. Returns whether it does.
        """
        bearer, out = self._inferred_bearer(card), self.mouth[0]
        if not isinstance(bearer, HeldCard) or not bearer.boxed or out.card is None:
            return False
        zone = self.where[card]
        cards = self.zones[zone]
        lies = HeldCard(out.card, bearer.up, out.number, out.doubted, inferred=True, boxed=out.boxed)
        cards[next(at for at, held in enumerate(cards) if held is bearer)] = lies
        self.mouth[0] = MouthCard(card, out.deck, True, bearer.doubted, bearer.number)
        self.where[out.card], self.where[card] = zone, "mouth"
        return True

    def _lifted_index(
        self, card: str | None, *, named_only: bool, only_from: str | None = None, newest: bool = False
    ) -> int | None:
        """Index of the lifted card that this may be (`nameless.lifted_index`); None for none."""
        return lifted_index(
            self.lifted,
            card,
            readable=self._may_be_read(card),
            named_only=named_only,
            only_from=only_from,
            newest=newest,
        )

    def _claim(self, card: str | None, place: str) -> Doubt | None:
        """Enter a name newly read; return the doubt about it, or None.

        A name that is somewhere already, or not of the deck, is doubtful and not entered.
        """
        if card is None:
            return None
        if card not in self.deck:
            return Doubt.FOREIGN
        if card in self.where:
            return Doubt.DUPLICATE
        self.where[card] = place
        return None

    def _gives_way(self, card: str | None) -> bool:
        """Take a name that is read elsewhere from a card that has it by inference only; return whether one had it."""
        bearer = self._inferred_bearer(card) if card is not None else None
        if bearer is None:
            return False
        self._unname(bearer)
        return True

    def _may_be_read(self, card: str | None) -> bool:
        """Whether a name is of the deck, and no reader has read it elsewhere."""
        return card in self.deck and (card not in self.where or self._inferred_bearer(card) is not None)

    def _inferred_bearer(self, card: str) -> MouthCard | HeldCard | None:
        """The card that has this name by inference only; None for none."""
        for out in self.mouth:
            if out.card == card:
                return out
        for held in self.zones.get(self.where.get(card, ""), ()):
            if held.inferred and held.card == card:
                return held
        return None

    def _unname(self, bearer: MouthCard | HeldCard) -> None:
        if bearer.card is not None:
            self.where.pop(bearer.card, None)
        bearer.card = None
        self.order.unname(bearer.number)

    def holds(self, zone: str) -> int:
        """Number of cards in the zone."""
        return len(self.zones.get(zone, ()))

    def lifted_from(self, zone: str) -> int:
        """Number of cards lifted from the zone that have not come to rest."""
        # Hot path: mostly nothing is lifted, and a generator costs more than the question.
        return sum(card.zone == zone for card in self.lifted) if self.lifted else 0

    def shown(self, zone: str) -> list[str]:
        """Names of the zone's face-up cards, where known."""
        return [held.card for held in self.zones.get(zone, ()) if held.up and held.card is not None]

    def hides(self, zone: str) -> bool:
        """Whether a card of the zone lies face down, as far as it can be told: one in doubt is not counted."""
        return any(not (held.up or held.doubted) for held in self.zones.get(zone, ()))

    def down(self, zone: str) -> list[str | None]:
        """The zone's face-down cards, None for each without a name."""
        return [held.card for held in self.zones.get(zone, ()) if not held.up]

    def lay_open(self, zone: str, card: str | None) -> bool:
        """Whether a card that comes to the zone is one that was lifted from there and lay face up.

        A card without a name is, where all that were lifted from there lay so.
        """
        out = [lifted for lifted in self.lifted if lifted.zone == zone and card in {None, lifted.card}]
        return bool(out) and not self.mouth and all(lifted.up and not lifted.off_table for lifted in out)

    def lifted_up(self, zone: str) -> int:
        """Number of these that lay face up as they were lifted."""
        return sum(card.zone == zone and card.up for card in self.lifted)

    def may_come_back(self, zone: str) -> int:
        """Number of cards lifted from the zone that have not come to rest, and have not left the table."""
        return sum(card.zone == zone and not card.off_table for card in self.lifted)

    def names(self, zone: str) -> list[str | None]:
        """The zone's cards, None for each without a name."""
        return [held.card for held in self.zones.get(zone, ())]

    def lift(self, zone: str, card: str | None, leaves: Leaves = Leaves.DOWN) -> Doubt | None:
        """Enter a card that left the zone; return the doubt about it, or None.

        The zone must hold a card (`holds`). `leaves`: which one it is, if it has no name.
        """
        held, doubt = self._pick(zone, card) if card is not None else (self._pick_nameless(zone, leaves), None)
        self.zones[zone].remove(held)
        if held.card is not None:
            self.where[held.card] = "lifted"
        self.lifted.append(LiftedCard(held.card, zone, held.number, up=held.up, one_of=held.one_of))
        lay = self.open_in_doubt.get(zone)
        if lay is not None and self.lifted_from(zone) > lay.down:
            del self.open_in_doubt[zone]  # one that lay face up was taken up too: how it comes back is told
        return doubt

    def take_off_table(self, zone: str, card: str | None) -> None:
        """Enter a card that left the zone and the table. The zone must hold a card (`holds`)."""
        self.lift(zone, card)
        self.lifted[-1].off_table = True

    def lifted_off_table(self, zone: str | None, card: str | None) -> str | None:
        """Enter a card that was lifted and has left the table; return the zone where it lay, None for no such card.

        `zone`: where it lay, None if nobody said. A card without a name is one lifted from that zone; without a zone
        too, only where all that are lifted lay in the same one.
        """
        out = [lifted for lifted in self.lifted if not lifted.off_table and zone in {None, lifted.zone}]
        if card is not None:
            out = [lifted for lifted in out if lifted.card == card] or [lifted for lifted in out if lifted.card is None]
        if len({lifted.zone for lifted in out}) != 1:
            return None
        gone: LiftedCard = out[-1]
        gone.off_table = True
        return gone.zone

    def lies_at(self, card: str | None) -> str | None:
        """The zone where a named card lies; None where that is not known."""
        at = self.where.get(card) if card is not None else None
        return at if at in self.zones else None

    def turn(self, zone: str, card: str | None, up: bool) -> Doubt | None:
        """Enter a card of the zone that was turned, or seen; return the doubt about it, or None.

        The zone must hold a card.
        """
        held, doubt = self._pick(zone, card, prefer_up=not up)
        held.up = up
        return doubt

    def turn_last(self, zone: str) -> None:
        """Turn up the card that came last to the zone. The zone must hold a card."""
        self.zones[zone][-1].up = True

    def see(self, zone: str, card: str | None) -> Doubt | None:
        """Enter a card of the zone that was seen and not moved; return the doubt, or None.

        The zone must hold a card.
        """
        return self._pick(zone, card, prefer_up=False)[1]

    def last_is_inferred(self, zone: str) -> bool:
        """Whether no reader has read the name of the card that came last to the zone."""
        cards = self.zones.get(zone)
        return cards[-1].inferred if cards else False

    def may_be_last(self, zone: str, card: str | None) -> bool:
        """Whether a card of the zone may be the one that came last. The zone must hold a card (`holds`)."""
        *before, last = self.names(zone)
        return card is None or last == card or (last is None and card not in before)

    def lies_up(self, zone: str) -> bool:
        """Whether the card that came last to the zone lies face up."""
        cards = self.zones.get(zone)
        return cards[-1].up if cards else False

    def ups(self, zone: str) -> int:
        """Number of the zone's face-up cards."""
        cards = self.zones.get(zone)
        return sum([held.up for held in cards]) if cards else 0

    def _pick(self, zone: str, card: str | None, *, prefer_up: bool | None = None) -> tuple[HeldCard, Doubt | None]:
        cards = self.zones[zone]
        unnamed = None
        other = None
        for held in cards:
            if card is not None and held.card == card:
                held.inferred = False
                return held, None
            if prefer_up is not None and held.up is not prefer_up:
                continue
            if held.card is None and unnamed is None:
                unnamed = held
            elif other is None:
                other = held
        wrong = unnamed is None and other is not None and other.inferred and self._may_be_read(card)
        if wrong and other is not None:
            unnamed = other
            self._unname(other)
        if unnamed is not None:
            wrong = self._gives_way(card) or wrong
            doubt = self._claim(card, zone)
            if doubt is None and wrong:
                doubt = self._other_than_inferred()
            if card is not None and self.where.get(card) == zone and doubt is not Doubt.DUPLICATE:
                unnamed.card, unnamed.inferred = card, False
                self.order.group([unnamed.number, *(held.number for held in cards if held.card is None)])
                self.order.name(unnamed.number, card, by_chance=zone in _ALWAYS_OPENED)
            return unnamed, doubt
        chosen = other if other is not None else cards[-1]
        if card is None:
            return chosen, None
        # the zone's cards all have other names: the card read does not belong here
        if card not in self.deck:
            return chosen, Doubt.FOREIGN
        lies_open = any(held.card == card and held.up for held in self.zones.get(self.where.get(card, ""), ()))
        return chosen, Doubt.DUPLICATE if lies_open else Doubt.UNEXPECTED

    def _pick_nameless(self, zone: str, leaves: Leaves) -> HeldCard:
        """Pick the card that left with no name, of those that it may be.

        Of several it is not guessed which one left: all lose their names, of which each has one, and lie face down as
        far as is known.
        """
        cards = self.zones[zone]
        candidates = may_have_left(cards, leaves)
        if len(candidates) > 1:
            if zone in self.open_in_doubt or is_mixed(candidates):
                candidates = self.open_in_doubt.setdefault(zone, OpenInDoubt()).leave(candidates)
            self.order.group([held.number for held in candidates])
            one_of, hides = any_of(candidates), not all(held.up for held in cards)
            for held in candidates:
                held.one_of = one_of
                held.up = held.up and not hides
                if held.card is not None:
                    self.where.pop(held.card, None)
                    held.card = None
        return candidates[0]

    def discard_lifted(self, zone: str) -> list[str]:
        """Move cards lifted from the zone to the discards, where no reader may be.

        Returns the names known.
        """
        mine = [card for card in self.lifted if card.zone == zone]
        for lifted in mine:
            self.lifted.remove(lifted)
            untold, left = not lifted.off_table, lifted.face_down_in
            discard = HeldCard(lifted.card, up=False, number=lifted.number, untold=untold, left=left)
            self.zones.setdefault("muck", []).append(discard)
            if lifted.card is not None:
                self.where[lifted.card] = "muck"
        return [lifted.card for lifted in mine if lifted.card is not None]

    def tell_discard(self, card: str | None, up: bool) -> Placement | None:
        """Enter that a reader tells a card in the discards, if it is one that counts as discarded already.

        None where it is no such card.
        """
        if card is not None and card in self.where and not self.is_inferred(card):
            return None
        untold: list[HeldCard] = [held for held in self.zones.get("muck", ()) if held.untold]
        nameless = [held for held in untold if held.card is None]
        may_be = untold if card is None else nameless
        held: HeldCard | None = next(iter(nameless or may_be), None)
        if held is None:
            return None
        left = self._left(card, [discard.left for discard in may_be])
        held.untold, held.up = False, up
        doubt = self._name_read(held.number, card, "muck")
        if card is not None and doubt in {None, Doubt.UNEXPECTED}:
            held.card = card
        return Placement(Origin.LIFTED, held.card, "muck", doubt, number=held.number, left=left)

    def exchange_lifted(self, zone: str, placement: Placement) -> None:
        """Count a card without a name that has come as one lifted from this zone, and the one it passed for as lifted.

        Nothing changes where no card without a name was lifted from there.
        """
        for index, lifted in enumerate(self.lifted):
            if lifted.zone == zone and lifted.card is None and placement.zone_before is not None:
                self.lifted[index] = replace(lifted, zone=placement.zone_before)
                self.order.group([lifted.number, placement.number])
                return

    def is_inferred(self, card: str) -> bool:
        """Whether a card in a zone has this name by inference only."""
        return any(held.inferred and held.card == card for held in self.zones.get(self.where.get(card, ""), ()))

    def forget_lifted(self, zone: str, *, gone: bool) -> int:
        """Forget the names of cards lifted from the zone, which may now lie in the undealt cards.

        `gone`: all of them do; else some are still in a hand, and it is not known which. Returns how many are gone.
        """
        mine: list[LiftedCard] = [lifted for lifted in self.lifted if lifted.zone == zone]
        for lifted in mine:
            if lifted.card is not None:
                self.where.pop(lifted.card, None)
                lifted.card = None
            if gone:
                self.lifted.remove(lifted)
        self.order.mixed = True
        return len(mine) if gone else 0

    def forget_mucked(self, names: Iterable[str]) -> None:
        """Remove discards of these names, which were shuffled into the undealt cards."""
        for name in names:
            if self.where.get(name) != "muck":
                continue
            del self.where[name]
            self.zones["muck"] = [held for held in self.zones["muck"] if held.card != name]

    def return_mucked(self, kept: Collection[str]) -> None:
        """Remove cards that left the discards to be shuffled into the undealt cards.

        Cards named in `kept` go back to the discards.
        """
        for lifted in [card for card in self.lifted if card.zone == "muck"]:
            self.lifted.remove(lifted)
            if lifted.card is None:
                continue
            if lifted.card in kept:
                self.zones["muck"].append(HeldCard(lifted.card, up=False, number=lifted.number))
                self.where[lifted.card] = "muck"
            else:
                self.where.pop(lifted.card, None)

    def discard_mouth(self) -> None:
        """Move the first card out of the shoe to the discards, where no reader may be."""
        out = self.mouth.popleft()
        self.zones.setdefault("muck", []).append(HeldCard(out.card, up=False, number=out.number))
        if out.card is not None:
            self.where[out.card] = "muck"

    def lay_on_pack(self, card: str | None) -> None:
        """Put the card that has just come to the shoe on top of the undealt ones.

        Its name counts as unseen again.
        """
        held, _ = self._pick("shoe", card)
        self.zones["shoe"].remove(held)
        if held.card is not None:
            self.where.pop(held.card, None)
        self.on_pack.append(held.card)
        self.left_shoe = max(0, self.left_shoe - 1)
        self.order.mixed = True

    def _taken_off_pack(self, card: str | None) -> bool:
        """Whether a card that comes unannounced by the shoe was put back on top before."""
        if not self.on_pack or (card is not None and self.on_pack[-1] not in {None, card}):
            return False
        self.on_pack.pop()
        self.left_shoe += bool(self.left_shoe)
        return True

    def return_lifted_to_stub(self) -> None:
        """Remove lifted cards that were shuffled into the undealt cards.

        Their names count as unseen again.
        """
        for lifted in self.lifted:
            if lifted.card is not None:
                self.where.pop(lifted.card, None)
        self.lifted.clear()
        self.on_pack.clear()
        self.order.mixed = True

    def return_boxed(self) -> None:
        """Remove boxed cards at the shoe's mouth that were shuffled into the undealt cards."""
        for out in [out for out in self.mouth if out.boxed]:
            self.mouth.remove(out)
            if out.card is not None:
                self.where.pop(out.card, None)

    def move_named(self, card: str, zone: str) -> str | None:
        """Move a named card whose leaving was not reported; return its zone before, or None."""
        before = self.where.get(card)
        if before is None or before not in self.zones:
            return None
        for held in self.zones[before]:
            if held.card == card:
                self.zones[before].remove(held)
                self.zones.setdefault(zone, []).append(HeldCard(card, up=False, number=held.number))
                self.where[card] = zone
                return before
        return None
