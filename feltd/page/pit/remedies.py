"""What a person does about an item of the pit that is no alarm of a table, and where."""

from feltd.text.catalogue import say


def remedy(kind: str) -> str:
    """Return what to do about what is wrong with a table's custody, by its kind; empty for a kind of a newer floord."""
    known = {
        "fork": say("Find out which card was copied or put back. Begin a new journal at the table."),
        "put back": say("Find out which card was copied or put back. Begin a new journal at the table."),
        "broken": say("Run `feltd journal verify` at the table, and keep its file."),
        "foreign": say("Give the uplink its own table's certificate, or begin a new journal at that table."),
        "heads": say("Find out who writes with the table's certificate. Run `feltd journal verify` at the table."),
        "certificate": say("Enrol the table anew, and find out whether somebody has its old key."),
        "code": say("If nobody of yours typed this code, find out who reaches the floor's port."),
        "shut": say("If the table is not stolen, run `feltd floor open` on the server."),
        "wire": say("Bring the older of the two to the version of the newer one, the floor first."),
        "proof": say("Keep the database as evidence, and compare it with the table's own record."),
        "clock": say("See that chrony runs on the table and on the server."),
        "disk": say("Make room on the disk of the table's record, or change the card."),
        "gap": say("Run `feltd floor verify` on the server, and find out why the entries were lost."),
        "size": say("Find out what wrote so much, keep the record, and begin a new journal at the table."),
        "flood": say("If the table was not away for days, find out what writes there."),
        "tournament": say("Compare the table with its tournament. The director puts right what differs."),
    }
    return known.get(kind, "")


def passing(kind: str) -> str:
    """Return what to do about what is over by itself, and why it has no button."""
    return f"{remedy(kind)} {_by_itself()}".lstrip()


def of_link() -> str:
    """Return what to do about a table without a connection."""
    check = say("Check the network and the controller at the table. Decide at its own page meanwhile.")
    return f"{check} {_by_itself()}"


def of_more() -> str:
    """Return what to do about more alarms than are shown."""
    look = say("Look at the table's own page, and find out what raises so many.")
    return f"{look} {_by_itself()}"


def of_floor() -> str:
    """Return what to do about what is wrong with the floor itself."""
    tell = say("Tell who looks after the server what these words say.")
    return f"{tell} {_by_itself()}"


def _by_itself() -> str:
    return say("This line ends by itself once the cause is gone: nobody can acknowledge it.")
