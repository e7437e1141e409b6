"""What is wrong with an update."""

from feltd.text.errors import FeltdError


class UpdateError(FeltdError):
    """An update cannot be installed, tried or kept: what, where, and what to do."""
