"""What the table remembers, and how a fault becomes a ruling. It knows no subject of the game."""
