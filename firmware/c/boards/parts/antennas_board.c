#include "antennas_board.h"

#include "../../board.h"

#include <string.h>

enum { START_SCANS = 6 }; /* of each zone: two that are alike, and some to spare */
enum { TROUBLED_AFTER = 5 }; /* scans in a row */

static struct antennas *antennas;
static const struct antennas_board *given;
static struct zone_scan first[ZONES_MAX]; /* what lay there at power-up */
static bool first_waits[ZONES_MAX];

static void call(void (*what)(void))
{
    if (what != NULL) {
        what();
    }
}

void antennas_board_start(struct antennas *started, const struct antennas_board *board)
{
    antennas = started;
    given = board;
    for (unsigned scans = 0; scans < START_SCANS * (unsigned)antennas->count; scans++) {
        uint8_t zone;
        while (!antennas_step(antennas, &zone)) {
            call(given->meanwhile);
        }
        if (antennas->records[zone].known) {
            first[zone] = antennas->scan;
            first_waits[zone] = true;
        }
    }
}

static bool hand_over(const struct zone_scan *scan, uint8_t zone, struct chip *chips, size_t *capacity)
{
    size_t found = 0;
    for (; found < scan->count && found < *capacity; found++) {
        memcpy(chips[found].id, scan->cards[found].bytes, CHIP_SIZE);
        chips[found].up = given->up(zone);
        chips[found].length = scan->cards[found].length;
    }
    *capacity = found;
    return true;
}

bool board_scan(uint8_t zone, struct chip *chips, size_t *capacity)
{
    uint8_t ended;
    if (first_waits[zone]) {
        first_waits[zone] = false;
        return hand_over(&first[zone], zone, chips, capacity);
    }
    if (antennas->now != zone) {
        return false;
    }
    call(given->before);
    if (!antennas_step(antennas, &ended) || antennas->records[zone].last != SCAN_WHOLE) {
        return false;
    }
    return hand_over(&antennas->scan, zone, chips, capacity);
}

/* A chip's number says which card it is, and not how it lies. */
bool board_knows_sides(void) { return false; }

bool board_margin(uint8_t zone, struct margin *margin)
{
    const struct antenna_record *record = &antennas->records[zone];
    unsigned scans = record->scans > 0 ? record->scans : 1;
    margin->whole = (uint8_t)(100u * record->whole / scans);
    margin->torn = (uint16_t)(100u * record->torn / scans);
    margin->milliseconds = (uint16_t)(record->took / 1000);
    return true;
}

uint8_t board_sticker(uint8_t zone, uint8_t number[CHIP_SIZE])
{
    const struct card_number *sticker = &antennas->list[zone].reference;
    memcpy(number, sticker->bytes, CHIP_SIZE);
    return sticker->length;
}

/* A hand that lays or takes cards tangles them, and covers an antenna, for a scan or two. */
enum zone_trouble board_trouble(uint8_t zone)
{
    static const enum zone_trouble troubles[] = {
        [SCAN_UNREAD] = ZONE_TANGLED,
        [SCAN_NO_ANTENNA] = ZONE_ANTENNA,
        [SCAN_NO_CHIP] = ZONE_CHIP,
        [SCAN_NO_WAY] = ZONE_MULTIPLEXER,
    };
    const struct antenna_record *record = &antennas->records[zone];
    if (record->strange >= TROUBLED_AFTER) {
        return ZONE_STRANGER;
    }
    return record->failed >= TROUBLED_AFTER ? troubles[record->last] : ZONE_WELL;
}
