"""Faults of the board and the burn."""

from feltd.books.moments.croupier import begins_in_break
from feltd.books.moments.fault import Register
from feltd.books.moments.scene import Scene
from table_fsm.rulebook.irregularities import Irregularity

BOARD_FAULTS = Register()
NO_BOARD = "the game has no board"
NO_BURN = "the game burns no cards"
BOARD_FULL = "the board has all its cards"
NO_BURN_DUE = "no burn is due"


def _need_board(scene: Scene) -> str:
    """The next free place of the board; raises CannotError."""
    scene.need(any(step.to == "board" for street in scene.book.streets for step in street.deal), NO_BOARD)
    return scene.free_board or scene.cannot(BOARD_FULL)


def _need_burns(scene: Scene) -> None:
    scene.need(any(street.burn for street in scene.book.streets), NO_BURN)


@BOARD_FAULTS.add(Irregularity.BOARD_PREMATURE, "", "a card of the board comes while a betting round is not over")
def premature(scene: Scene) -> None:
    zone = _need_board(scene)
    scene.need("act" in scene.prompt or "close" in scene.prompt, "no betting round is open")
    scene.deal(zone)


@BOARD_FAULTS.add(Irregularity.BOARD_PREMATURE, "burnt", "a burn and a card of the board come too early")
def premature_with_burn(scene: Scene) -> None:
    _need_burns(scene)
    zone = _need_board(scene)
    scene.need("act" in scene.prompt or "close" in scene.prompt, "no betting round is open")
    scene.deal("burn")
    scene.deal(zone)


@BOARD_FAULTS.add(Irregularity.BOARD_PREMATURE, "flop", "a burn and the flop come too early")
def premature_flop(scene: Scene) -> None:
    _need_burns(scene)
    scene.need(_need_board(scene) == "board:1", "the flop lies on the board")
    scene.need("act" in scene.prompt or "close" in scene.prompt, "no betting round is open")
    scene.deal("burn")
    for number in (1, 2, 3):
        scene.deal(f"board:{number}")


@BOARD_FAULTS.add(Irregularity.BOARD_PREMATURE, "turned", "the board is turned before all have decided")
def turned_early(scene: Scene) -> None:
    scene.need_house()
    scene.need("decide" in scene.prompt, "nobody is to decide")
    hidden = [f"board:{n}" for n in range(1, 6) if scene.stream.layout.down(f"board:{n}")]
    scene.need(bool(hidden), "the whole board lies face up")
    scene.stream.turn(hidden[0])


@BOARD_FAULTS.add(Irregularity.BOARD_EARLY, "", "a card of the board comes before anybody has acted")
def early(scene: Scene) -> None:
    zone = _need_board(scene)
    scene.need("act" in scene.prompt, "no betting round is open")
    begun = any(deed["ev"] == "action" and deed["action"] != "post" for deed in scene.stream.done[-1:])
    scene.need(not begun, "the betting has begun")
    scene.deal(zone)


@BOARD_FAULTS.add(Irregularity.BOARD_OVERDEALT, "", "one card more than is due comes to the board, with no burn")
def overdealt(scene: Scene) -> None:
    zone = _need_board(scene)
    last = scene.prompt.get("deal") == zone and not scene.house
    scene.need(last, "the last card of a street is not due")
    scene.deal(zone)
    scene.need("act" in scene.prompt, "more cards of this street are due")
    scene.deal(_need_board(scene))


@BOARD_FAULTS.add(Irregularity.BURN_MISSING, "", "a card of the board comes, and none was burnt")
def no_burn(scene: Scene) -> None:
    _need_burns(scene)
    scene.need("burn" in scene.prompt, NO_BURN_DUE)
    scene.deal(_need_board(scene))


@BOARD_FAULTS.add(Irregularity.BURN_MISSING, "street", "a whole street comes, and no card was burnt")
def no_burn_street(scene: Scene) -> None:
    _need_burns(scene)
    scene.need("burn" in scene.prompt, NO_BURN_DUE)
    cards = 3 if _need_board(scene) == "board:1" else 1
    for _ in range(cards):
        scene.deal(_need_board(scene))


@BOARD_FAULTS.add(Irregularity.BURN_MISSING, "draw", "five cards are replaced without a discard")
def no_discard(scene: Scene) -> None:
    scene.need(any(street.draw for street in scene.book.streets), "the game has no draw")
    seat = scene.prompt.get("draw")
    scene.need(isinstance(seat, int), "no player is to draw")
    cards = scene.stream.layout.names(f"seat:{seat}")
    scene.do("draw", seat=seat, count=len(cards))
    for card in list(cards):
        scene.do("card.removed", zone=f"seat:{seat}", card=card)
    scene.stream.layout.in_hand.clear()
    for _ in cards:
        scene.deal(f"seat:{seat}")
    while "burn" not in scene.prompt and "deal" in scene.prompt:
        scene.goes_on()


@BOARD_FAULTS.add(Irregularity.BURN_EXTRA, "", "a card is burnt that is not due to be")
def extra_burn(scene: Scene) -> None:
    scene.need_round()
    scene.need(scene.view["phase"] not in ("settling", "complete"), "no card is dealt any more")
    if "burn" in scene.prompt:
        scene.deal("burn")
    scene.deal("burn")


@BOARD_FAULTS.add(Irregularity.BURN_EXPOSED, "dealt", "the burn card comes face up")
def burn_up(scene: Scene) -> None:
    _need_burns(scene)
    scene.need("burn" in scene.prompt, NO_BURN_DUE)
    scene.deal("burn", face="up")


@BOARD_FAULTS.add(Irregularity.BURN_EXPOSED, "lying", "a card that was burnt is seen")
def burn_seen(scene: Scene) -> None:
    hidden = scene.unspent("burn")
    scene.need(bool(hidden), "no burnt card lies face down")
    scene.do("card.exposed", zone="burn", card=hidden[-1], by="dealer")


@BOARD_FAULTS.add(Irregularity.NOT_TABLED, "", "the round is ended with hands that lie face down")
def not_tabled(scene: Scene) -> None:
    scene.need_round()
    scene.need(len(scene.live) > 1, "one hand is left, and need not be shown")
    scene.hidden()
    scene.do("hand.end")


@BOARD_FAULTS.add(
    Irregularity.NOT_TABLED, "card", "a card of the board comes, and hands that must be open lie face down"
)
def not_tabled_card(scene: Scene) -> None:
    scene.need("show" in scene.prompt, "no hand must be open")
    scene.hidden()
    _need_board(scene)
    if scene.book.streets[1].burn:
        scene.deal("burn")
    scene.deal(_need_board(scene))


@BOARD_FAULTS.add(Irregularity.ROUND_UNFINISHED, "", "the round is ended before the pots can be pushed")
def round_unfinished(scene: Scene) -> None:
    scene.need_round()
    scene.need(len(scene.live) > 1, "one hand is left, and the round is over")
    scene.need("collect" not in scene.prompt, "the round is over")
    scene.do("hand.end")


@BOARD_FAULTS.add(Irregularity.NOT_RELEASED, "hand", "a hand begins that the director has not let go")
def not_released(scene: Scene) -> None:
    scene.need(scene.prompt.get("wait") == "go" and not scene.in_round, "no hand waits for the director")
    scene.deal(f"seat:{scene.first_seat()}")


@BOARD_FAULTS.add(Irregularity.NOT_RELEASED, "break", "the deal begins in a break of the schedule")
def dealt_in_break(scene: Scene) -> None:
    tournament = scene.view["tournament"]
    scene.need(bool(tournament and tournament["break_left"]), "there is no break")
    scene.need_ready()
    scene.need("cut" not in scene.prompt, "the cards are to be cut first")
    scene.need(begins_in_break(tournament), "the deal was begun before the break")
    scene.first_card()


@BOARD_FAULTS.add(Irregularity.NOT_RELEASED, "showdown", "a card of the board comes while a showdown is held")
def showdown_not_released(scene: Scene) -> None:
    scene.need(scene.prompt.get("wait") == "go" and scene.in_round, "no showdown waits for the director")
    scene.deal(_need_board(scene))


@BOARD_FAULTS.add(Irregularity.NOT_RELEASED, "turned", "a hand is turned up while a showdown waits for the director")
def hand_not_released(scene: Scene) -> None:
    scene.need(scene.prompt.get("wait") == "go" and scene.in_round, "no showdown waits for the director")
    scene.stream.turn(f"seat:{scene.hidden()}")


@BOARD_FAULTS.add(Irregularity.NOT_RELEASED, "race", "the deal begins, and a chip race is not finished")
def race_not_finished(scene: Scene) -> None:
    scene.need(scene.book.tournament.race is not None, "the book has no chip races")
    scene.need_ready()
    scene.need("cut" not in scene.prompt, "the cards are to be cut first")
    scene.do("race.start", chip=100, new_chip=500, odd={str(seat): 2 for seat in scene.seats})
    scene.deal(f"seat:{scene.first_seat()}")
