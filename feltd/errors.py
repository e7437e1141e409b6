"""The errors of feltd: one tree, each message names the thing, the place and the remedy."""


class FeltdError(Exception):
    """Anything the daemon or one of its commands refuses."""
