"""Cards as they lie and as they come: the tracker, and what their order says of the deck."""
