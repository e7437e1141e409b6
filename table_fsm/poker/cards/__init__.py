"""Cards on the table and in their order: the tracker, and doubts about the deck."""
