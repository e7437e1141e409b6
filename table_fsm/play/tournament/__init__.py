"""One table of a tournament: levels, hand for hand, races, places, penalties."""
