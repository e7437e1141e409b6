"""Sessions: who plays one, and who goes on. The other subjects follow with seats, chips, places and the clock."""

from dataclasses import replace
from typing import Any, Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law, ruled
from floor_fsm.law.matters import SessionRules
from floor_fsm.messages.draw import SeatsDrawn
from floor_fsm.messages.entries import EntryBack, EntryCame, EntryNoShow
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.seating import SeatGiven, SeatLate
from floor_fsm.messages.sessions import EntryStayedAway, SessionBegan, SessionEnded, SessionOn, SessionOver
from floor_fsm.messages.undone import SessionGoesOn, SessionTakenBack
from floor_fsm.play.sessions import Session, require_bagged, result
from floor_fsm.state.entries import Entries, Standing, entry_of
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Hands
from floor_fsm.state.opening import opened, seats_of
from floor_fsm.state.seating import Seating
from floor_fsm.state.sessions import SessionDone, SessionNow, Sessions, Until, is_between


def _rules(parts: Parts) -> SessionRules:
    return ruled(parts.law.book.sessions, "sessions")


def _began(parts: Parts, event: SessionBegan) -> Step:
    sessions, rules, seated = parts.of(Sessions), _rules(parts), parts.of(Seating).places
    if sessions.on is not None:
        raise Refused(Reason.WRONG_STATE, f"the session {sessions.on.name} is on: end it first", rules.clause)
    if event.session in sessions.names:
        raise Refused(Reason.NAMED_TWICE, f"there was a session {event.session}: choose another name", rules.clause)
    if seated:
        raise Refused(
            Reason.WRONG_STATE, f"{len(seated)} players sit: a session begins before its seats are drawn", rules.clause
        )
    if event.catch_up and event.repechage:
        raise Refused(Reason.NOT_ALLOWED, "nobody catches up twice: a catch-up session has none after it", rules.clause)
    for table in event.tables:
        seats_of(parts, table)
    waiting = {one.number for one in parts.of(Entries).standing(Standing.WAITING)}
    playing = _playing(parts, event, waiting, rules.clause)
    if not playing:
        raise Refused(Reason.UNKNOWN_ENTRY, "nobody waits for this session: take entries first", rules.clause)
    rests = {entry: until for entry, until in sessions.rests.items() if entry not in playing}
    rests |= {entry: Until.LATER for entry in sorted(waiting) if entry not in playing}
    now = SessionNow(event.session, event.advance, event.ties, event.repechage, event.stacks == "carried")
    tables = event.tables or tuple(table.table for table in opened(parts).tables)
    told = SessionOn(event.session, tuple(sorted(playing)), tables)
    return Step(replace(sessions, on=now, names=(*sessions.names, event.session), rests=rests), (told,))


def _playing(parts: Parts, event: SessionBegan, waiting: set[int], clause: str) -> set[int]:
    """Who plays the session. Refuses whom it is not for."""
    rests = parts.of(Sessions).rests
    is_for = {entry for entry, until in rests.items() if (until is Until.CATCH_UP) is event.catch_up}
    if not event.catch_up:
        is_for |= waiting
    if not event.entries:
        return is_for
    if len(set(event.entries)) < len(event.entries):
        raise Refused(Reason.NAMED_TWICE, "an entry is named twice: name each once", clause)
    for entry in event.entries:
        entry_of(parts, entry)
        if entry not in is_for:
            if event.catch_up:
                raise Refused(Reason.NOT_ALLOWED, f"entry {entry} has no catch-up session to play", clause)
            raise Refused(Reason.NOT_ALLOWED, f"entry {entry} has no session to play but a catch-up one", clause)
    return set(event.entries)


def _ended(parts: Parts, event: SessionEnded) -> Step:
    sessions, rules, stacks = parts.of(Sessions), _rules(parts), parts.of(Stacks)
    now = sessions.on
    if now is None:
        raise Refused(Reason.WRONG_STATE, "no session is on", rules.clause)
    if parts.of(Hands).play is not None:
        raise Refused(Reason.WRONG_STATE, "hand for hand is played: end it first", rules.clause)
    if now.advance == 0 and sessions.rests:
        names = ", ".join(map(str, sorted(sessions.rests)))
        raise Refused(Reason.WRONG_STATE, f"entries {names} have a session to play yet", rules.clause)
    stacks.require_settled(rules.clause)
    playing = {entry: (place.table, place.seat) for entry, place in parts.of(Seating).places.items()}
    if not playing:
        raise Refused(Reason.NOT_SEATED, "nobody sits at a table: the session was not played", rules.clause)
    in_play = None if rules.against_house else stacks.on_tables
    bags = require_bagged(rules.clause, playing, list(stacks.bags.values()), in_play)
    chips = {entry: one.chips for entry, one in sorted(bags.items())}
    advance = len(chips) if now.advance is None else min(now.advance, len(chips))
    session = Session(now.name, tuple(chips), advance, now.ties, now.repechage, rules.clause)
    before = {entry: sessions.played[entry] for entry in chips if entry in sessions.played}
    done = SessionDone(now.name, chips, result(session, chips, event.drawn), now.carried, now, before)
    rests = {**sessions.rests, **dict.fromkeys(done.result.advance, Until.NEXT)}
    rests |= dict.fromkeys(done.result.catch_up, Until.CATCH_UP)
    told = SessionOver(done.name, done.result.groups, done.result.advance, done.result.catch_up, done.out, rules.clause)
    played = {**sessions.played, **dict.fromkeys(chips, now.name)}
    ended = replace(sessions, on=None, last=done, rests=rests, played=played, taken_back=None)
    return Step(ended, (told,))


def _taken_back(parts: Parts, _event: SessionTakenBack) -> Step:
    """The session is on again. Refuses once another one has begun, and once somebody stayed away from the next."""
    sessions, rules = parts.of(Sessions), _rules(parts)
    done = sessions.last
    if sessions.on is not None:
        raise Refused(Reason.WRONG_STATE, f"the session {sessions.on.name} is on: it has no end yet", rules.clause)
    if done is None:
        raise Refused(Reason.WRONG_STATE, "no session is over: there is no end to take back", rules.clause)
    gone = [entry for entry in (*done.result.advance, *done.result.catch_up) if entry not in sessions.rests]
    if gone:
        names = ", ".join(map(str, gone))
        raise Refused(Reason.WRONG_STATE, f"entries {names} stayed away since: the session's end stands", rules.clause)
    rests = {entry: until for entry, until in sessions.rests.items() if entry not in done.chips}
    played = {entry: name for entry, name in sessions.played.items() if entry not in done.chips} | {**done.before}
    now = replace(sessions, on=done.now, last=None, rests=rests, played=played, taken_back=done)
    return Step(now, (SessionGoesOn(done.name, tuple(done.chips)),))


def _stayed_away(parts: Parts, event: EntryStayedAway) -> Step:
    """Refuse who plays. Who goes on from an earlier session, and has no seat in this one yet, may still stay away."""
    sessions, entry = parts.of(Sessions), entry_of(parts, event.entry)
    waits = entry.standing is Standing.WAITING and event.entry in sessions.played
    if event.entry not in sessions.rests and not waits:
        raise Refused(Reason.WRONG_STATE, f"entry {entry.number} has no session to play: it is {entry.standing}")
    return Step(replace(sessions, rests={one: until for one, until in sessions.rests.items() if one != event.entry}))


def _sits(parts: Parts, event: Any) -> Step:
    """Refuse a seat between two sessions."""
    if is_between(parts):
        raise Refused(
            Reason.WRONG_STATE, f"{event.ev}: no session is on, begin the next one first", _rules(parts).clause
        )
    return Step(parts.of(Sessions))


def _no_show(parts: Parts, event: EntryNoShow) -> Step:
    """Refuse for who has played a session: that entry has a place."""
    played = parts.of(Sessions).played.get(event.entry)
    if played is not None:
        raise Refused(
            Reason.NOT_ALLOWED, f"entry {event.entry} has played the session {played}: it is out", _rules(parts).clause
        )
    return Step(parts.of(Sessions))


def _cancelled(_parts: Parts, _event: TournamentCancelled) -> Step:
    return Step(Sessions())


def _begin(_law: Law) -> Sessions:
    return Sessions()


SUBJECT: Final = Subject(
    Sessions,
    _begin,
    {
        SessionBegan: _began,
        SessionEnded: _ended,
        SessionTakenBack: _taken_back,
        EntryStayedAway: _stayed_away,
        SeatsDrawn: _sits,
        SeatLate: _sits,
        SeatGiven: _sits,
        EntryBack: _sits,
        EntryCame: _sits,
        EntryNoShow: _no_show,
        TournamentCancelled: _cancelled,
    },
)
