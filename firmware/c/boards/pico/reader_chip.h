/* The chips of the reader's board: one of `reader_mfrc522.c`, `reader_pn532.c` and `reader_pn5180.c`, as the build says (`READER_CHIP`).
   By its `READER_WAYS`: one chip on SPI for all antennas; one for each on SPI, selected one at a time (`READER_SELECTED`); or one for each on
   I2C behind a TCA9548A (`READER_BEHIND_TCA9548A`). */
#ifndef READER_CHIP_H
#define READER_CHIP_H

#include "../../chips/chip_bus.h"
#include "../../chips/finder.h"

#ifdef READER_BEHIND_TCA9548A
enum { READER_CHIPS = 8 };
#elif defined READER_SELECTED
enum { READER_CHIPS = 16 };
#else
enum { READER_CHIPS = 1 };
#endif

/* Wires the driver of a chip, below READER_CHIPS, to the bus, and gives who finds cards over it. Adds to the bus the lines that this chip
   alone has. */
void reader_chip_start(unsigned place, struct chip_bus *bus, struct finder *finder);

#endif
