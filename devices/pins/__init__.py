"""Devices on the computer's own pins: keys, lamps, buzzer, sensors, drop box, shoe gate.

A *group* names its lines and turns their changes into the messages of MESSAGES.md. Its *station* takes the lines,
watches them and reports to the table like the link of a device on a wire, so the drivers are the same.
"""
