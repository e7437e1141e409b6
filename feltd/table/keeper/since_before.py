"""What stands otherwise at a start than at the one before, in words for the log and the record.

Who is root can exchange a book, the key that cards are sealed to, the program, the table's file, badges or their PINs
while no table runs, alone. No program on that machine can hinder it. So that it does not pass unseen, each start
compares.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from feltd.record import JournalReader
from feltd.record.notes import BY_HAND_NOTE
from feltd.record.starts import FAR, last_start
from feltd.table.keeper.badge_pins import PINS_NOTE
from feltd.table.keeper.staff import REMOVED, STAFF_KEPT_NOTE, STAFF_LOST_NOTE, STAFF_NOTE, told_of


def since_before(reader: JournalReader, now: Mapping[str, Any]) -> list[str]:
    """Remarks on what stands otherwise in `now`, the body of a start's note, than in the one before in the record.

    Nothing at the first start of a record. What the note before does not have yet is not compared.
    """
    before = last_start(reader, FAR, (PINS_NOTE, BY_HAND_NOTE))
    if before.note is not None:
        return [*_differences(before.note, now), *_of_badges(before.note, before.since, now)]
    return [f"the start before is more than {FAR} notes back: what stands otherwise was not compared"] * before.too_far


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    if "sealed_to" in before and before["sealed_to"] != now["sealed_to"]:
        yield (
            f"since the start before: cards that no round shows are sealed to {_key(now['sealed_to'])}, no more to "
            f"{_key(before['sealed_to'])}"
        )
    books = _texts(before, "rulebooks")
    for book, digest in now["rulebooks"].items():
        if books.get(book, digest) != digest:
            yield f"since the start before: the rulebook {book} has another text (SHA-256 {digest[:16]}…)"
    sections, file = _texts(before, "file"), now["file"]
    if sections and file:
        changed = sorted(name for name in sections.keys() | file.keys() if sections.get(name) != file.get(name))
        if changed:
            yield f"since the start before: the table's file says otherwise in {', '.join(changed)}"
    if "package" in before and _mark(before["package"]) != _mark(now["package"]):
        yield (
            f"since the start before: the program is another package: {_package(now['package'])}; it was "
            f"{_package(before['package'])}"
        )


def _of_badges(before: Mapping[str, Any], since: Iterable[Mapping[str, Any]], now: Mapping[str, Any]) -> Iterator[str]:
    """Badges and PINs that are others than the start before and the entries of changes behind it told."""
    pins, staff = dict(_texts(before, "pins")), dict(_texts(before, "staff"))
    kept = dict(staff)
    for note in since:
        if note["note"] == PINS_NOTE:
            _take(pins, _texts(note, "marks"), note.get("removed", ()))
        elif note.get("what") == STAFF_NOTE:
            badge, allowed = str(note.get("badge")), str(note.get("allowed"))
            said = {badge: told_of(str(note.get("account")), allowed)}
            _take(staff, said, [badge] if allowed == REMOVED else [])
        elif note.get("what") == STAFF_KEPT_NOTE:
            kept = dict(staff)
        elif note.get("what") == STAFF_LOST_NOTE:
            staff = dict(kept)
    # a program of before noted no list as kept: an older list that somebody puts back would pass as a cut
    if STAFF_KEPT_NOTE in before.get("notes", ()) and now["staff"] == kept != staff:
        yield (
            "since the start before: the power was cut, or feltd ended, before the list of people had the changes on "
            f"record of these badges: {', '.join(_others(kept, staff))}; the page sends them anew"
        )
        staff = kept
    for name, had, what in (("pins", pins, "the PINs of these badges"), ("staff", staff, "these badges of people")):
        has = now[name]
        if not isinstance(before.get(name), dict) or has is None:
            continue
        others = _others(had, has)
        if others:
            yield f"since the start before, with no entry of it: {what} were set or taken away: {', '.join(others)}"


def _others(had: Mapping[str, str], has: Mapping[str, str]) -> list[str]:
    return sorted(badge for badge in had.keys() | has.keys() if had.get(badge) != has.get(badge))


def _take(told: dict[str, str], said: Mapping[str, str], gone: Iterable[str]) -> None:
    told.update(said)
    for badge in gone:
        told.pop(badge, None)


def _texts(note: Mapping[str, Any], name: str) -> Mapping[str, str]:
    found = note.get(name)
    return found if isinstance(found, dict) else {}


def _key(fingerprint: str | None) -> str:
    return "nobody's key" if fingerprint is None else f"the key {fingerprint}"


def _mark(package: Any) -> tuple[Any, ...] | None:
    return (
        (package.get("manifest"), package.get("signature"), package.get("key")) if isinstance(package, dict) else None
    )


def _package(package: Any) -> str:
    if not isinstance(package, dict):
        return "none (not installed from one)"
    return f"manifest {str(package.get('manifest'))[:16]}…, {package.get('signature')}"
