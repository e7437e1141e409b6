"""What every subject of a tournament is made of: events, outputs, parts of the state, and steps between two states."""
