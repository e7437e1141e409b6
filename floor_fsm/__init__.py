"""A tournament over many tables, as a function: `Tournament.apply(event) -> outputs`. No clock, no I/O, no randomness.

Time comes in with the events, the draw's seed too. What a text rules is data of the book (`law/`), each row with its
clause; where a text is silent a person decides, and the event says who and why.
"""
