"""Two faults at once: two traits of one card or one action, and two faults on events that follow each other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from feltd.books.moments.fault import Fault, Make
from feltd.books.moments.faults.all_faults import BY_KEY
from feltd.books.moments.scene import NO_PLAYERS_CARD, Scene
from table_fsm.felt import JOKER
from table_fsm.rulebook.irregularities import Irregularity


@dataclass(slots=True)
class CardPlan:
    """How the next card comes: as it is due, but for the traits of the pair."""

    zone: str
    card: str | None = None
    face: str | None = None
    boxed: bool = False
    from_shoe: bool = True


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing that is wrong with a card. Two of one `slot` cannot be wrong with the same card.

    `before`: what was left undone or done wrong before the card, and is noticed as it comes.
    """

    name: str
    slot: str
    irregularity: Irregularity
    words: str
    change: Callable[[Scene, CardPlan], None] = lambda scene, plan: None
    before: Make | None = None


def _face_up(scene: Scene, plan: CardPlan) -> None:
    scene.need(scene.prompt.get("face") != "up", "the card that is due belongs face up")
    plan.face = "up"


def _face_down(scene: Scene, plan: CardPlan) -> None:
    scene.need(scene.prompt.get("face") == "up" and plan.zone.startswith("seat:"), "no open card of a player is due")
    plan.face = "down"


def _box(scene: Scene, plan: CardPlan) -> None:
    plan.boxed, plan.face = True, "up"


def _foreign(scene: Scene, plan: CardPlan) -> None:
    scene.need(JOKER not in scene.stream.setting.deck, "the pack has a joker")
    plan.card = JOKER


def _double(scene: Scene, plan: CardPlan) -> None:
    lying = [card.card for cards in scene.stream.layout.zones.values() for card in cards]
    scene.need(bool(lying), "no card lies on the table")
    plan.card = lying[0]


def _from_elsewhere(scene: Scene, plan: CardPlan) -> None:
    plan.from_shoe = False


def _to_next(scene: Scene, plan: CardPlan) -> None:
    scene.need(plan.zone.startswith("seat:"), NO_PLAYERS_CARD)
    plan.zone = f"seat:{scene.after(int(plan.zone[5:]))}"


def _to_empty(scene: Scene, plan: CardPlan) -> None:
    scene.need(plan.zone.startswith("seat:"), NO_PLAYERS_CARD)
    plan.zone = f"seat:{scene.empty_seat}"


def _to_board(scene: Scene, plan: CardPlan) -> None:
    scene.need(bool(scene.book.streets[-1].communal_cards), "the game has no board")
    scene.need("act" in scene.prompt or "burn" in scene.prompt, "a card of the board cannot come too early here")
    plan.zone = scene.free_board or scene.cannot("the board has all its cards")


def _to_full_hand(scene: Scene, plan: CardPlan) -> None:
    scene.need("act" in scene.prompt and bool(scene.live), "no betting is open")
    plan.zone = f"seat:{scene.live[0]}"


def _uncut(scene: Scene) -> None:
    scene.need("cut" in scene.prompt, "the cards are not lying there to be cut")
    scene.pay_stakes()


def _thinly_cut(scene: Scene) -> None:
    scene.need("cut" in scene.prompt, "the cards are not lying there to be cut")
    scene.do("cut", by=scene.prompt.get("by") or "dealer", depth=1)
    scene.pay_stakes()


def _button(scene: Scene) -> None:
    scene.need_ready()
    scene.need(scene.book.button.used and "cut" not in scene.prompt, "the button is not judged here")
    scene.do("marker.placed", marker=scene.book.button.marker, seat=scene.wrong_button())


def _offline(scene: Scene) -> None:
    scene.need_ready()
    scene.need("cut" not in scene.prompt, "the cards are to be cut first")
    scene.do("device.state", device="shoe", online=False)


def _unshuffled(scene: Scene) -> None:
    scene.need("shuffle" in scene.prompt, "the pack has been shuffled")
    if not scene.stream.layout.stub:
        scene.stream.layout.fresh(sorted(scene.stream.setting.deck, key=lambda card: card[::-1] + card[0]))


_I = Irregularity
TRAITS: Final = (
    Trait("uncut", "cut", _I.CUT_MISSING, "the cards were not cut", before=_uncut),
    Trait("thin-cut", "cut", _I.CUT_TOO_THIN, "the cut was too thin", before=_thinly_cut),
    Trait("unshuffled", "cut", _I.NOT_SHUFFLED, "the pack was not shuffled", before=_unshuffled),
    Trait("button", "button", _I.BUTTON_WRONG, "the button lies at the wrong seat", before=_button),
    Trait("offline", "shoe", _I.SHOE_UNAVAILABLE, "the shoe does not answer", before=_offline),
    Trait("boxed", "face", _I.BOXED_CARD, "the card lies face up in the pack", _box),
    Trait("up", "face", _I.HOLE_EXPOSED, "the card comes face up", _face_up),
    Trait("down", "face", _I.OPEN_CARD_DOWN, "the card belongs face up and comes face down", _face_down),
    Trait("foreign", "card", _I.FOREIGN_CARD, "the card is none of the pack", _foreign),
    Trait("double", "card", _I.DUPLICATE_CARD, "the card lies on the table already", _double),
    Trait("elsewhere", "shoe", _I.CARD_NOT_FROM_SHOE, "the card comes from elsewhere than the shoe", _from_elsewhere),
    Trait("next-seat", "zone", _I.DEALT_OUT_OF_TURN, "the card goes to the next player", _to_next),
    Trait("empty-seat", "zone", _I.EXTRA_HAND, "the card goes to an empty seat", _to_empty),
    Trait("full-hand", "zone", _I.EXCESS_CARD, "the card goes to a player whose hand is full", _to_full_hand),
    Trait("board", "zone", _I.BOARD_PREMATURE, "the card goes to the board, too early or without a burn", _to_board),
)
"""All that can be wrong with one card; two of different slots can be at once."""


def _make(*traits: Trait) -> Make:
    def make(scene: Scene) -> None:
        for trait in traits:
            if trait.before is not None:
                trait.before(scene)
        due = scene.prompt.get("deal") or ("burn" if "burn" in scene.prompt else None)
        first = any(trait.before is not None for trait in traits)
        zone = due or (f"seat:{scene.first_seat()}" if first and not scene.house else "board:1" if first else None)
        placed = any(trait.slot == "zone" for trait in traits)
        scene.need(zone is not None or placed, "no card is due")
        plan = CardPlan(zone or "")
        for trait in traits:
            trait.change(scene, plan)
        scene.deal(plan.zone, card=plan.card, face=plan.face, boxed=plan.boxed, from_shoe=plan.from_shoe)

    return make


def on_one_card() -> Iterator[Fault]:
    """Every two and every three traits that one card can have."""
    for number in (2, 3):
        for traits in combinations(TRAITS, number):
            if len({trait.slot for trait in traits}) == number:
                words = ", and ".join(trait.words for trait in traits)
                yield Fault(traits[0].irregularity, "+".join(t.name for t in traits), words, _make(*traits))


IN_A_ROW: Final = (
    "cut_exposed",
    "foreign_card.dealt",
    "duplicate_card.dealt",
    "shoe_malfunction.jam",
    "card_not_from_shoe",
    "hole_exposed.dealt",
    "hole_exposed.lying",
    "dealt_out_of_turn",
    "player_missed",
    "extra_hand",
    "excess_card",
    "wrong_card_count.taken",
    "cards_mixed",
    "card_left_table.dealer",
    "boxed_card.dealt",
    "board_premature",
    "burn_missing",
    "burn_extra",
    "burn_exposed.lying",
    "player_exposed",
    "action_out_of_turn.bet",
    "bet_short.call",
    "betting_incomplete",
    "dealer_hand_exposed.lying",
    "wager_after_deal.trips",
    "wager_invalid.multiple",
    "hand_without_wager",
)
"""Faults of which every two are made on events that follow each other."""


def in_a_row() -> Iterator[Fault]:
    """Every two of the faults chosen, in both orders, with nothing between them; each with itself too."""
    for first in IN_A_ROW:
        for second in IN_A_ROW:
            one, two = BY_KEY[first], BY_KEY[second]
            name = f"{one.name} then {two.key}".strip()
            yield Fault(one.irregularity, name, f"{one.words}; then {two.words}", _both(one.make, two.make))


def _both(first: Make, second: Make) -> Make:
    def make(scene: Scene) -> None:
        first(scene)
        second(scene)

    return make


def among(name: str) -> bool:
    """Whether traits of one card are looked at at a moment of this name: in one plain round."""
    return "/" not in name and name not in ("check", "between", "settled", "showdown.next")


def among_few(name: str) -> bool:
    """Whether faults in a row are looked at at a moment of this name: some of one plain round."""
    return name in ("deal.1", "deal.2", "deal.last", "showdown") or (name.endswith(_FEW) and "/" not in name)


_FEW: Final = ("flop.owed", "flop.open", "river.begun", "street1.open", "street2.owed", "third.open", "fourth.open")
