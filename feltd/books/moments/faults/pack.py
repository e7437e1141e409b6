"""Faults of the cut, the pack and the shoe."""

from feltd.books.moments.fault import Register
from feltd.books.moments.scene import NO_CARD_DUE, Scene
from table_fsm.felt import JOKER
from table_fsm.rulebook.irregularities import Irregularity

PACK = Register()
NOT_UNCUT = "the cards are not lying there to be cut"
NO_CUT = "the book asks for no cut"


def _need_cut_due(scene: Scene) -> None:
    scene.need(scene.book.cut.asked, NO_CUT)
    scene.need("cut" in scene.prompt, NOT_UNCUT)


@PACK.add(Irregularity.CUT_EXPOSED, "", "a card is shown in the cut")
def cut_exposed(scene: Scene) -> None:
    scene.need_ready()
    scene.do("cut", by=scene.prompt.get("by") or "dealer", depth=20, exposed=1)


@PACK.add(Irregularity.CUT_MISSING, "", "the first card comes, and the cards have not been cut")
def cut_missing(scene: Scene) -> None:
    _need_cut_due(scene)
    scene.first_card()


@PACK.add(Irregularity.CUT_MISSING, "stub", "the undealt cards are shuffled in the round, and not cut")
def stub_uncut(scene: Scene) -> None:
    _reshuffle(scene)
    scene.do("stub.shuffled", count=len(scene.stream.layout.stub) + len(scene.stream.layout.in_hand))
    _next_street(scene)


@PACK.add(Irregularity.CUT_WRONG_PLAYER, "", "a player cuts who has no right to")
def cut_by_another(scene: Scene) -> None:
    _need_cut_due(scene)
    by = scene.prompt.get("by") or ""
    seat = next(seat for seat in scene.seats if f"seat:{seat}" != by)
    scene.do("cut", by=f"seat:{seat}", depth=20)


@PACK.add(Irregularity.CUT_AGAIN, "", "the cards have been cut, and are cut again")
def cut_again(scene: Scene) -> None:
    scene.need(scene.book.cut.asked, NO_CUT)
    scene.need_ready()
    scene.need("cut" not in scene.prompt, "the cards have not been cut yet")
    scene.do("cut", by="dealer", depth=20)


@PACK.add(Irregularity.CUT_IN_DEAL, "", "the undealt cards are cut once the deal has begun")
def cut_in_deal(scene: Scene) -> None:
    scene.need(scene.in_round, "no card has been dealt")
    scene.do("cut", by="dealer", depth=20)


@PACK.add(Irregularity.CUT_TOO_THIN, "", "the cut is one card from the end")
def thin_cut(scene: Scene) -> None:
    _need_cut_due(scene)
    scene.do("cut", by=scene.prompt.get("by") or "dealer", depth=1)


@PACK.add(Irregularity.NOT_SHUFFLED, "deck", "the deal begins, and the pack has not been shuffled")
def not_shuffled(scene: Scene) -> None:
    scene.need("shuffle" in scene.prompt, "the pack has been shuffled")
    _put_undealt(scene)
    scene.first_card()


@PACK.add(Irregularity.NOT_SHUFFLED, "whole", "all hands are dealt, and the pack has not been shuffled")
def whole_deal_not_shuffled(scene: Scene) -> None:
    scene.need("shuffle" in scene.prompt, "the pack has been shuffled")
    scene.need(not scene.house, "the deal of this game begins with the board")
    _put_undealt(scene)
    ring = list(scene.seats)
    ring = ring[ring.index(scene.first_seat()) :] + ring[: ring.index(scene.first_seat())]
    for step in (step for step in scene.book.streets[0].deal if step.to == "seats"):
        for passed in range(0, step.cards, step.at_a_time):
            for seat in ring:
                for _ in range(min(step.at_a_time, step.cards - passed)):
                    scene.deal(f"seat:{seat}", face=step.face)


def _put_undealt(scene: Scene) -> None:
    """The cards of the round before lie in the shoe as they were collected."""
    if not scene.stream.layout.stub:
        scene.stream.layout.fresh(sorted(scene.stream.setting.deck, key=lambda card: card[::-1] + card[0]))


@PACK.add(Irregularity.NOT_SHUFFLED, "sorted", "the cards come in the order of a new pack")
def sorted_pack(scene: Scene) -> None:
    scene.need_ready()
    scene.need("deal" in scene.prompt, "the first card is not due yet")
    scene.stream.layout.fresh(
        sorted(scene.stream.setting.deck, key=lambda card: (card[1], "23456789TJQKA".find(card[0])))
    )
    for _ in range(8):
        scene.goes_on()


@PACK.add(
    Irregularity.NOT_SHUFFLED, "stub", "a card comes before the undealt cards are shuffled, as a ruling has asked"
)
def stub_not_shuffled(scene: Scene) -> None:
    _reshuffle(scene)
    layout = scene.stream.layout
    layout.stub[:0] = layout.in_hand  # back among the undealt cards, at their bottom
    layout.in_hand.clear()
    _deal_on(scene)


def _reshuffle(scene: Scene) -> None:
    """A communal card comes too early, and is taken back to be shuffled in."""
    zone = scene.free_board
    scene.need(
        any(step.to == "board" for street in scene.book.streets for step in street.deal), "the game has no board"
    )
    scene.need("act" in scene.prompt and zone is not None, "no card can come too early here")
    assert zone is not None
    card = scene.deal(zone)
    scene.need(bool(scene.prompt.get("remove")), "the book has nothing shuffled back into the undealt cards here")
    scene.do("card.removed", zone=zone, card=card)
    scene.need("shuffle_stub" in scene.prompt, "the book has nothing shuffled back into the undealt cards here")


def _deal_on(scene: Scene) -> None:
    """The next card, as if nothing had been asked."""
    zone = scene.free_board
    assert zone is not None
    scene.deal(zone)


def _next_street(scene: Scene) -> None:
    """The betting goes to its end, and the next card comes, though a cut may be asked for."""
    while next(iter(scene.prompt), "") in ("act", "close", "wait"):
        scene.goes_on()
    scene.deal("burn" if scene.book.streets[1].burn else _deal_zone(scene))


def _deal_zone(scene: Scene) -> str:
    return scene.free_board or scene.cannot("the board has all its cards")


@PACK.add(Irregularity.DECK_UNCHECKED, "first", "the deal begins with a pack that nobody has checked")
def unchecked(scene: Scene) -> None:
    asked = next(iter(scene.prompt), "")
    scene.need(asked == "check" or scene.view["phase"] == "checking_cards", "the pack has been checked")
    scene.do("shoe.shuffled", deck=scene.stream.setting.packs[0], count=len(scene.stream.setting.deck))
    _cut_if_asked(scene)
    scene.first_card()


def _cut_if_asked(scene: Scene) -> None:
    if scene.book.cut.asked:
        scene.do("cut", by=scene.prompt.get("by") or "dealer", depth=20)


@PACK.add(Irregularity.DECK_UNCHECKED, "replaced", "new cards are brought in and not checked")
def new_cards(scene: Scene) -> None:
    scene.do("deck.changed", deck=scene.stream.deck)
    if not scene.in_round:
        scene.do("shoe.shuffled", deck=scene.stream.deck, count=len(scene.stream.setting.deck))
        _cut_if_asked(scene)
        scene.first_card()


@PACK.add(Irregularity.SHORT_DECK, "count", "a check finds a card missing")
def short_by_check(scene: Scene) -> None:
    deck = scene.stream.setting.deck
    scene.do("shoe.deck_checked", deck=scene.stream.deck, count=len(deck) - 1, missing=[_card_out(scene)])


@PACK.add(Irregularity.SHORT_DECK, "shuffle", "the shoe counts a card too few as it shuffles")
def short_by_shuffle(scene: Scene) -> None:
    scene.need("shuffle" in scene.prompt, "nothing is shuffled")
    scene.do("shoe.shuffled", deck=scene.prompt["shuffle"] or "blue", count=len(scene.stream.setting.deck) - 1)


@PACK.add(Irregularity.SHORT_DECK, "stub", "the shoe counts a card too few as the undealt cards are shuffled")
def short_stub(scene: Scene) -> None:
    _reshuffle(scene)
    scene.do("stub.shuffled", count=len(scene.stream.layout.stub))


@PACK.add(Irregularity.SHORT_DECK, "unseen", "a card leaves the shoe, and no reader sees it come to rest")
def unseen_card(scene: Scene) -> None:
    scene.need_card_due()
    scene.do("shoe.card", card=scene.stream.layout.draw(), face="down", deck=scene.stream.deck)
    for _ in range(3):
        scene.goes_on()


@PACK.add(Irregularity.FOREIGN_CARD, "count", "a check finds a card that does not belong to the pack")
def foreign_by_check(scene: Scene) -> None:
    deck = scene.stream.setting.deck
    scene.do("shoe.deck_checked", deck=scene.stream.deck, count=len(deck) + 1, foreign=[JOKER])


@PACK.add(Irregularity.FOREIGN_CARD, "dealt", "the card that is due is none of the pack")
def foreign_card(scene: Scene) -> None:
    scene.need(JOKER not in scene.stream.setting.deck, "the pack has a joker")
    scene.deal(scene.need_card_due(), card=JOKER)


@PACK.add(Irregularity.DUPLICATE_CARD, "count", "a check finds a card twice")
def double_by_check(scene: Scene) -> None:
    deck = scene.stream.setting.deck
    scene.do("shoe.deck_checked", deck=scene.stream.deck, count=len(deck) + 1, duplicate=[_card_out(scene)])


@PACK.add(Irregularity.DUPLICATE_CARD, "dealt", "the card that is due lies on the table already")
def double_card(scene: Scene) -> None:
    zone = scene.need_card_due()
    scene.need_round()
    scene.deal(zone, card=_card_out(scene))


def _card_out(scene: Scene) -> str:
    """A card that lies on the table; with none there, any."""
    zones = scene.stream.layout.zones
    lying = [card.card for cards in zones.values() for card in cards]
    return lying[0] if lying else min(scene.stream.setting.deck)


@PACK.add(Irregularity.WRONG_DECK, "", "the pack of the round before is used again")
def same_pack(scene: Scene) -> None:
    scene.need(scene.book.deck.packs > 1, "the game has one pack")
    scene.need("shuffle" in scene.prompt and scene.stream.shuffles > 0, "no other pack is due to be shuffled")
    last = next(deed["deck"] for deed in reversed(scene.stream.done) if deed["ev"] == "shoe.shuffled")
    scene.do("shoe.shuffled", deck=last, count=len(scene.stream.setting.deck))
    scene.first_card()


def _fault(kind: str) -> None:
    words = kind.replace("_", " ")

    @PACK.add(Irregularity.SHOE_MALFUNCTION, kind, f"the shoe reports a fault: {words}")
    def shoe_fault(scene: Scene) -> None:
        scene.do("shoe.fault", kind=kind, deck=scene.stream.deck)


for _kind in ("jam", "lid_open", "cards_damaged", "shuffle_failed"):
    _fault(_kind)


@PACK.add(Irregularity.SHOE_UNAVAILABLE, "shoe", "the shoe does not answer any more")
def shoe_gone(scene: Scene) -> None:
    scene.do("device.state", device="shoe", online=False)


@PACK.add(Irregularity.SHOE_UNAVAILABLE, "card", "the shoe does not answer any more, and the card that is due comes")
def shoe_gone_before_card(scene: Scene) -> None:
    zone = scene.need_card_due()
    scene.need_round()
    scene.do("device.state", device="shoe", online=False)
    scene.deal(zone)


@PACK.add(Irregularity.SHOE_UNAVAILABLE, "start", "the shoe does not answer, and the deal begins")
def shoe_gone_at_start(scene: Scene) -> None:
    scene.need_ready()
    scene.need("cut" not in scene.prompt, "the cards are to be cut first")
    scene.do("device.state", device="shoe", online=False)
    scene.first_card()


@PACK.add(Irregularity.CARD_NOT_FROM_SHOE, "", "the card that is due comes from elsewhere than the shoe")
def from_nowhere(scene: Scene) -> None:
    scene.need(scene.stream.setting.shoe, "the table has no shoe")
    scene.deal(scene.need_card_due(), from_shoe=False)


@PACK.add(
    Irregularity.INSUFFICIENT_CARDS, "", "the pack does not suffice for so many players", seats=(1, 2, 3, 4, 5, 6, 7, 8)
)
def too_many_players(scene: Scene) -> None:
    scene.need(scene.book.seats.most >= len(scene.seats), "the table has fewer seats")
    most = sum(street.own_cards for street in scene.book.streets) + 5 * any(s.draw for s in scene.book.streets)
    scene.need(most * len(scene.seats) > len(scene.stream.setting.deck), "the pack has cards enough for every player")
    scene.need("deal" in scene.prompt or "draw" in scene.prompt, NO_CARD_DUE)
    scene.goes_on()
