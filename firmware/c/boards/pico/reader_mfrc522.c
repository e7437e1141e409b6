/* A reader's MFRC522, on SPI, or one for each antenna, there or on I2C. */
#include "reader_chip.h"

#include "../../chips/mfrc522.h"

#ifdef READER_BEHIND_TCA9548A
enum { ADDRESS = 0x28 }; /* of an MFRC522 whose address pins lie at ground, and of M5Stack's unit */
#else
enum { ADDRESS = 0 };
#endif

static struct mfrc522 chips[READER_CHIPS];
static struct iso14443a type_a[READER_CHIPS];

void reader_chip_start(unsigned place, struct chip_bus *bus, struct finder *finder)
{
    mfrc522_start(&chips[place], bus, ADDRESS);
    iso14443a_start(&type_a[place], &chips[place].air, finder);
}
