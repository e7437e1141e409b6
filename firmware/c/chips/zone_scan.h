/* One look at one zone: field on, every card read, field off. It ends with all that lies there, or with the reason why it
   says nothing: cards that are not seen in a scan that failed have not gone. */
#ifndef ZONE_SCAN_H
#define ZONE_SCAN_H

#include "chip_bus.h"
#include "finder.h"

enum { SCAN_CARDS_MAX = 60, TORN_MAX = 6 };

enum scan_is {
    SCAN_GOES_ON,
    SCAN_WHOLE,      /* `cards` are all that lie there */
    SCAN_UNREAD,     /* somebody answers whom the reader cannot tell apart: `cards` are not all */
    SCAN_NO_ANTENNA, /* the reference card under the felt was not seen: the antenna, its wire or its place */
    SCAN_NO_CHIP,    /* the chip is silent, or answers nonsense */
    SCAN_NO_WAY,     /* the multiplexer before it does not answer */
};

struct zone_scan {
    const struct chip_bus *bus;
    struct finder *finder;
    const struct card_number *reference; /* NULL: there is none, and a dead antenna looks as an empty zone does */
    enum scan_is is;
    bool began, saw_reference;
    uint32_t since, powered; /* when it began, when the field was on */
    uint32_t took;  /* microseconds, of the scan that has ended */
    uint8_t torn;   /* answers of which no number came */
    uint8_t strangers; /* numbers that name nothing: telephones, bank cards */
    uint8_t count;
    struct card_number cards[SCAN_CARDS_MAX];
};

void zone_scan_start(struct zone_scan *scan, const struct chip_bus *bus, struct finder *finder,
                     const struct card_number *reference);
/* One step: at most one card, some eight milliseconds. */
enum scan_is zone_scan_step(struct zone_scan *scan);

#endif
