"""What people decide, what a ruling does, who sits where."""
