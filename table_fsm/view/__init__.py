"""What the table says of itself, from its state alone."""
