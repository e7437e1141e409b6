"""The parts of a tournament's state, one a subject, and what may be asked of them. Nothing here changes anything."""
