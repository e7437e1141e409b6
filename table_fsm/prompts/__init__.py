"""What the dealer is asked to do next: types, their JSON, and the way back from it."""
