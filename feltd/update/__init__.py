"""Updates of a board that was made from an image: two systems on one disk, the new one tried once.

`boot_block` says which system is proven and which is on trial; `bundles` what an update is and whether it may be
installed; `board` what the running system is; `health` whether the table came up; `fetching` brings a bundle here.
RAUC (Debian's) checks signatures and writes the other system's partition.
"""
