"""Where the button stands, and who is dealt in from there."""
