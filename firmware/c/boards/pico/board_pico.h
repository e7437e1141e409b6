/* What both boards of a Pico share: wire, storage, chance, lamp, watchdog, and the bus of the reader chip. */
#ifndef BOARD_PICO_H
#define BOARD_PICO_H

#include "../../board.h"
#include "../../chips/chip_bus.h"
#include "../../chips/finder.h"

/* The last sector but one of the flash, as the maker has loaded it (`settings.py`). What was never loaded is all ones: so are the
   last fields of a sector that an older `settings.py` has made. */
enum { SETTINGS_MARK = 0x31746C66, SERIAL_SIZE = 33, KEY_SIZE = 32 };
struct pico_settings {
    uint32_t mark; /* "flt1" */
    uint8_t key[KEY_SIZE];
    char serial[SERIAL_SIZE];
    uint8_t zones;
    uint16_t face_up; /* a bit a zone */
    char zone[ZONES_MAX][ZONE_NAME_MAX + 1];
    uint16_t servo_locked, servo_open; /* of a shoe whose gate is a servo: its pulses, in microseconds */
    struct card_number reference[ZONES_MAX]; /* the sticker on each antenna; a length of 0, or beyond NUMBER_MAX: none */
};

const struct pico_settings *pico_settings(void);
/* Starts SPI 0 for the reader chip, with its reset; `choose` is the board's own, NULL without a switch. */
struct chip_bus pico_chip_bus(void (*choose)(void *board, uint8_t channel));
/* What a role's board starts, once wire, storage and settings are there; and each turn of the loop. */
void pico_role_start(void);
void pico_role_turn(void);
/* The watchdog is fed, the lamp blinks: in each turn of the loop, and where the start takes long. */
void pico_breathe(void);
/* An input to ground with a pull-up: whether it is closed. */
void pico_input(unsigned line);
bool pico_is_low(unsigned line);
void pico_output(unsigned line, bool level);

#endif
