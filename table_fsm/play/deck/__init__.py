"""The pack: the cut, and what the cards seen say of it."""
