"""Cards dealt to the players: order, counts, exposures, boxed and folded cards."""
