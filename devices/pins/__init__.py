"""What hangs on the board's own pins: keys, lamps, buzzer, markers' sensors, drop box, shoe gate.

A *group* says which lines it needs and what they mean, in the messages of MESSAGES.md; its *station* takes the lines,
watches them and speaks to the table as a device's link does. So every driver is that of the device with a wire.
"""
