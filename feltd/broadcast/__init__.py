"""Hands for a broadcast, from a record whose table has let them go: for the holder of the broadcast's private half.

It runs beside no table and asks none: it reads the record. What the table still holds back is in no record.
"""
