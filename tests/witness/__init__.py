"""The witness, its senders, and what they do to each other."""
