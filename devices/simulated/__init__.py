"""A simulated table: things that speak the real protocol, and the people who work them."""
