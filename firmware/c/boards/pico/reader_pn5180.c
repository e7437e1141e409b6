/* A reader's PN5180, in the place of an MFRC522, for cards of ISO/IEC 14443 A, or of ISO/IEC 15693 where the build says `READER_VICINITY`
   (`READER_CHIP=pn5180_15693`). It has a line more: BUSY. */
#include "reader_chip.h"

#include "../../chips/pn5180.h"
#include "../parts/pins.h"
#include "board_pico.h"

static struct pn5180 chip;
#ifdef READER_VICINITY
static struct iso15693 vicinity;
#else
static struct iso14443a type_a;
#endif

static bool busy(void *board)
{
    (void)board;
    return !pico_is_low(READER_CHIP_BUSY);
}

void reader_chip_start(unsigned place, struct chip_bus *bus, struct finder *finder)
{
    (void)place; /* it has no I2C: there is one */
    pico_input(READER_CHIP_BUSY); /* pulled up: a chip that is not there is busy for ever, and counts as silent */
    bus->busy = busy;
#ifdef READER_VICINITY
    pn5180_start(&chip, bus, true);
    iso15693_start(&vicinity, &chip.vicinity, finder);
#else
    pn5180_start(&chip, bus, false);
    iso14443a_start(&type_a, &chip.air, finder);
#endif
}
