"""Makes the files of many new tables from one sheet: each its configuration, keys, labels and list of steps.

It runs where keys may be made, on no table. It opens no port and changes nothing that is there.
"""
