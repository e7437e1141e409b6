"""Refusals that cross the socket as themselves: what is raised at the table's end is raised at the page's."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from feltd.door.commands import (
    CommandRefused,
    MovedOn,
    NoDatabaseError,
    NotOnDiskError,
    PlayStopped,
    StepNotKnownError,
    StepRefused,
    UnknownDeviceError,
)
from feltd.door.wire.errors import WireError
from feltd.door.wire.messages import Fault
from feltd.text import errors as text_errors
from feltd.text.errors import FeltdError, JournalError

_JOURNAL: Final[Mapping[str, type[JournalError]]] = {
    name: kind for name, kind in vars(text_errors).items() if isinstance(kind, type) and issubclass(kind, JournalError)
}
_OF_TEXT: Final[Mapping[str, type[FeltdError]]] = {
    kind.__name__: kind
    for kind in (MovedOn, NoDatabaseError, CommandRefused, PlayStopped, NotOnDiskError, StepNotKnownError, FeltdError)
}
_PARTS_OF_JOURNAL: Final = 3
_PARTS_OF_STEP: Final = 3


def fault_of(number: int, error: FeltdError) -> Fault:
    """The fault that tells of an error; a kind that the page does not know is told as the nearest that it does."""
    if isinstance(error, JournalError):
        return Fault(number, _name(error, _JOURNAL), (error.what, error.place, error.remedy))
    if isinstance(error, UnknownDeviceError):
        return Fault(number, UnknownDeviceError.__name__, (error.device,))
    if isinstance(error, StepRefused):
        return Fault(number, StepRefused.__name__, (error.reason, error.words, error.clause or ""))
    return Fault(number, _name(error, _OF_TEXT), (str(error),))


def _name(error: FeltdError, known: Mapping[str, Any]) -> str:
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in known)


def error_of(fault: Fault) -> FeltdError:
    """Return the error that a fault tells of; a WireError where nobody here knows it."""
    if fault.error in _JOURNAL and len(fault.parts) == _PARTS_OF_JOURNAL:
        what, place, remedy = fault.parts
        return _JOURNAL[fault.error](what, place, remedy)
    if fault.error == StepRefused.__name__ and len(fault.parts) == _PARTS_OF_STEP:
        reason, words, clause = fault.parts
        return StepRefused(reason, words, clause or None)
    of_one: Mapping[str, Callable[[str], FeltdError]] = {**_OF_TEXT, UnknownDeviceError.__name__: UnknownDeviceError}
    if fault.error in of_one and len(fault.parts) == 1:
        return of_one[fault.error](fault.parts[0])
    return WireError("a refusal that nobody here knows", "fault")
