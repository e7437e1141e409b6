"""The witness: on another machine it keeps the heads that tables sign, and only ever adds to them.

It knows no entry, no card and no key that signs. A sender of its own beside each table asks the table's socket for
the heads, as the uplink does, and hands them over. Heads are public and prove themselves: who carries them can hold
them back, which is told after a while, and change none. See `wire` for what the two say.
"""
