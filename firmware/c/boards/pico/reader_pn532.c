/* A reader's PN532, in the place of an MFRC522: its switches stand for SPI; or one for each antenna, there or with its
   switches at I2C. */
#include "reader_chip.h"

#include "../../chips/pn532.h"

#ifdef READER_BEHIND_TCA9548A
static const enum pn532_wire WIRE = PN532_I2C;
#else
static const enum pn532_wire WIRE = PN532_SPI;
#endif

static struct pn532 chips[READER_CHIPS];
static struct iso14443a type_a[READER_CHIPS];

void reader_chip_start(unsigned place, struct chip_bus *bus, struct finder *finder)
{
    pn532_start(&chips[place], bus, WIRE);
    iso14443a_start(&type_a[place], &chips[place].air, finder);
}
