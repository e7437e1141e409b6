"""Arithmetic of cards, hands, bets and pots. It knows no core and no rulebook."""
