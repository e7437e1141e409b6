/* The chip of the reader's board: one of `reader_mfrc522.c`, `reader_pn532.c` and `reader_pn5180.c`,
   as the build says (`READER_CHIP`). */
#ifndef READER_CHIP_H
#define READER_CHIP_H

#include "../../chips/chip_bus.h"
#include "../../chips/finder.h"

/* Wires the chip's driver to the bus, and gives who finds cards over it. Adds to the bus the lines that this chip alone has. */
void reader_chip_start(struct chip_bus *bus, struct finder *finder);

#endif
