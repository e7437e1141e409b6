"""How a round starts, ends, and is timed."""
