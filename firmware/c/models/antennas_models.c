/* The antennas of a board on a desk as modelled chips, worked by the real drivers: cards are laid and taken by lines on its pipe.

   The folder's file `wiring` names one (`table_model.h`); lines: `lay ZONE UID`, `take ZONE UID`, `gone ZONE`, `back ZONE` (the
   zone's chip), `dead ZONE`, `alive ZONE` (its antenna), `torn ZONE EACH` (of so many answers one is torn), `shut ZONE`, `open ZONE`
   (the TCA9548A of all zones). A file `references`
   (lines: zone, UID) names the cards that are fixed to the antennas; they are laid. */
#define _POSIX_C_SOURCE 200809L

#include "../antennas_pty.h"
#include "../lists_pty.h"
#include "table_model.h"

#include <stdlib.h>
#include <string.h>

enum { START_SCANS = 6 }; /* of each zone: two that are alike, and some to spare */

static struct antennas antennas;
static struct antenna list[ZONES_MAX];
static uint8_t count;
static struct zone_scan first[ZONES_MAX]; /* what lay there at power-up */
static bool first_waits[ZONES_MAX];

static bool is_vicinity(const char *uid) { return strlen(uid) == 16; }

bool antennas_control(const char *line)
{
    char what[8], name[ZONE_NAME_MAX + 1], text[17] = "";
    if (sscanf(line, "%7s %8s %16s", what, name, text) < 2 || lists_zone(name) == ZONES_MAX) {
        return false;
    }
    uint8_t zone = lists_zone(name);
    struct air_model *air = table_model_air(zone);
    if (strcmp(what, "lay") == 0) {
        return air_lay(air, text, is_vicinity(text));
    }
    if (strcmp(what, "take") == 0) {
        return air_take(air, text);
    }
    if (strcmp(what, "gone") == 0 || strcmp(what, "back") == 0) {
        table_model_gone(zone, what[0] == 'g');
    } else if (strcmp(what, "dead") == 0 || strcmp(what, "alive") == 0) {
        air->antenna_dead = what[0] == 'd';
    } else if (strcmp(what, "shut") == 0 || strcmp(what, "open") == 0) {
        table_model_shut(what[0] == 's');
    } else if (strcmp(what, "torn") == 0) {
        air->torn_each = (unsigned)strtoul(text, NULL, 10);
    } else {
        return false;
    }
    return true;
}

/* The model's clock follows the board's, or a field would never settle while the board waits. */
static bool step(uint8_t *zone)
{
    table_model_wait((uint64_t)board_milliseconds() * 1000000 + 2000000000);
    return antennas_step(&antennas, zone);
}

static void lay_references(int folder)
{
    char name[17], uid[17], line[48];
    FILE *file = lists_open(folder, "references");
    while (lists_pair(file, name, uid)) {
        uint8_t zone = lists_zone(name);
        if (zone < count) {
            struct chip chip = lists_chip(uid);
            list[zone].reference.length = (uint8_t)(strlen(uid) / 2);
            memcpy(list[zone].reference.bytes, chip.id, CHIP_SIZE);
            (void)snprintf(line, sizeof line, "lay %s %s", name, uid);
            (void)antennas_control(line);
        }
    }
    lists_close(file);
}

/* Scans until each zone has been read twice alike, or has had its chances. */
static void look_first(void)
{
    for (int scans = 0; scans < START_SCANS * count; scans++) {
        uint8_t zone;
        while (!antennas_step(&antennas, &zone)) {
        }
        if (antennas.records[zone].known) {
            first[zone] = antennas.scan;
            first_waits[zone] = true;
        }
    }
}

void antennas_desk_start(int folder)
{
    char wiring[17] = "mfrc522", none[17], name[17], uid[17], line[48];
    FILE *file = lists_open(folder, "wiring");
    (void)lists_pair(file, wiring, none);
    lists_close(file);
    lists_start(folder);
    while (count < ZONES_MAX && board_zone(count) != NULL) {
        count++;
    }
    if (!table_model_start(&antennas, wiring, count)) {
        fprintf(stderr, "wiring: no model of %s for %u zones: see models/table_model.h\n", wiring, count);
        exit(2);
    }
    memcpy(list, antennas.list, count * sizeof list[0]);
    antennas_start(&antennas, list, count);
    lay_references(folder);
    file = lists_open(folder, "laid");
    while (lists_pair(file, name, uid)) {
        (void)snprintf(line, sizeof line, "lay %s %s", name, uid);
        (void)antennas_control(line);
    }
    lists_close(file);
    look_first();
}

static bool hand_over(const struct zone_scan *scan, uint8_t zone, struct chip *chips, size_t *capacity)
{
    size_t found = 0;
    for (; found < scan->count && found < *capacity; found++) {
        memcpy(chips[found].id, scan->cards[found].bytes, CHIP_SIZE);
        chips[found].up = lists_up(zone);
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
    if (antennas.now != zone || !step(&ended) || antennas.records[zone].last != SCAN_WHOLE) {
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

const char *antennas_happened(void) { return NULL; }

void antennas_gate(bool locked) { (void)locked; }
