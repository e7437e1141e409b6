"""The draw of Draw Poker (ACT 2001, B 2.3 to 2.6, 4.2)."""
