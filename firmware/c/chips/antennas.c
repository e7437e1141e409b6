#include "antennas.h"

enum { AGAIN_MAX = 3, SCANS_MAX = 200 };

void antennas_start(struct antennas *antennas, const struct antenna *list, uint8_t count)
{
    *antennas = (struct antennas){.list = list, .count = count};
}

/* The same for the same cards in whatever order. */
static uint32_t digest(const struct zone_scan *scan)
{
    uint32_t sum = scan->count;
    for (uint8_t i = 0; i < scan->count; i++) {
        uint32_t one = 2166136261u;
        for (uint8_t b = 0; b < scan->cards[i].length; b++) {
            one = (one ^ scan->cards[i].bytes[b]) * 16777619u;
        }
        sum += one;
    }
    return sum;
}

static uint8_t one_more(uint8_t scans) { return scans < SCANS_MAX ? (uint8_t)(scans + 1) : SCANS_MAX; }

static void note(struct antenna_record *record, const struct zone_scan *scan, enum scan_is is)
{
    uint32_t seen = digest(scan);
    if (record->scans == SCANS_MAX) {
        record->scans /= 2;
        record->whole /= 2;
        record->torn /= 2;
    }
    record->failed = is == SCAN_WHOLE ? 0 : is == record->last ? one_more(record->failed) : 1;
    record->strange = scan->strangers == 0 ? 0 : one_more(record->strange);
    record->known = is == SCAN_WHOLE && record->last == SCAN_WHOLE && record->seen == seen;
    record->last = is;
    record->seen = seen;
    record->scans++;
    record->whole = (uint8_t)(record->whole + (is == SCAN_WHOLE));
    record->torn = (uint16_t)(record->torn + scan->torn);
    record->strangers = scan->strangers;
    record->took = scan->took;
}

/* Which zone comes next: this one again where it has just changed, but not for ever, or a card that flickers would keep all
   others waiting. */
static void go_on(struct antennas *antennas)
{
    const struct antenna_record *record = &antennas->records[antennas->now];
    if (record->last == SCAN_WHOLE && !record->known && ++antennas->again < AGAIN_MAX) {
        return;
    }
    antennas->again = 0;
    antennas->now = (uint8_t)((antennas->now + 1) % antennas->count);
}

static enum scan_is begin(struct antennas *antennas, const struct antenna *antenna)
{
    static const enum scan_is ways[] = {[WAY_OPEN] = SCAN_GOES_ON, [WAY_HELD] = SCAN_NO_CHIP, [WAY_SILENT] = SCAN_NO_WAY};
    const struct card_number *reference = antenna->reference.length > 0 ? &antenna->reference : NULL;
    zone_scan_start(&antennas->scan, antenna->bus, antenna->finder, reference);
    return antenna->multiplexer == NULL ? SCAN_GOES_ON : ways[multiplexer_choose(antenna->multiplexer, antenna->channel)];
}

bool antennas_step(struct antennas *antennas, uint8_t *zone)
{
    const struct antenna *antenna = &antennas->list[antennas->now];
    enum scan_is is = SCAN_GOES_ON;
    if (!antennas->under_way) {
        bool same = antennas->again > 0 || antennas->count == 1;
        if (same && antennas->off && bus_now(antenna->bus) - antennas->off_since < FIELD_FORGETS) {
            return false; /* cards that were silenced must forget it first */
        }
        antennas->under_way = true;
        is = begin(antennas, antenna);
    }
    is = is == SCAN_GOES_ON ? zone_scan_step(&antennas->scan) : is;
    if (is == SCAN_GOES_ON) {
        return false;
    }
    antennas->under_way = false;
    antennas->off = true;
    antennas->off_since = bus_now(antenna->bus);
    *zone = antennas->now;
    note(&antennas->records[*zone], &antennas->scan, is);
    go_on(antennas);
    return true;
}
