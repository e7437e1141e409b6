/* The frames of a PN532 and the three links that carry them: UART (the manual's HSU), I2C and SPI. */
#ifndef PN532_LINK_H
#define PN532_LINK_H

#include "chip_bus.h"

enum { PN532_DATA_MAX = 40, PN532_FRAME_MAX = PN532_DATA_MAX + 10 };

enum pn532_wire { PN532_UART, PN532_I2C, PN532_SPI };

struct pn532_link {
    const struct chip_bus *bus;
    enum pn532_wire wire;
};

enum pn532_reply {
    PN532_REPLIED,
    PN532_DAMAGED, /* bytes came, and were no frame: the command may have been carried out or not */
    PN532_MUTE,    /* nothing came */
};

/* Wakes the chip after its power came: UART and SPI sleep until they are spoken to. */
void pn532_wake(const struct pn532_link *link);
/* Sends a command with its data and waits for what it answers, at most `limit` microseconds: `answer` takes the data behind the
   answer's code, at most `capacity` bytes. */
enum pn532_reply pn532_call(const struct pn532_link *link, uint8_t command, const uint8_t *data, size_t length,
                            uint8_t *answer, size_t capacity, size_t *answered, uint32_t limit);

#endif
