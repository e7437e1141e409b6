"""Whether a change of the code changes an output of the table: two trees play the same events, and are compared.

    python -m tests.identity --against REV [--events 200000] [--books a,b] [--jobs 2]

`player` plays one tree in a process of its own; the streams that it plays are made in `random_stream`, `drills` and
`recorded`. The player knows a tree by `Table`, `load_library`, `parse_event` and what `to_dict` and `view` say, so that
all else in a tree may move.
"""
