"""Why nothing is behind the table's door, as far as systemd knows: how the table's process has ended, and what to do.

Where a process does not begin, or ends before it opens its door, it says nothing of itself. The package's script
(`debian/kept.sh ended`) writes as root what systemd told it: three words, `exit-code exited 243` for instance. A person
who has the page's user, or the table's, cannot write there.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from feltd.door import Away

_WORDS: Final = re.compile(r"([a-z-]{1,20}) (-|[a-z]{1,9}) (-|[0-9]{1,3}|[A-Z][A-Z0-9+-]{1,9})\n")
_MOST: Final = 64
"""Bytes that are read."""
_OF_SYSTEMD: Final = range(200, 246)
"""With these a process ends that systemd has made ready in vain, before the program begins (systemd.exec(5))."""
_NO_PROGRAM: Final = 203
_NO_KEY: Final = 243


@dataclass(frozen=True, slots=True)
class Ended:
    """What people are told of an end. `never_began`: the program has not come to run at all."""

    words: str
    remedy: str
    never_began: bool = False


def with_its_end(away: Away | None, told: Path | None) -> Away | None:
    """Say of a table behind whose door nothing is how its process has ended.

    `told`: where the package's script writes that, a file with the name of the table's unit; what cannot be read there
    is not told.
    """
    if away is None or not away.nobody or told is None or (end := _end_in(told)) is None:
        return away
    return replace(away, words=end.words, remedy=end.remedy, out_of_order=end.never_began)


def _end_in(file: Path) -> Ended | None:
    try:
        with file.open("rb") as stream:
            text = stream.read(_MOST).decode("ascii")
    except (OSError, UnicodeDecodeError):
        return None
    found = _WORDS.fullmatch(text)
    return None if found is None else _end_of(file.stem, *found.groups())


def _end_of(unit: str, result: str, code: str, status: str) -> Ended:
    """`unit`: the table's; `result`, `code`, `status`: systemd's $SERVICE_RESULT, $EXIT_CODE and $EXIT_STATUS."""
    match result:
        case "watchdog":
            return _told_by_log("the table's process hung, and systemd has ended it", unit)
        case "timeout":
            return _told_by_log("the table's process took too long, and systemd has ended it", unit)
        case "oom-kill":
            return Ended(
                "the controller had no memory left, and the table's process was ended",
                "see what takes it: systemd-cgtop -m",
            )
        case "resources":
            return Ended(
                "systemd cannot begin the table's process",
                f"see what it lacks: systemctl status {unit}",
                never_began=True,
            )
    if code == "exited" and status.isdigit():
        return _exited(unit, int(status))
    if code in {"killed", "dumped"}:
        return _told_by_log(f"the table's process was ended by the signal {status}", unit)
    return _told_by_log(f"the table's process has ended ({result})", unit)


def _told_by_log(words: str, unit: str) -> Ended:
    return Ended(words, f"see the end of its log: sudo journalctl -u {unit}")


def _exited(unit: str, status: int) -> Ended:
    if status == _NO_KEY:
        return Ended(
            "systemd cannot hand over a key to the table (243/CREDENTIALS)",
            f"bring back the file that LoadCredential names (systemctl cat {unit}): the record's is in "
            "/etc/feltd/keys, and no other one opens the record",
            never_began=True,
        )
    if status == _NO_PROGRAM:
        return Ended(
            "the program of the table cannot be run (203/EXEC)",
            "see what it lacks (feltd identify), and install the package again",
            never_began=True,
        )
    if status in _OF_SYSTEMD:
        return Ended(
            f"systemd cannot begin the table's process (status {status})",
            f"see what it lacks: systemctl status {unit}",
            never_began=True,
        )
    return Ended(
        f"the program of the table has failed (exit code {status})",
        f"see the end of its log (sudo journalctl -u {unit}); where each start fails so, compare its files: feltd "
        "identify",
    )
