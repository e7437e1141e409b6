#include "zone_scan.h"

#include <string.h>

void zone_scan_start(struct zone_scan *scan, const struct chip_bus *bus, struct finder *finder,
                     const struct card_number *reference)
{
    *scan = (struct zone_scan){.bus = bus, .finder = finder, .reference = reference, .is = SCAN_GOES_ON};
}

static bool same_number(const struct card_number *one, const struct card_number *two)
{
    return one->length == two->length && memcmp(one->bytes, two->bytes, sizeof one->bytes) == 0;
}

static void keep(struct zone_scan *scan, const struct card_number *number)
{
    if (scan->reference != NULL && same_number(scan->reference, number)) {
        scan->saw_reference = true;
        return;
    }
    for (uint8_t i = 0; i < scan->count; i++) {
        if (same_number(&scan->cards[i], number)) {
            scan->torn++; /* it has not heard that it should be silent; one that never hears it must not hold the scan up */
            return;
        }
    }
    if (scan->count < SCAN_CARDS_MAX) {
        scan->cards[scan->count++] = *number;
    } else {
        scan->torn++;
    }
}

static enum scan_is ended(struct zone_scan *scan, enum scan_is how)
{
    bool kept = scan->finder->end(scan->finder->self);
    how = how == SCAN_WHOLE && !kept ? SCAN_NO_CHIP : how;
    scan->took = bus_now(scan->bus) - scan->since;
    scan->is = how;
    return how;
}

enum scan_is zone_scan_step(struct zone_scan *scan)
{
    struct card_number number;
    if (scan->is != SCAN_GOES_ON) {
        return scan->is;
    }
    if (!scan->began) {
        scan->began = true;
        scan->since = bus_now(scan->bus);
        bool works = scan->finder->begin(scan->finder->self);
        scan->powered = bus_now(scan->bus);
        return works ? SCAN_GOES_ON : ended(scan, SCAN_NO_CHIP);
    }
    if (bus_now(scan->bus) - scan->powered < FIELD_SETTLES) {
        return SCAN_GOES_ON;
    }
    switch (scan->finder->next(scan->finder->self, &number)) {
    case FOUND_CARD:
        keep(scan, &number);
        break;
    case FOUND_RANDOM:
    case FOUND_LONG:
        scan->strangers++;
        scan->torn = (uint8_t)(scan->torn + (scan->strangers > TORN_MAX)); /* a telephone throws a new number each time */
        break;
    case FOUND_TORN:
        scan->torn++;
        break;
    case FOUND_NOTHING:
        break;
    case FOUND_ALL:
        return ended(scan, scan->reference != NULL && !scan->saw_reference ? SCAN_NO_ANTENNA : SCAN_WHOLE);
    case FOUND_FAULT:
        return ended(scan, SCAN_NO_CHIP);
    }
    return scan->torn > TORN_MAX ? ended(scan, SCAN_UNREAD) : SCAN_GOES_ON;
}
