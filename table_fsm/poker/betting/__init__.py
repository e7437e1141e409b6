"""A betting round as arithmetic: who owes what, what an action may be."""
