"""What happened: rounds, rulings and decisions found again, played again step by step, counted and exported."""
