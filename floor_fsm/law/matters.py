"""What the books rule of play between tables: hand for hand, places, money, chips, people, sessions."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from floor_fsm.law.section import Clause, Section
from table_fsm.poker.tournament.races import RaceMethod


class Pace(StrEnum):
    """What hand for hand does to the tournament's clock. The sources disagree."""

    CHARGED = "charged"
    """The Star 7.19: each hand costs the same time of play, however long it takes."""
    RUNNING = "running"
    """Onyx, Hand for Hand 6: the clock runs on, and stands once a level is over."""


class TurnedBy(StrEnum):
    """Who lets the cards of an all-in that was called be turned."""

    LAST_TABLE = "last_table"
    """The Star 7.30: the action is completed on the remaining tables."""
    DIRECTOR = "director"
    """Onyx, Hand for Hand 3: all tables have finished, and the director has said so."""


class HandForHandRules(Section):
    """Hand for hand. `hand_seconds`: of play, that a hand costs where it is charged."""

    pace: Pace
    hand_seconds: Annotated[int, Field(ge=1)] = 180
    turned_by: TurnedBy
    frozen_clause: Clause


class Measure(StrEnum):
    """What ranks those who go out in one hand of one table."""

    STACK = "stack"
    """The stack before the hand: The Star 7.18(b), Onyx Hand for Hand 4."""
    CONTRIBUTION = "contribution"
    """What each put into the pots of that hand: ACT 2001 15.2, TAS C 20.16."""
    DIRECTOR = "director"
    """The director awards the places, and the text names no measure: UTH 16.20."""


class Across(StrEnum):
    """What becomes of those who go out in one hand at different tables."""

    SHARED = "shared"
    """They share: The Star 7.18(a), Onyx Hand for Hand 4."""
    DIRECTOR = "director"
    """The text is silent, and gives the places to the director: ACT 2001 15.1, UTH 16.20, TAS C 20.14."""


class PlaceRules(Section):
    """The places of those who are out."""

    measure: Measure
    across: Across
    across_clause: Clause


class PoolRules(Section):
    """The prize pool, and what each place gets.

    `kept_percent`: the most of the entry fees that the house may keep; None: the text names no most, and the
    tournament's conditions say it. `house`: what an entry pays to the house is beside the entry fee, or a part of it.
    `payouts`: the table that comes with the text; None: the conditions say what each place gets.
    """

    kept_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    house: Literal["beside_the_fee", "of_the_fee"]
    payouts: Literal["star_2025"] | None = None
    payouts_clause: Clause | None = None


class ChipRules(Section):
    """What the text counts chips in. `unit`: points without a worth in money, or dollars that are printed on them.

    Every amount of chips of a tournament under the book is in it. Tables count points, and hundredths of dollars.
    """

    unit: Literal["points", "dollars"]


class StackRules(Section):
    """What a stack can be where players play for each other's chips.

    `others`: every other player has a chip at least, so nobody has all that are in play but the last one. Books of
    before 0.14.0 do not have the row.
    """

    others: Literal["have_a_chip"]


class RebuyRules(Section):
    """Chips bought beside those of an entry. How often, for what and how long the conditions say.

    `after_bust`: who has lost the last chips may buy before the next hand, and stays in. `re_entry_beside`: whether
    somebody may enter again where there are rebuys. `add_on`: whether the text knows an add-on, or a top-up.
    """

    after_bust: bool = False
    re_entry_beside: bool = True
    add_on: bool = False


class GameRow(Section):
    """What the text says of a tournament in one game.

    `least`, `most`: players; `seats`: of a table. `rebuy_below`: who has fewer chips than that may buy, in the unit of
    the text; None: there are no rebuys. `rebuy_until`: through this level. `top_up`: one more at the end of it.
    """

    game: Annotated[str, Field(pattern=r"^[a-z0-9-]+$", max_length=40)]
    least: Annotated[int, Field(ge=2)]
    most: Annotated[int, Field(ge=2)]
    seats: Annotated[int, Field(ge=2, le=11)]
    rebuy_below: Annotated[int, Field(ge=1)] | None = None
    rebuy_until: Annotated[int, Field(ge=1, le=100)] | None = None
    top_up: bool = False


class CancelRules(Section):
    """A tournament that is called off.

    `refund`: everything that was paid goes back; or everything where play has not begun, and then as the director says.
    """

    refund: Literal["all", "all_before_play"]


class WithdrawingRules(Section):
    """An entry that has not played is withdrawn. `refund`: nothing goes back, but what nobody was to pay."""

    refund: Literal["no"]


class ChopRules(Section):
    """A deal on the prize money. `who`: who must agree.

    `without_prize`: somebody of the deal leaves without the right to a prize: the deal is taken back first. Books of
    before 0.14.0 do not say it: there the part is paid.
    """

    who: Literal["all_who_are_left"]
    without_prize: Literal["taken_back_first"] | None = None


class ClockRules(Section):
    """One schedule for all tables.

    `level_holds`: from which deal on. `action_clock_stays`: an action clock in play is never suspended.
    """

    level_holds: Literal["from_the_next_deal"]
    action_clock_stays: bool = False
    action_clock_clause: Clause | None = None


class RaceRules(Section):
    """Chip races, ordered for all tables and tallied at each."""

    method: RaceMethod


class CountRules(Section):
    """Counts of all players' chips. `most`: in a round, heat or final."""

    most: Annotated[int, Field(ge=1)]


class ChipsBackRules(Section):
    """What is held against what was issued at the end."""

    by: Literal["number_and_value"]


class RoundOf(StrEnum):
    """What one round of a penalty is."""

    PLAYERS = "players"
    """A hand for each player at the table where it was imposed (The Star 5, Orbit)."""
    BUTTON = "button"
    """Until the button is where the next hand would have had it (Onyx). At another table its rounds count there
    (ours)."""


class PenaltyRules(Section):
    """Penalties.

    `most_rounds`, `most_hands`: in one penalty; None: the text names no most. `second_warning`: whether a player may be
    warned again.
    """

    round_of: RoundOf
    most_rounds: Annotated[int, Field(ge=0)]
    most_hands: Annotated[int, Field(ge=0)] | None = None
    second_warning: bool


class Leaves(StrEnum):
    """Why a player must leave the tournament."""

    DISQUALIFIED = "disqualified"
    HID_CHIPS = "hid_chips"
    ABSENT = "absent"
    """Not at the table to act, or gone without leave."""
    PLAYED_TOO_LONG = "played_too_long"
    HARM = "harm"
    BARRED = "barred"
    """Issued with a prevention of entry once play had begun."""
    BARRED_BEFORE = "barred_before"
    """The same before it began."""
    BROKE_RULES = "broke_rules"


class Said(StrEnum):
    """What a text says of a thing that may be kept or given back."""

    YES = "yes"
    NO = "no"
    DIRECTOR = "director"
    """The director decides, or the text is silent."""


class LeavingRow(Section):
    """One way to leave; the chips leave play in each.

    `refund`: of the entry fee. `prize`: whether a prize of the place that is reached is paid. `barred`: from the events
    that follow.
    """

    why: Leaves
    refund: Said
    prize: Said
    barred: bool = False


class SessionRules(Section):
    """Sessions, who advances, and equal points. Each is as the conditions announce it."""

    ties: Literal["as_announced"]
    repechage: Literal["as_announced"]
    below_minimum_clause: Clause | None = None
    """Who cannot wager the table's minimum before a round is out; None: the text does not say it."""
    against_house: bool = False
    """Players win from the house and lose to it: their chips are not always those that were issued."""


class SuspensionRules(Section):
    """A tournament that goes on the next day: at the same table and seat, or by a new draw.

    `begins`: stacks are bagged, and the night begins, when no hand of hand for hand is under way; None: at any time.
    Books of before 0.14.0 do not say it.
    """

    same_seat: bool
    begins: Literal["between_hands"] | None = None
