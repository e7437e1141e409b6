"""Chance for the simulation: the same seed, the same cards and the same mistakes."""

import random


def seeded(*parts: object) -> random.Random:
    """A source of chance that its parts decide."""
    # Repeatable on purpose: no real card or wager ever depends on it.
    return random.Random("/".join(str(part) for part in parts))  # noqa: S311
