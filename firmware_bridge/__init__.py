"""From a wire to authenticated messages: transports, framing, session, delivery, link supervision. Knows no cards.

`PROTOCOL.md` beside this file is the specification; `vectors.json` holds its test vectors.
"""
