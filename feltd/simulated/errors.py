"""Why a simulated table does not play."""

from feltd.text.errors import FeltdError


class SimulationError(FeltdError):
    """The simulated table cannot be set up, or its dealer is at a loss."""


class UnknownBookError(SimulationError):
    """A rulebook that is not there was asked for."""
