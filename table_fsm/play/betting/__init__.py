"""Actions, betting rounds, forced bets and stakes."""
