"""Chance for the simulation: the same seed gives the same cards and the same mistakes."""

import random


def seeded(*parts: object) -> random.Random:
    """A random source decided by `parts`."""
    # Not for secrets: no real card or wager depends on it.
    return random.Random("/".join(str(part) for part in parts))  # noqa: S311
