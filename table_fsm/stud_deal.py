"""Stud: cards dealt to the players on every street, open and closed, and what is wrong with one that comes.

ACT 2001, appendix D; TAS 2018, part B. The counting is `dealing`'s, the putting right `seat_cards`'.
"""

from table_fsm import betting_events, deal_facts, seat_cards, stud_burns
from table_fsm.core import Core
from table_fsm.dealing import Deal, DealFault
from table_fsm.layout import SEAT_ZONE
from table_fsm.rulebook.vocabulary import Irregularity
from table_fsm.tracker import Placement

# -- what the book has


def next_to_players(core: Core) -> bool:
    """Whether the street after the one in progress begins with cards to the players."""
    following = core.round.street + 1
    return following < len(core.book.streets) and core.book.streets[following].own_cards > 0


def on_last_street(core: Core) -> bool:
    """Whether the street in progress is the book's last, and gives each player a card."""
    return core.round.street > 0 and core.round.street + 1 == len(core.book.streets) and core.street.own_cards > 0


def face_due(core: Core, seat: int, number: int) -> str | None:
    """How the seat's card of that number lies in the deal in progress, the first being 1; None beyond the deal."""
    faces = core.street.faces
    if not 1 <= number <= len(faces):
        return None
    if core.round.street == 0 and seat in core.round.stud.closed:
        return "up" if number == 1 else "down"
    return faces[number - 1]


def next_face(core: Core, seat: int) -> str:
    """How the next card to this seat lies."""
    deal = core.round.deal
    return face_due(core, seat, deal.dealt.get(seat, 0) + 1 if deal is not None else 1) or "down"


def looks_matter(core: Core) -> bool:
    """Whether a player's look at their cards can be one at the cards of this deal: not where they all lie open."""
    return core.round.street == 0 or "down" in core.street.faces


def unseen(core: Core, fault: DealFault, seat: int) -> str:
    """Whether a fault of the deal can be put right with no card shown that belongs face down: "yes" or "no".

    Who is missed in the pass of closed cards gets the next one of it, and so on round the table: the first open card
    of the second pass would then belong face down. A card to nobody belongs to the player who was due it.
    """
    deal = core.round.deal
    if deal is None or "up" not in core.street.faces:
        return "yes"
    tracker, closed = core.round.tracker, core.round.stud.closed
    if fault is DealFault.EXTRA_HAND:
        due = deal.due()
        wants_closed = due is not None and next_face(core, due) == "down"
        return "no" if wants_closed and tracker.ups(SEAT_ZONE[seat]) else "yes"
    open_cards = any(tracker.ups(SEAT_ZONE[other]) > (other in closed) for other in deal.ring)
    lacks_closed = face_due(core, seat, deal.dealt.get(seat, 0) + 1) == "down"
    return "no" if fault is DealFault.PLAYER_MISSED and lacks_closed and open_cards else "yes"


# -- a deal to the players after a betting round


def open_deal(core: Core) -> None:
    """The betting has ended: the next cards go to the players who are still in, all-in or not."""
    round_ = core.round
    betting, before = round_.betting, round_.deal
    assert betting is not None
    if before is not None:
        round_.deals_before.append(before)
    gone = set() if betting.ever_keyed else {seat for seat in betting.live if not _holds_cards(core, seat)}
    deal = Deal(list(betting.live), core.street.own_cards, gone)
    round_.deal = deal
    round_.errors.clear()
    round_.in_hand = 0
    round_.looks.seats.clear()
    if not round_.stud.burns_owed:  # else what came too soon is burnt
        for seat in round_.stud.early:
            deal.take(seat)
        round_.stud.early.clear()
    judge_supply(core)
    if core.collecting() or round_ is not core.round:
        return
    seat_cards.complete_if_so(core)


def _holds_cards(core: Core, seat: int) -> bool:
    """Whether cards lie before the player. With no keypad, cards taken away are all that tells of a fold."""
    return core.round.tracker.holds(SEAT_ZONE[seat]) > 0


def complete(core: Core) -> None:
    """Everybody has a card, or one in the centre is everybody's: the betting opens."""
    round_ = core.round
    betting, deal = round_.betting, round_.deal
    assert betting is not None
    if round_.stud.communal and not round_.stud.communal_shown:
        return
    if deal is not None and not round_.stud.communal:
        for seat in [seat for seat in betting.live if seat not in deal.dealt]:
            betting_events.fold(core, seat)  # passed over with no cards left: folded, with no keypad to say so
            if round_.decided:
                return
    betting_events.open_next_street(core)


def folded(core: Core, seat: int) -> None:
    """A player folded while a later street is dealt: no card is due any more."""
    round_ = core.round
    if core.rounds.phase == "dealing" and round_.street > 0 and round_.deal is not None:
        round_.deal.leave(seat)
        seat_cards.complete_if_so(core)


# -- faces


def card_lies_open(core: Core, seat: int, placement: Placement) -> None:
    """A card came face up to a player."""
    deal = core.round.deal
    number = deal.dealt.get(seat, 0) if deal is not None else 0
    stud = core.round.stud
    top_seen, stud.top_seen = stud.top_seen, False
    if face_due(core, seat, number) == "up":
        return
    first_open = core.round.street == 0 and number == 1 and "up" in core.street.faces
    if placement.boxed or top_seen:
        if first_open:
            stud.closed.add(seat)
        return
    card_seen(core, seat, placement.card)


def card_seen(core: Core, seat: int | None, card: str | None) -> None:
    """A player's face-down card was seen through the dealer: which one it is decides what is said."""
    round_ = core.round
    deal, betting = round_.deal, round_.betting
    number = deal.dealt.get(seat, 0) if deal is not None and seat is not None else 0
    if round_.street == 0 and number == 1 and "up" in core.street.faces:
        if card is not None:
            round_.exposures.seen.add(card)
        if seat in round_.stud.closed:
            return
        round_.exposures.owners.append(seat)
        core.rule(Irregularity.FIRST_CARD_UP, seat=seat)
        return
    waits = core.rounds.phase == "dealing" or (betting is not None and betting.open and not betting.begun)
    last = on_last_street(core) and "down" in core.street.faces
    if seat is not None and last and number and waits and _is_last_card(core, seat, card):
        final_seen(core, seat, card)
        return
    seat_cards.hole_seen(core, seat, card)


def _is_last_card(core: Core, seat: int, card: str | None) -> bool:
    """Whether the card seen is the last one dealt to the seat, as far as the readers can tell."""
    names = core.round.tracker.names(SEAT_ZONE[seat])
    return card is None or card not in names[:-1]


def final_seen(core: Core, seat: int | None, card: str | None) -> None:
    """A player's last hole card was seen. Each once."""
    round_ = core.round
    if seat is None or ("final", seat) in round_.ruled_seats:
        return
    round_.ruled_seats.add(("final", seat))
    if card is not None:
        round_.exposures.seen.add(card)
    core.rule(Irregularity.FINAL_HOLE_EXPOSED, seat=seat)


def turned_in_order(core: Core, seat: int) -> bool:
    """Whether a card turned face up before a player is one that belongs face up."""
    round_ = core.round
    if core.rounds.phase != "dealing" and (round_.betting is None or round_.betting.begun):
        return False
    due = sum(street.faces.count("up") for street in core.book.streets[: round_.street])
    deal = round_.deal
    number = deal.dealt.get(seat, 0) if deal is not None else 0
    due += [face_due(core, seat, n) for n in range(1, number + 1)].count("up")
    return due > 0 and round_.tracker.ups(SEAT_ZONE[seat]) <= due


# -- too soon


def too_soon(core: Core, seat: int) -> bool:
    """Whether a card to a player is one of the next street's while the betting goes on.

    Before betting has begun it is one too many of the initial deal, in a book that has a row for that.
    """
    betting, deal = core.round.betting, core.round.deal
    if betting is None or not betting.open or not next_to_players(core):
        return False
    assert core.rulebook is not None
    if betting.begun or core.round.street > 0 or not core.rulebook.has_own_row(Irregularity.EXCESS_CARD):
        return betting.begun or core.round.street > 0 or deal is None or seat not in deal.short
    return False


def came_too_soon(core: Core, seat: int) -> None:
    """A card of the next street came before the betting had ended. The others of the same fault are not told again."""
    core.round.stud.early.append(seat)
    rule_too_soon(core)


def rule_too_soon(core: Core) -> None:
    """Rule on the next street's first card, seen or dealt before the betting has ended."""
    ruled = core.round.board.ruled
    if Irregularity.BOARD_PREMATURE.value in ruled:
        return
    if core.rule(Irregularity.BOARD_PREMATURE) is not None:
        ruled.add(Irregularity.BOARD_PREMATURE.value)


# -- cards that lie face up in the pack


def boxed(core: Core) -> None:
    """A boxed card left the shoe: by its place in the round."""
    round_ = core.round
    before = len(round_.tracker.mouth) - 1
    if stud_burns.goes_there(core, before):
        return
    facts = boxed_facts(core, before)
    dealing = core.rounds.phase == "dealing" and core.book.banked == "player"
    if dealing and on_last_street(core) and facts["place"] == "next" and core.street.faces == ("down",):
        seat = _due_after(core, before)
        if seat is not None and not round_.stud.communal:
            final_seen(core, seat, None)
        return
    core.rule(Irregularity.BOXED_CARD, facts)


def boxed_facts(core: Core, before: int = 0) -> dict[str, str]:
    """Where in the round a card lies face up in the pack. `before`: cards at the shoe's mouth that go before it."""
    round_ = core.round
    if next_to_players(core) and round_.betting is not None and round_.betting.open and _deal_over(core):
        return {"during": "later", "place": "other" if before else "first"}
    if not core.in_round or core.book.banked == "house":
        return {"during": "later", "place": "other"}
    if core.rounds.phase != "dealing":
        return {"during": deal_facts.during(core), "place": "other"}
    first = not before and (round_.deal is None or not round_.deal.begun)
    return {"during": deal_facts.during(core), "place": "first" if first else "next"}


def _deal_over(core: Core) -> bool:
    betting = core.round.betting
    return core.round.street > 0 or (betting is not None and betting.begun)


def _due_after(core: Core, cards: int) -> int | None:
    """Who is due the card that comes after so many others out of the shoe."""
    deal = core.round.deal
    if deal is None:
        return None
    waiting = [seat for seat in deal.order[deal.position :] if deal.dealt[seat] < deal.target]
    return waiting[cards] if cards < len(waiting) else None


def goes_back(core: Core, seat: int, placement: Placement) -> bool:
    """Whether the card laid down is a boxed one that a ruling sends back to the undealt cards."""
    if not placement.boxed or not (core.round.board.stub_owed or stud_burns.first_waits(core)):
        return False
    core.round.stud.boxed = SEAT_ZONE[seat], placement.card
    return True


def stub_shuffled(core: Core) -> None:
    """The undealt cards were shuffled: a boxed card went back to them, reported or not."""
    round_ = core.round
    if round_.stud.boxed is not None:
        zone, card = round_.stud.boxed
        if round_.tracker.holds(zone) and (card is None or round_.tracker.where.get(card) == zone):
            round_.tracker.lift(zone, card)
        round_.stud.boxed = None
    round_.tracker.return_boxed()


def top_seen(core: Core) -> bool:
    """The top card of the undealt cards was seen where it lies. Says whether it was judged here, as a player's card."""
    round_ = core.round
    if round_.betting is not None and round_.betting.open and next_to_players(core) and _deal_over(core):
        rule_too_soon(core)
        return True
    deal = round_.deal
    if core.rounds.phase != "dealing" or not any(street.own_cards for street in core.book.streets[1:]):
        return False
    first = deal is None or not deal.begun
    seat = deal.due() if deal is not None else None
    if first or seat is None or next_face(core, seat) == "up":
        core.rule(Irregularity.BOXED_CARD, boxed_facts(core))
        return True
    round_.stud.top_seen = True
    if on_last_street(core):
        final_seen(core, seat, None)
    elif deal is not None and deal.dealt[seat] == 0 and "up" in core.street.faces:
        core.rule(Irregularity.FIRST_CARD_UP, seat=seat)
    else:
        seat_cards.hole_seen(core, seat, None, dealt=False)
    return True


# -- too few cards for everybody's last one


def cards_left(core: Core) -> int:
    """How many cards have not left the pack in this round."""
    tracker = core.round.tracker
    out = sum(len(cards) for cards in tracker.zones.values()) + len(tracker.mouth) + len(tracker.lifted)
    return core.deck_size - out


def judge_supply(core: Core) -> None:
    """As a street's cards are to be dealt: whether those that are left suffice for the players still in."""
    deal = core.round.deal
    if deal is None or core.round.street == 0:
        return
    left = cards_left(core)
    if left >= len(deal.short) + stud_burns.to_come(core):
        return
    short = "earlier"
    if on_last_street(core):
        short = "last" if left > 0 else "none_left"
    core.rule(Irregularity.INSUFFICIENT_CARDS, {"short": short}, each=True)


def make_communal(core: Core) -> None:
    """One open card in the centre is everyone's last: those dealt already go to the discards."""
    round_ = core.round
    deal, stud = round_.deal, round_.stud
    if deal is None or not on_last_street(core) or stud.communal:
        return
    stud.communal = True
    stud.final_opener = None
    stud.final_given = [seat for seat in deal.ring for _ in range(deal.dealt[seat])]
    round_.deal = Deal([], 0)
    round_.errors.clear()


def no_communal(core: Core) -> None:
    """A supervisor takes that back: everyone gets a last card after all."""
    round_ = core.round
    betting, stud = round_.betting, round_.stud
    if betting is None or not stud.communal or core.rounds.phase != "dealing":
        return
    deal = Deal(list(betting.live), core.street.own_cards)
    for seat in stud.final_given:
        deal.take(seat)
    stud.communal = stud.communal_shown = False
    stud.final_given = []
    round_.deal = deal


def instead_of_communal(core: Core, seat: int) -> bool:
    """Whether a card to a player is one of the last cards that one in the centre takes the place of: no fault."""
    if not core.round.stud.communal or core.rounds.phase != "dealing":
        return False
    core.round.stud.final_given.append(seat)
    return True


def retrieved(core: Core, seat: int) -> bool:
    """Whether a card that left a player for the discards is such a last card, and so no fold."""
    given = core.round.stud.final_given
    if not core.round.stud.communal or seat not in given:
        return False
    given.remove(seat)
    return True


def centre_card(core: Core, seat_before: int | None, *, up: bool) -> bool:
    """A card lies in the centre. Says whether it is everyone's last card."""
    round_ = core.round
    if core.rounds.phase != "dealing" or not on_last_street(core):
        return False
    if not round_.stud.communal:
        if seat_before is not None or cards_left(core) > 0:
            return False
        core.rule(Irregularity.INSUFFICIENT_CARDS, {"short": "last"})
    if not round_.stud.communal or round_.stud.communal_shown:
        return False
    if seat_before is not None:
        retrieved(core, seat_before)
    if up:
        communal_shows(core)
    return True


def communal_shows(core: Core) -> None:
    """Everyone's last card shows its face: the last betting round opens."""
    core.round.stud.communal_shown = True
    core.round.board.shown += 1
    complete(core)
