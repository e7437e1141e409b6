/* All zones of a reader, one after the other: a round. A zone in which something has changed is looked at again at once, so
   that a card is told after one round and two scans, and not after two rounds. */
#ifndef ANTENNAS_H
#define ANTENNAS_H

#include "multiplexer.h"
#include "zone_scan.h"

enum { ANTENNAS_MAX = 16 };

struct antenna {
    const struct chip_bus *bus;
    struct finder *finder;                 /* several antennas share one behind an analogue switch */
    const struct multiplexer *multiplexer; /* NULL: the chip has this antenna alone */
    uint8_t channel;
    struct card_number reference; /* the card that is fixed to it; length 0: none */
};

/* What is known of an antenna. The counts are of the last scans, 100 to 200 of them. */
struct antenna_record {
    enum scan_is last;
    uint32_t seen; /* says whether the cards are others than in the scan before */
    bool known;    /* two scans in a row have seen the same */
    uint8_t scans, whole;
    uint16_t torn;
    uint8_t strangers; /* in the last scan */
    uint8_t failed;    /* scans in a row, the last with them, that ended as it did and were not whole */
    uint8_t strange;   /* scans in a row that met a stranger */
    uint32_t took;     /* microseconds, the last one */
};

struct antennas {
    const struct antenna *list;
    uint8_t count, now;
    uint8_t again;     /* scans of this zone in a row */
    bool under_way;
    bool off;          /* a field has been switched off */
    uint32_t off_since;
    struct zone_scan scan;
    struct antenna_record records[ANTENNAS_MAX];
};

void antennas_start(struct antennas *antennas, const struct antenna *list, uint8_t count);
/* One step of the round. True: a zone's scan has ended; `*zone` says which, `antennas->scan` what it found. */
bool antennas_step(struct antennas *antennas, uint8_t *zone);

#endif
