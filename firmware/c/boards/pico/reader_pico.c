/* The reader's board: one MFRC522 whose antenna goes through an analogue switch of sixteen ways. It tells numbers: the host has the
   list of cards, so nothing that can be read out of it names one. */
#include "board_pico.h"

#include "../../chips/antennas.h"
#include "../../chips/mfrc522.h"
#include "../parts/pins.h"

#include <hardware/gpio.h>

#include <string.h>

enum { START_SCANS = 6, WAYS = 4 }; /* of each zone: two that are alike, and some to spare; lines of the switch */

static struct chip_bus bus;
static struct mfrc522 chip;
static struct iso14443a type_a;
static struct finder finder;
static struct multiplexer multiplexer;
static struct antenna list[ZONES_MAX];
static struct antennas antennas;
static struct zone_scan first[ZONES_MAX]; /* what lay there at power-up */
static bool first_waits[ZONES_MAX];

static uint8_t zones(void)
{
    uint8_t count = pico_settings()->zones;
    return count < ZONES_MAX ? count : ZONES_MAX;
}

const char *board_zone(uint8_t zone) { return zone < zones() ? pico_settings()->zone[zone] : NULL; }

static void choose(void *board, uint8_t channel)
{
    (void)board;
    for (unsigned way = 0; way < WAYS; way++) {
        gpio_put(READER_WAY_0 + way, (channel >> way & 1) != 0);
    }
}

void pico_role_start(void)
{
    for (unsigned way = 0; way < WAYS; way++) {
        pico_output(READER_WAY_0 + way, false);
    }
    bus = pico_chip_bus(choose);
    mfrc522_start(&chip, &bus, 0);
    iso14443a_start(&type_a, &chip.air, &finder);
    multiplexer = (struct multiplexer){.bus = &bus};
    for (uint8_t zone = 0; zone < zones(); zone++) {
        list[zone] = (struct antenna){.bus = &bus, .finder = &finder, .multiplexer = &multiplexer, .channel = zone};
    }
    antennas_start(&antennas, list, zones());
    for (unsigned scans = 0; scans < START_SCANS * (unsigned)zones(); scans++) {
        uint8_t zone;
        while (!antennas_step(&antennas, &zone)) {
            pico_breathe();
        }
        if (antennas.records[zone].known) {
            first[zone] = antennas.scan;
            first_waits[zone] = true;
        }
    }
}

void pico_role_turn(void) {}

static bool hand_over(const struct zone_scan *scan, uint8_t zone, struct chip *chips, size_t *capacity)
{
    size_t found = 0;
    for (; found < scan->count && found < *capacity; found++) {
        memcpy(chips[found].id, scan->cards[found].bytes, CHIP_SIZE);
        chips[found].up = (pico_settings()->face_up >> zone & 1) != 0;
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
    if (antennas.now != zone || !antennas_step(&antennas, &ended) || antennas.records[zone].last != SCAN_WHOLE) {
        return false;
    }
    return hand_over(&antennas.scan, zone, chips, capacity);
}

bool board_margin(uint8_t zone, struct margin *margin)
{
    const struct antenna_record *record = &antennas.records[zone];
    unsigned scans = record->scans > 0 ? record->scans : 1;
    margin->whole = (uint8_t)(100u * record->whole / scans);
    margin->torn = (uint16_t)(100u * record->torn / scans);
    margin->milliseconds = (uint16_t)(record->took / 1000);
    return true;
}

const char *board_trouble(uint8_t zone)
{
    const char *trouble = zone_scan_trouble(antennas.records[zone].last);
    if (trouble == NULL && antennas.records[zone].strangers > 0) {
        return "a telephone or a bank card lies there: take it away";
    }
    return trouble;
}

bool board_tells_numbers(void) { return true; }

const char *board_card(const struct chip *known)
{
    (void)known;
    return NULL;
}
