/* What a board must give: the one thing to write for another. None of it may block longer than a few milliseconds.
   What only another role asks for may be left out. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Power-up. `sodium_init` too, where libsodium shall choose its quickest code; without it it takes the plain one, which is
   all that a microcontroller has. The key (32 bytes) and the serial number (at most 32 printable ASCII characters) are where
   the maker put them. */
void board_start(int count, char **arguments);
const uint8_t *board_key(void);
const char *board_serial(void);
/* False when the power goes; a real board gives true for ever. */
bool board_powered(void);
/* Milliseconds since the start; may wrap. */
uint32_t board_milliseconds(void);
/* Bytes that nobody can guess: the session's keys come from them. */
void board_random(uint8_t *data, size_t length);

/* The wire: what came (may wait some milliseconds), and as much as it takes now. Both give how many bytes. */
size_t board_read(uint8_t *data, size_t capacity);
size_t board_write(const uint8_t *data, size_t length);

/* Memory that outlives a loss of power, FRAM for instance: `outbox.h` says how much. All of a write is in it on return. */
void board_storage_read(uint32_t at, void *data, size_t length);
void board_storage_write(uint32_t at, const void *data, size_t length);

/* The next thing that happened at the sensors, debounced, as its name ("deal", "out As"); NULL: nothing. */
const char *board_happened(void);
bool board_test_switch(void);
void board_fault_lamp(bool on);
void board_identify(void);

/* A shoe's gate. Locked at power-up. */
void board_gate(bool locked);

/* A reader's zones and cards. All cards of its zones together are at most CARDS_MAX: more are not believed. */
enum { ZONES_MAX = 16, ZONE_NAME_MAX = 8, CARDS_MAX = 60, CHIP_SIZE = 8 };
struct chip {
    uint8_t id[CHIP_SIZE]; /* zeros behind a shorter one */
    bool up;               /* where the antenna cannot tell: as cards of that zone lie */
    uint8_t length;        /* bytes of the number, where the board tells numbers */
};
/* The name of a zone, counted from 0; NULL behind the last. */
const char *board_zone(uint8_t zone);
/* Whether a scan of the zone has ended since this was asked last: then its chips, each once, at most `*count`, and how many.
   A scan that could not read all has not ended: cards that it did not see have not gone. At power-up, `board_start` waits for
   the first scan of every zone that can be read. */
bool board_scan(uint8_t zone, struct chip *chips, size_t *count);
/* How well a zone is read, of its last scans; false: this board does not know. `chips/antennas.h` does. */
struct margin {
    uint8_t whole;         /* of a hundred scans, how many read all that lay there */
    uint16_t torn;         /* answers that were torn, of a hundred scans */
    uint16_t milliseconds; /* the last scan */
};
bool board_margin(uint8_t zone, struct margin *margin);
/* The number of the chip that is fixed to a zone's antenna, as the settings say it: its bytes; 0: there is none. */
uint8_t board_sticker(uint8_t zone, uint8_t number[CHIP_SIZE]);
/* Why a zone is not read whole, scan after scan. A board need not know ZONE_WEAK: the reader finds it. */
enum zone_trouble {
    ZONE_WELL,
    ZONE_ANTENNA,     /* the card that is fixed to it is not seen */
    ZONE_CHIP,        /* the reader chip is silent, or answers nonsense */
    ZONE_MULTIPLEXER, /* the multiplexer before it does not answer */
    ZONE_TANGLED,     /* cards answer that cannot be told apart */
    ZONE_STRANGER,    /* a telephone or a bank card lies there */
    ZONE_WEAK,        /* a card answers now and then, or no more since another lies on it */
    ZONE_TROUBLES
};
enum zone_trouble board_trouble(uint8_t zone);
/* Whether it sees which side of a card is up. False: each zone has one side, and the host is told so. */
bool board_knows_sides(void);
/* The card that carries this chip, as MESSAGES.md writes it; NULL: in no list. */
const char *board_card(const struct chip *chip);
/* Whether the host knows which chip is which card: the reader then tells numbers, and `board_card` is not asked. */
bool board_tells_numbers(void);

#endif
