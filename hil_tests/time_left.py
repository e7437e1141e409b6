"""Whether a suite on machines still begins another test.

`.ci/run` has a time by which it must have judged. A machine that is slow or has much else to do comes late to these
suites: it leaves out what it would not end in time, test by test, and says so, instead of being ended in the middle.
"""

from typing import Final

UNTIL: Final = "FELTD_HIL_UNTIL"
"""The variable of the environment that has the last second, since 1970, in which a test may begin."""


def left_out(until: str | None, now: float) -> str | None:
    """Return why a test does not begin; None where it does. Raises ValueError where `until` is no whole number."""
    if not until or now <= int(until):
        return None
    return f"{UNTIL}: no time is left for it on this machine ({now - int(until):.0f} s too late)"
