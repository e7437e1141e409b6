"""Who waits for a seat in a cash game: pure, `WaitingRoom.apply(event) -> outputs`, under a book with clauses."""
