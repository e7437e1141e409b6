"""The people of a simulated table: dealer, players, floor, and the mistakes they make."""
