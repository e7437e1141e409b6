"""`feltd bench`: whether this board is quick enough for a table, measured on it, in two minutes and without devices."""
