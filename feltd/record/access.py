"""Entries of who came in and went out, and who took a part of the record away (`HostEntry.ACCESS`).

Their body, a field that says nothing left out:

| field | meaning |
| --- | --- |
| `what` | one of `AccessKind` |
| `by` | whose word it is, one of `WordOf`: the table writes down what it is told and cannot see whether it is so |
| `at` | wall seconds of who says it; of `sign_in_failed` and of several in one, of the last |
| `page`, `n` | of the page: its own mark, new at each start, and its number for this entry; no number comes twice |
| `who`, `role`, `from` | the account, its role, the address |
| `how` | of `session_over`: one of `SessionEnd` |
| `change` | of `account_changed`: one of `AccountChange`; `from` is left out where it was made at the console |
| `token`, `token_role`, `scope`, `until` | of `change` `token`, `no_token`: id, role it acts as, rights, end |
| `times`, `since` | of several in one: how many, and the moment of the first |
| `names`, `unknown` | of `sign_in_failed`: how often for which account, and how often for a name that no account has |
| `turned_away` | of `sign_in_failed`: how many more were not looked at, because there were too many |
| `of`, `cards` | of `exported`: one of `Part`; of a hand history or a report, whether with cards that lay face down |
| `round`, `first`, `last` | of `exported`: the round, or the first and the last entry |
| `since`, `until` | of `exported` `alarms`, `bookmarks`: of which time, wall seconds; left out: no limit |
| `user` | of a command at the board: the machine's user that ran it |
| `left_out` | of `left_out`: how many are not in the record, by `what` |

No field is sealed, because none has words of a person: a name that is no account's is counted and never written. They
belong to no round, and no event or snapshot depends on one.
"""

from enum import StrEnum


class AccessKind(StrEnum):
    """What happened."""

    PAGE_STARTS = "page_starts"
    """A page begins: whoever was signed in at the one before is not any more."""
    SIGNED_IN = "signed_in"
    READ_ONLY = "read_only"
    """Nothing was done for too long: the session sees the table on, and its other rights are over."""
    SESSION_OVER = "session_over"
    SIGN_IN_FAILED = "sign_in_failed"
    """Attempts from one address, put together."""
    EXPORTED = "exported"
    """A part of the record is handed out: the entry is on the disk before the first byte goes."""
    ACCOUNT_CHANGED = "account_changed"
    """An account was made, changed or removed, at the page or by `feltd user`."""
    LEFT_OUT = "left_out"
    """More happened than is kept."""


class SessionEnd(StrEnum):
    """Why a session is over."""

    SIGNED_OUT = "signed_out"
    TIME = "time"
    """It had lasted as long as one may. In older records also: nothing was done for too long."""
    ACCOUNT = "account"
    """The account was removed or shut, was given another password, or lost a second factor."""
    ANOTHER = "another"
    """The same browser signed in anew, or a newer session needed its place."""
    ELSEWHERE = "elsewhere"
    """Its person ended it from another browser."""


class AccountChange(StrEnum):
    """What became of an account."""

    CREATED = "created"
    """Also of each account that a page finds which knows nothing of those before."""
    REMOVED = "removed"
    ROLE = "role"
    BADGE = "badge"
    PASSWORD = "password"  # noqa: S105 - the name of a change
    """It was given another one."""
    SECOND_FACTOR = "second_factor"
    """It was set up."""
    NO_SECOND_FACTOR = "no_second_factor"
    KEY = "key"
    """A security key was registered."""
    NO_KEY = "no_key"
    """It was taken away."""
    KEY_COPIED = "key_copied"
    """It has shown that there are two of it, and counts no more."""
    TOKEN = "token"  # noqa: S105 - the name of a change
    """A token for a program was made. What it does is told by the entries of that, under the account and its id."""
    NO_TOKEN = "no_token"  # noqa: S105 - the name of a change
    """It was revoked, or taken out after its end."""
    OPENED = "opened"
    SHUT = "shut"


class Part(StrEnum):
    """What of the record is handed out."""

    ROUND = "round"
    ENTRIES = "entries"
    HAND_HISTORY = "hand_history"
    REPORT = "report"
    """A round's incident report."""
    REPLAY = "replay"
    """A round that is over, step by step on the page, with the cards that it showed."""
    ALARMS = "alarms"
    """The alarm log as a list."""
    BOOKMARKS = "bookmarks"
    """Rulings and alarms as a list for the cameras' system."""


class WordOf(StrEnum):
    """Whose word an entry is."""

    PAGE = "page"
    TABLE = "table"
    """The table's own: what it has left out."""
    CONSOLE = "console"
    """Of a command at the board."""
