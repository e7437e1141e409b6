"""The errors of floor_fsm: one tree; each message names the thing, the place and the remedy."""

from enum import StrEnum


class FloorFsmError(Exception):
    """Base of the errors of floor_fsm."""


class EventSyntaxError(FloorFsmError):
    """A line that is no event of a tournament."""


class LawError(FloorFsmError):
    """A tournament book that cannot be used. `problems` lists every fault, each with file and line."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Reason(StrEnum):
    """Why an event is refused, for programs. Each subject's refusals are its own members."""

    MOVED_ON = "moved_on"
    """Somebody else's event came first: read the tournament again, and decide anew."""
    TIME_RUNS_BACK = "time_runs_back"
    CAUSE_IS_KNOWN = "cause_is_known"
    NOT_OPEN = "not_open"
    OPEN_ALREADY = "open_already"
    NOBODY_DECIDES = "nobody_decides"
    """A step that is a person's, without who and why."""
    UNKNOWN_TABLE = "unknown_table"
    UNKNOWN_GAME = "unknown_game"
    NOT_IN_THE_BOOK = "not_in_the_book"
    NUMBER_IS_TAKEN = "number_is_taken"
    IN_PLAY_ALREADY = "in_play_already"
    ENTERED_ALREADY = "entered_already"
    PERHAPS_THE_SAME = "perhaps_the_same"
    """A card or a name is like that of somebody who has entered: a person looks whether it is the same one."""
    NO_RE_ENTRY = "no_re_entry"
    LATE_ENTRY_IS_OVER = "late_entry_is_over"
    FULL = "full"
    WRONG_AMOUNT = "wrong_amount"
    UNKNOWN_ENTRY = "unknown_entry"
    ENTRY_IS_OVER = "entry_is_over"
    NO_TRANSFER = "no_transfer"
    NOT_COMMITTED = "not_committed"
    COMMITTED_ALREADY = "committed_already"
    COMMITTED_TOO_LATE = "committed_too_late"
    NOT_AS_COMMITTED = "not_as_committed"
    DRAWN_ALREADY = "drawn_already"
    TOO_MANY_ENTRIES = "too_many_entries"
    SEAT_IS_TAKEN = "seat_is_taken"
    NO_SUCH_SEAT = "no_such_seat"
    NOT_SEATED = "not_seated"
    SEATED_ALREADY = "seated_already"
    OTHERS_WAIT_LONGER = "others_wait_longer"
    TABLE_IS_BROKEN = "table_is_broken"
    BALANCED_ALREADY = "balanced_already"
    """Neither table would be better off."""
    NO_HAND_TOLD = "no_hand_told"
    """The table has told of no hand, so nobody knows its positions."""
    NOT_NEXT_TO_BREAK = "not_next_to_break"
    # -- hand for hand, places, prizes, clock, chips, people, sessions
    WRONG_STATE = "wrong_state"
    """Not now: the words say what must come first."""
    NAMED_TWICE = "named_twice"
    WRONG_HAND = "wrong_hand"
    """A table tells of a hand that is not the one it was given."""
    TABLES_PLAY = "tables_play"
    """Tables have not finished."""
    DOES_NOT_ADD_UP = "does_not_add_up"
    """A sum that cannot be."""
    KEPT_TOO_MUCH = "kept_too_much"
    """More of the fees is kept than the book lets the house keep."""
    NOT_ALL_AGREE = "not_all_agree"
    NOT_DECIDED = "not_decided"
    """The book is silent, or leaves it to a person, and nobody has decided."""
    TOO_MANY_COUNTS = "too_many_counts"
    ONE_PERSON = "one_person"
    """Two people are needed, and one is named twice."""
    COUNTS_DIFFER = "counts_differ"
    NOT_ALLOWED = "not_allowed"
    """The book allows less than that."""
    BARRED = "barred"
    """A person who may not enter."""
    CANCELLED = "cancelled"
    PAID_ALREADY = "paid_already"
    NOT_PAID = "not_paid"


class Refused(FloorFsmError):  # noqa: N818 - it is an answer, not a failure
    """An event that is refused; nothing has changed. `clause`: of the book, where the book says so."""

    def __init__(self, reason: Reason, words: str, clause: str | None = None) -> None:
        super().__init__(words if clause is None else f"{words} ({clause})")
        self.reason = reason
        self.words = words
        self.clause = clause
