"""Starts a table and its page together, in one process; and what stands in their place where they cannot start."""
