"""The table's end of the socket: who may come in, what they may ask, and how little of the table's time they get."""
