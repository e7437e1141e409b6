/* A reader's MFRC522, on SPI. */
#include "reader_chip.h"

#include "../../chips/mfrc522.h"

static struct mfrc522 chip;
static struct iso14443a type_a;

void reader_chip_start(struct chip_bus *bus, struct finder *finder)
{
    mfrc522_start(&chip, bus, 0);
    iso14443a_start(&type_a, &chip.air, finder);
}
