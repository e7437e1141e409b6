"""The schema of a tournament book: what is ruled of each subject, each with its clause."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from floor_fsm.law import matters
from floor_fsm.law.occasions import Occasion
from floor_fsm.law.section import Section


class Entries(Section):
    """Who may enter, and how often.

    `re_entry`: once out, again: never, or as often as the opening says. `transfer`: an entry may be handed to another
    person who has none. `away_from_last_table`: who enters again is not seated at the table where the last entry ended.
    `most_persons`: people who may enter, however often each; who withdrew is none of them. `least_to_begin`: entries
    that must be there before seats are drawn. `forfeit`: who may enter again then and there alone gives chips up; None:
    anybody in play. `forfeit_up_to`: who gives up chips has no more of them than this.
    """

    re_entry: Literal["never", "as_announced"]
    transfer: bool = False
    away_from_last_table: bool = False
    most_persons: Annotated[int, Field(ge=2)] | None = None
    least_to_begin: Annotated[int, Field(ge=2)] | None = None
    numbers_clause: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    forfeit: Literal["to_enter_again"] | None = None
    forfeit_up_to: Literal["starting_stack"] | None = None
    forfeit_clause: Annotated[str, Field(min_length=1, max_length=60)] | None = None


class Substitutes(Section):
    """Another person plays an entry on. `in_play`: also once it has a seat; else before that alone."""

    in_play: bool


class NoShows(Section):
    """What becomes of an entry whose person is not there when play begins.

    `stack`: blinded away at its seat; no chips until the person comes; or forfeited, to a reserve. `until_level`: after
    this level the director may take it out; None: never.
    """

    stack: Literal["blinded", "waits", "forfeited"]
    until_level: Annotated[int, Field(ge=1, le=50)] | None = None


class Alternates(Section):
    """People who wait for a seat.

    `allowed`: whether somebody may enter for whom no seat is free once the seats are drawn. `before_re_entries`: they
    are seated before who enters again.
    """

    allowed: bool
    before_re_entries: bool = True


class Draw(Section):
    """How seats are drawn. `associates_apart`: people who belong together get different tables where that can be.
    `apart_at_one_table`: where there is one table alone, the final one, they do not sit beside each other.

    `again`: when the same seats are drawn again: whenever somebody says so; or after a hand, or once two people have
    annulled the draw before it. Books of before 0.9.0 do not say it.
    """

    associates_apart: bool = False
    apart_at_one_table: bool = False
    again: Literal["any_time", "after_a_hand"] = "any_time"
    least_to_begin: Annotated[int, Field(ge=2, le=11)] = 2
    """Players that a table needs when it begins."""


class Balancing(Section):
    """How tables are kept equal.

    `mover`: who moves from the fuller table: the player whose big blind is next, or whose it was last; or a person says
    it. `to`: the free seat that has the big blind soonest, or latest; or a person says it.
    `apart`: tables may differ by so many players before somebody moves. `stops_when_short`: a table that is so many
    players short stops dealing until it is filled; None: the text does not say so.
    """

    mover: Literal["next_big_blind", "last_big_blind", "a_person_decides"]
    to: Literal["worst_position", "best_position", "a_person_decides"]
    apart: Annotated[int, Field(ge=1, le=5)] = 1
    stops_when_short: Annotated[int, Field(ge=1, le=9)] | None = None


class Breaking(Section):
    """How a table is broken.

    `order`: announced beforehand, or a person names the table. `newcomer`: where a moved player may not be dealt in.
    """

    order: Literal["announced", "a_person_decides"]
    newcomer: Literal["waits_between_button_and_small_blind", "dealt_in_everywhere"]


class Redraws(Section):
    """When all players draw seats anew.

    `of_several_days`: which of `at` are of tournaments of several days alone. `director_may_add`: on further occasions
    that players were told of before.
    """

    at: Annotated[tuple[Occasion, ...], Field(min_length=1)]
    of_several_days: tuple[Occasion, ...] = ()
    director_may_add: bool = False


class Book(BaseModel):
    """One text's tournament book. A section that is missing is one on which the text is silent: a person decides."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$", max_length=40)]
    title: Annotated[str, Field(min_length=3, max_length=120)]
    source: Annotated[str, Field(min_length=3, max_length=200)]
    clauses: Annotated[str, Field(min_length=3, max_length=40)]
    """The list of the source's clauses, beside the rulebooks."""
    entries: Entries | None = None
    no_shows: NoShows | None = None
    alternates: Alternates | None = None
    substitutes: Substitutes | None = None
    chips: matters.ChipRules | None = None
    stacks: matters.StackRules | None = None
    rebuys: matters.RebuyRules | None = None
    games: tuple[matters.GameRow, ...] = ()
    """Each game that the text has rows for, once."""
    cancelling: matters.CancelRules | None = None
    withdrawing: matters.WithdrawingRules | None = None
    draw: Draw | None = None
    balancing: Balancing | None = None
    breaking: Breaking | None = None
    redraws: Redraws | None = None
    hand_for_hand: matters.HandForHandRules | None = None
    places: matters.PlaceRules | None = None
    pool: matters.PoolRules | None = None
    chop: matters.ChopRules | None = None
    clock: matters.ClockRules | None = None
    races: matters.RaceRules | None = None
    counts: matters.CountRules | None = None
    chips_back: matters.ChipsBackRules | None = None
    penalties: matters.PenaltyRules | None = None
    leaving: tuple[matters.LeavingRow, ...] = ()
    """Each way to leave that the text has, once."""
    sessions: matters.SessionRules | None = None
    suspension: matters.SuspensionRules | None = None

    @model_validator(mode="after")
    def _each_way_once(self) -> "Book":
        ways = [row.why for row in self.leaving]
        if len(set(ways)) < len(ways):
            raise ValueError("leaving: each way to leave once")
        games = [row.game for row in self.games]
        if len(set(games)) < len(games):
            raise ValueError("games: each game once")
        return self
