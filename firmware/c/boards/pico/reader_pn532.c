/* A reader's PN532, in the place of an MFRC522: its switches stand for SPI. */
#include "reader_chip.h"

#include "../../chips/pn532.h"

static struct pn532 chip;
static struct iso14443a type_a;

void reader_chip_start(struct chip_bus *bus, struct finder *finder)
{
    pn532_start(&chip, bus, PN532_SPI);
    iso14443a_start(&type_a, &chip.air, finder);
}
