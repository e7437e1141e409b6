"""Chips: every one that came into play and left it; races at all tables; bags over night."""

from typing import Final

from floor_fsm.core.parts import Subject
from floor_fsm.law.law import Law
from floor_fsm.messages.chips import (
    ChipsCounted,
    ChipsIssued,
    ChipsReturned,
    ChipsTaken,
    RaceOrdered,
    RaceTold,
    Resumed,
    StackBagged,
    StacksCounted,
    Suspended,
)
from floor_fsm.messages.draw import DrawAnnulled, SeatsDrawn
from floor_fsm.messages.entries import (
    AddOn,
    EntryBack,
    EntryCame,
    EntryGivenUp,
    EntryNeverCame,
    EntryNoShow,
    EntryOut,
    Rebuy,
)
from floor_fsm.messages.hands import HandOver, HandReleased
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import SeatGiven, SeatLate
from floor_fsm.messages.sessions import EntryStayedAway, SessionBegan, SessionEnded
from floor_fsm.messages.tables import HandBegan
from floor_fsm.messages.undone import AddOnTakenBack, RaceTakenBack, RebuyTakenBack, SessionTakenBack
from floor_fsm.state.floor import Stacks
from floor_fsm.subjects.chips import ledger, nights, races


def _begin(_law: Law) -> Stacks:
    return Stacks()


SUBJECT: Final = Subject(
    Stacks,
    _begin,
    {
        SeatsDrawn: ledger.seated,
        SeatLate: ledger.seated,
        SeatGiven: ledger.seated,
        DrawAnnulled: ledger.annulled,
        HandBegan: ledger.dealt,
        EntryGivenUp: ledger.given_up,
        EntryNoShow: ledger.no_show,
        EntryNeverCame: ledger.never_came,
        EntryBack: ledger.back,
        EntryCame: ledger.came,
        Rebuy: ledger.bought,
        AddOn: ledger.bought,
        RebuyTakenBack: ledger.bought_back,
        AddOnTakenBack: ledger.bought_back,
        TournamentCancelled: ledger.cancelled,
        ChipsIssued: ledger.issued,
        ChipsTaken: ledger.taken,
        PersonLeft: ledger.person_left,
        ChipsCounted: ledger.counted,
        StacksCounted: ledger.stacks_counted,
        RaceOrdered: races.ordered,
        RaceTold: races.told,
        RaceTakenBack: races.taken_back,
        ChipsReturned: ledger.returned,
        StackBagged: nights.bagged,
        Suspended: nights.suspended,
        Resumed: nights.resumed,
        SessionBegan: nights.session_began,
        SessionEnded: nights.session_ended,
        SessionTakenBack: nights.session_taken_back,
        EntryStayedAway: nights.stayed_away,
        HandOver: ledger.plays,
        EntryOut: ledger.last,
        HandReleased: ledger.plays,
    },
)
