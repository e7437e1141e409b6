"""Faults of the deal: where cards go, and cards that are seen."""

from feltd.books.moments.croupier import Croupier
from feltd.books.moments.fault import Register, needs
from feltd.books.moments.layout import Deed
from feltd.books.moments.scene import NO_BETTING, NO_HIDDEN, NO_PLAYERS_CARD, Scene
from table_fsm.rulebook.irregularities import Irregularity

DEAL = Register()
NOT_LAST = "it is not the last card before the betting"
FACE_UP_DUE = "the card that is due belongs face up"


def _need_hole_due(scene: Scene) -> int:
    seat = scene.need_player_due()
    scene.need(scene.prompt.get("face") != "up", FACE_UP_DUE)
    return seat


@DEAL.add(Irregularity.BOXED_CARD, "", "the next card lies face up in the pack, and stays in the dealer's hand")
def boxed(scene: Scene) -> None:
    scene.need_card_due()
    card = scene.stream.layout.draw() or scene.cannot("no card is left")
    scene.do("shoe.card", card=card, face="up", deck=scene.stream.deck)
    scene.stream.layout.in_hand.append(card)


@DEAL.add(Irregularity.BOXED_CARD, "dealt", "the next card lies face up in the pack, and goes where it is due")
def boxed_and_dealt(scene: Scene) -> None:
    scene.deal(scene.need_card_due(), face="up", boxed=True)


@DEAL.add(
    Irregularity.BOXED_CARD, "betting", "while the players bet, a card leaves the pack face up, and stays in the hand"
)
def boxed_while_they_bet(scene: Scene) -> None:
    _boxed_in_betting(scene)


@DEAL.add(
    Irregularity.BOXED_CARD, "back", "while the players bet, a card leaves the pack face up, and is laid back on it"
)
def boxed_and_laid_back(scene: Scene) -> None:
    card = _boxed_in_betting(scene)
    scene.do("card.placed", zone="shoe", card=card, face="up", deck=scene.stream.deck)
    scene.stream.layout.in_hand.clear()
    scene.stream.layout.stub.append(card)


def _boxed_in_betting(scene: Scene) -> str:
    scene.need(bool({"act", "open", "close"} & scene.prompt.keys()), NO_BETTING)
    card = scene.stream.layout.draw() or scene.cannot("no card is left")
    scene.do("shoe.card", card=card, face="up", deck=scene.stream.deck)
    scene.stream.layout.in_hand.append(card)
    return card


@DEAL.add(Irregularity.BOXED_CARD, "seen", "the top card of the pack is seen where it lies")
def top_card_seen(scene: Scene) -> None:
    scene.need_round()
    scene.need(bool(scene.stream.layout.stub), "no card is left")
    scene.do("card.exposed", zone="shoe", card=scene.stream.layout.stub[-1], by="dealer")


@DEAL.add(Irregularity.HOLE_EXPOSED, "dealt", "the card that is due face down comes face up")
def dealt_up(scene: Scene) -> None:
    scene.deal(f"seat:{_need_hole_due(scene)}", face="up")


@DEAL.add(
    Irregularity.HOLE_EXPOSED,
    "dealt-no-burn",
    "with no burns, the card that is due face down comes face up",
    options=needs(burn=0),
)
def dealt_up_without_burns(scene: Scene) -> None:
    dealt_up(scene)


@DEAL.add(Irregularity.HOLE_EXPOSED, "lying", "the dealer shows a card that lies face down before a player")
def flashed(scene: Scene) -> None:
    seat = scene.hidden()
    scene.do("card.exposed", zone=f"seat:{seat}", card=scene.hole(seat), by="dealer")


@DEAL.add(Irregularity.HOLE_EXPOSED, "other", "the dealer shows a card of one player, then one of another")
def two_players_flashed(scene: Scene) -> None:
    first = scene.hidden()
    second = scene.hidden(besides=first)
    for seat in (first, second):
        scene.do("card.exposed", zone=f"seat:{seat}", card=scene.hole(seat), by="dealer")


@DEAL.add(Irregularity.HOLE_EXPOSED, "same", "the dealer shows two cards of one player")
def two_of_one_flashed(scene: Scene) -> None:
    seats = [seat for seat in scene.live if len(scene.unspent(f"seat:{seat}")) > 1]
    seat = scene.other_seat(seats, "no player has two cards that lie face down")
    for card in scene.unspent(f"seat:{seat}")[:2]:
        scene.do("card.exposed", zone=f"seat:{seat}", card=card, by="dealer")


@DEAL.add(Irregularity.HOLE_EXPOSED, "shoe", "the shoe shows the card as it comes")
def shown_by_shoe(scene: Scene) -> None:
    seat = _need_hole_due(scene)
    card = scene.deal(f"seat:{seat}")
    scene.do("card.exposed", zone=f"seat:{seat}", card=card, by="shoe")


@DEAL.add(Irregularity.FINAL_HOLE_EXPOSED, "", "the last closed card comes face up")
def last_hole_up(scene: Scene) -> None:
    streets = scene.book.streets
    last = streets[-1].name if streets[-1].faces == ("down",) else None
    scene.need(last is not None, "the last card of this game is not a closed card of the players")
    seat = _need_hole_due(scene)
    scene.need(scene.view["street"] == last, "the last closed card is not due")
    scene.deal(f"seat:{seat}", face="up")


@DEAL.add(Irregularity.FIRST_CARD_UP, "", "a player's first card comes face up")
def first_card_up(scene: Scene) -> None:
    seat = _need_hole_due(scene)
    scene.need(not scene.stream.layout.at(f"seat:{seat}"), "the player has a card already")
    scene.deal(f"seat:{seat}", face="up")


def _need_open_due(scene: Scene) -> int:
    seat = scene.need_player_due()
    scene.need(scene.prompt.get("face") == "up", "the card that is due belongs face down")
    return seat


@DEAL.add(Irregularity.OPEN_CARD_DOWN, "", "the card that is due face up comes face down, and the dealer deals on")
def open_card_down(scene: Scene) -> None:
    seat = _need_open_due(scene)
    as_due = Scene.of(scene.stream.twin())
    as_due.goes_on()
    dealt_next = str(as_due.prompt.get("deal", ""))
    scene.need(dealt_next.startswith("seat:"), "it is the last card before the betting")
    scene.deal(f"seat:{seat}", face="down")
    scene.deal(dealt_next, face=as_due.prompt.get("face"))


@DEAL.add(
    Irregularity.OPEN_CARD_DOWN, "acted", "the last card that is due face up comes face down, and the betting begins"
)
def open_card_down_acted(scene: Scene) -> None:
    seat = _need_open_due(scene)
    scene.need(scene.stream.setting.keys, "without a keypad the table hears of no action")
    deeds = _first_action(scene)
    scene.deal(f"seat:{seat}", face="down")
    for deed in deeds:
        scene.do(**deed)


@DEAL.add(Irregularity.HOLE_EXPOSED_IN_DRAW, "", "a card of the draw comes face up")
def draw_up(scene: Scene) -> None:
    scene.need(any(street.draw for street in scene.book.streets), "the game has no draw")
    seat = _need_hole_due(scene)
    scene.need(scene.view["phase"] == "draw", "no card of the draw is due")
    scene.deal(f"seat:{seat}", face="up")


@DEAL.add(Irregularity.DEALT_OUT_OF_TURN, "", "the card that is due goes to the next player")
def out_of_turn(scene: Scene) -> None:
    scene.deal(f"seat:{_another(scene)}", face=scene.prompt.get("face"))


def _another(scene: Scene) -> int:
    seat = scene.need_player_due()
    return scene.after(seat)


@DEAL.add(Irregularity.DEALT_OUT_OF_TURN, "looked", "the card that is due goes to the next player, who looks at it")
def out_of_turn_looked(scene: Scene) -> None:
    other = _another(scene)
    scene.deal(f"seat:{other}", face=scene.prompt.get("face"))
    scene.do("hand.looked", seat=other)


@DEAL.add(Irregularity.DEALT_OUT_OF_TURN, "up", "the card that is due face down goes face up to the next player")
def out_of_turn_up(scene: Scene) -> None:
    _need_hole_due(scene)
    scene.deal(f"seat:{_another(scene)}", face="up")


@DEAL.add(Irregularity.DEALT_WRONG_FIRST_SEAT, "", "the first card of the deal goes to the wrong seat")
def wrong_first(scene: Scene) -> None:
    seat = scene.need_player_due()
    scene.need(not scene.in_round, "the first card has been dealt")
    scene.deal(f"seat:{scene.after(seat)}")


@DEAL.add(Irregularity.PLAYER_MISSED, "", "a player is passed over, and the pass is dealt to its end")
def missed(scene: Scene) -> None:
    _miss(scene)


@DEAL.add(
    Irregularity.PLAYER_MISSED, "looked", "a player is passed over, the pass is dealt to its end, and another looks"
)
def missed_looked(scene: Scene) -> None:
    seat = _miss(scene)
    scene.do("hand.looked", seat=scene.after(seat))


def _miss(scene: Scene) -> int:
    """Deal on from the player after the one whose card is due, to the next card of the first who got one."""
    seat, face = scene.need_player_due(), scene.prompt.get("face")
    ring = scene.in_deal
    scene.need(len(ring) > 1, "there is no other player")
    held = len(scene.stream.layout.at(f"seat:{seat}"))
    at = ring.index(seat)
    rest = [other for other in ring[at + 1 :] + ring[:at] if len(scene.stream.layout.at(f"seat:{other}")) == held]
    scene.need(bool(rest), "the pass ends with this player")
    for other in rest:
        for _ in range(scene.at_a_time(held)):
            scene.deal(f"seat:{other}", face=face)
    asked = str(scene.prompt.get("deal", ""))
    if asked.startswith("seat:") and asked != f"seat:{seat}":
        scene.deal(asked)
    return seat


@DEAL.add(Irregularity.EXTRA_HAND, "", "the card that is due goes to a seat that is not in the deal")
def extra_hand(scene: Scene) -> None:
    scene.need_player_due()
    scene.deal(f"seat:{scene.empty_seat}", face=scene.prompt.get("face"))


@DEAL.add(Irregularity.EXTRA_HAND, "looked", "a seat that is not in the deal gets a card, and a player looks")
def extra_hand_looked(scene: Scene) -> None:
    seat = _who_looks(scene)
    extra_hand(scene)
    scene.do("hand.looked", seat=seat)


def _who_looks(scene: Scene) -> int:
    return next(iter(scene.live), 0) or scene.cannot("nobody has a card to look at")


@DEAL.add(Irregularity.EXCESS_CARD, "", "a player gets a card that is not due")
def excess(scene: Scene) -> None:
    _give_excess(scene)


def _give_excess(scene: Scene) -> int:
    scene.need_round()
    seats = [seat for seat in scene.live if scene.prompt.get("deal") != f"seat:{seat}"]
    seat = scene.other_seat(seats, "no other player is in the round")
    scene.need(scene.view["phase"] not in ("showdown", "settling", "complete"), "no card is dealt any more")
    scene.deal(f"seat:{seat}", face="down")
    return seat


@DEAL.add(Irregularity.EXCESS_CARD, "looked", "a player gets a card that is not due, and looks at it")
def excess_looked(scene: Scene) -> None:
    scene.do("hand.looked", seat=_give_excess(scene))


@DEAL.add(Irregularity.WRONG_CARD_COUNT, "short", "the last card of the deal stays in the shoe, and the betting begins")
def short_hand(scene: Scene) -> None:
    seat = scene.need_player_due()
    scene.need(not scene.house, "the dealer's cards come last")
    scene.need(scene.stream.setting.keys, "without a keypad the table hears of no action")
    held = {other: len(scene.stream.layout.at(f"seat:{other}")) for other in scene.live}
    others = [cards for other, cards in held.items() if other != seat]
    scene.need(bool(others) and min(others) > held.get(seat, 0), NOT_LAST)
    for deed in _first_action(scene):
        scene.do(**deed)


def _first_action(scene: Scene) -> list[Deed]:
    """What the first to act does once the card that is due has come. Raises CannotError if more cards come."""
    as_due = Scene.of(scene.stream.twin())
    as_due.goes_on()
    scene.need("act" in as_due.prompt or "open" in as_due.prompt, NOT_LAST)
    at = len(as_due.stream.done)
    as_due.goes_on()
    return as_due.stream.done[at:]


@DEAL.add(Irregularity.WRONG_CARD_COUNT, "taken", "a card is taken from a live hand")
def card_taken(scene: Scene) -> None:
    scene.need_round()
    seat = scene.hidden()
    scene.do("card.removed", zone=f"seat:{seat}", card=scene.hole(seat))
    scene.stream.layout.in_hand.clear()


@DEAL.add(Irregularity.CARDS_MIXED, "", "a card of one player is put to another's")
def mixed(scene: Scene) -> None:
    first = scene.hidden()
    second = scene.hidden(besides=first)
    card = scene.hole(first)
    scene.do("card.removed", zone=f"seat:{first}", card=card)
    scene.do("card.placed", zone=f"seat:{second}", card=card, face="down", deck=scene.stream.deck)


@DEAL.add(Irregularity.CARD_LEFT_TABLE, "dealer", "the dealer drops a player's card on the floor")
def dropped_by_dealer(scene: Scene) -> None:
    _drop(scene, "dealer")


@DEAL.add(Irregularity.CARD_LEFT_TABLE, "player", "a player's card falls on the floor")
def dropped_by_player(scene: Scene) -> None:
    _drop(scene, "player")


def _drop(scene: Scene, by: str) -> None:
    scene.need_round()
    seat = scene.hidden()
    scene.do("card.left_table", zone=f"seat:{seat}", card=scene.hole(seat), by=by)


@DEAL.add(Irregularity.MUCKED_CARD_RETURNED, "", "a card of a folded hand comes back from the discards")
def returned(scene: Scene) -> None:
    seat = scene.need_betting()
    cards = list(scene.stream.layout.names(f"seat:{seat}"))
    scene.do("action", seat=seat, action="fold", cents=None)
    for card in cards:
        scene.do("card.removed", zone=f"seat:{seat}", card=card)
        scene.do("card.placed", zone="muck", card=card, face="down", deck=scene.stream.deck)
    other = scene.hidden()
    scene.do("card.removed", zone="muck", card=cards[-1])
    scene.do("card.placed", zone=f"seat:{other}", card=cards[-1], face="down", deck=scene.stream.deck)


@DEAL.add(Irregularity.PLAYER_EXPOSED, "", "a player shows a card of their own")
def shown_by_player(scene: Scene) -> None:
    scene.need_round()
    seat = scene.hidden()
    scene.do("card.exposed", zone=f"seat:{seat}", card=scene.hole(seat), by="player")


@DEAL.add(Irregularity.PLAYER_EXPOSED, "turned", "a player turns their hand up while others are to act")
def turned_by_player(scene: Scene) -> None:
    scene.need("act" in scene.prompt or "decide" in scene.prompt, "nobody is to act")
    scene.stream.turn(f"seat:{scene.hidden()}")


@DEAL.add(Irregularity.FOLD_EXPOSED, "", "a card of a folded hand is seen")
def fold_seen(scene: Scene) -> None:
    seat = scene.need_betting()
    hidden = scene.stream.layout.down(f"seat:{seat}")
    scene.need(bool(hidden), NO_HIDDEN)
    scene.do("action", seat=seat, action="fold", cents=None)
    scene.do("card.exposed", zone=f"seat:{seat}", card=hidden[0], by="player")


@DEAL.add(Irregularity.FOLD_EXPOSED, "muck", "a folded hand is passed to the discards face up")
def fold_up(scene: Scene) -> None:
    seat = scene.need_betting()
    cards = list(scene.stream.layout.names(f"seat:{seat}"))
    scene.need(bool(cards), "the player has no cards")
    scene.do("action", seat=seat, action="fold", cents=None)
    for card in cards:
        scene.do("card.removed", zone=f"seat:{seat}", card=card)
        scene.do("card.placed", zone="muck", card=card, face="up", deck=scene.stream.deck)


# -- against the house


def _need_boxes_due(scene: Scene) -> None:
    scene.need_house()
    due = str(scene.prompt.get("deal", ""))
    scene.need(due == "dealer" or due.startswith("seat:"), NO_PLAYERS_CARD)


@DEAL.add(Irregularity.HAND_WITHOUT_WAGER, "", "a box without wagers gets a card")
def empty_box(scene: Scene) -> None:
    _need_boxes_due(scene)
    scene.deal(f"seat:{scene.empty_seat}")


@DEAL.add(
    Irregularity.HAND_WITHOUT_WAGER, "looked", "a player looks at their hand, and a box without wagers gets a card"
)
def empty_box_after_look(scene: Scene) -> None:
    _need_boxes_due(scene)
    due = scene.prompt["deal"]
    while due != "dealer" and scene.prompt.get("deal") == due:
        scene.goes_on()
    scene.do("hand.looked", seat=scene.live[0])
    scene.deal(f"seat:{scene.empty_seat}")


@DEAL.add(Irregularity.HAND_WITHOUT_WAGER, "looked-after", "a box without wagers gets a card, and then a player looks")
def empty_box_before_look(scene: Scene) -> None:
    seat = _who_looks(scene)
    empty_box(scene)
    scene.do("hand.looked", seat=seat)


@DEAL.add(Irregularity.DEAL_REVEALED, "board", "a card of the board comes face up in the deal")
def board_revealed(scene: Scene) -> None:
    scene.need_house()
    zone = scene.need_card_due()
    scene.need(zone.startswith("board"), "no card of the board is due")
    scene.deal(zone, face="up")


@DEAL.add(Irregularity.DEAL_REVEALED, "lying", "a card of the board that lies face down is seen")
def board_seen(scene: Scene) -> None:
    scene.need_house()
    zones = [zone for zone, cards in scene.stream.layout.zones.items() if zone.startswith("board") and cards]
    hidden = [zone for zone in zones if scene.unspent(zone)]
    scene.need(bool(hidden), "no card of the board lies face down")
    scene.do("card.exposed", zone=hidden[0], card=scene.unspent(hidden[0])[0], by="dealer")


@DEAL.add(Irregularity.DEALER_HAND_EXPOSED, "dealt", "a card of the dealer's hand comes face up")
def dealer_up(scene: Scene) -> None:
    scene.need_house()
    scene.need(scene.prompt.get("deal") == "dealer", "no card of the dealer is due")
    scene.deal("dealer", face="up")


@DEAL.add(Irregularity.DEALER_HAND_EXPOSED, "lying", "a card of the dealer's hand is seen")
def dealer_seen(scene: Scene) -> None:
    scene.need_house()
    hidden = scene.unspent("dealer")
    scene.need(bool(hidden), "no card of the dealer lies face down")
    scene.do("card.exposed", zone="dealer", card=hidden[0], by="dealer")


@DEAL.add(
    Irregularity.DEALER_HAND_EXPOSED, "after-flop", "all check, one wagers after the flop, and a dealer's card is seen"
)
def dealer_seen_after_flop_wager(scene: Scene) -> None:
    scene.need_house()
    scene.need("decide" in scene.prompt, "nobody is to decide")
    first = scene.book.streets[0].name
    scene.need(scene.view["street"] == first and len(scene.prompt["decide"]) == len(scene.live), "somebody has decided")
    all_check = Croupier(scene.stream, checks=True)
    while scene.view["street"] == first:
        all_check.step()
    while "decide" not in scene.prompt:
        scene.goes_on()
    scene.goes_on()
    dealer_seen(scene)
