/* The antennas of a board on a desk as modelled chips, worked by the real drivers: cards are laid and taken by lines on its pipe.

   The folder's file `wiring` names one (`table_model.h`); lines: `lay ZONE UID`, `take ZONE UID`, `dull ZONE UID EVERY` (it gets too little power: of so
   many fields one feeds it; 0: none does), `bright ZONE UID`, `gone ZONE`, `back ZONE` (the
   zone's chip), `dead ZONE`, `alive ZONE` (its antenna), `torn ZONE EACH` (of so many answers one is torn), `shut ZONE`, `open ZONE`
   (the TCA9548A of all zones). A file `references`
   (lines: zone, UID) names the cards that are fixed to the antennas; they are laid. */
#define _POSIX_C_SOURCE 200809L

#include "../antennas_pty.h"
#include "../boards/parts/antennas_board.h"
#include "../lists_pty.h"
#include "table_model.h"

#include <stdlib.h>
#include <string.h>

static struct antennas antennas;
static struct antenna list[ZONES_MAX];
static uint8_t count;

static bool is_vicinity(const char *uid) { return strlen(uid) == 16; }

bool antennas_control(const char *line)
{
    char what[8], name[ZONE_NAME_MAX + 1], text[17] = "", each[8] = "";
    if (sscanf(line, "%7s %8s %16s %7s", what, name, text, each) < 2 || lists_zone(name) == ZONES_MAX) {
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
    if (strcmp(what, "dull") == 0 || strcmp(what, "bright") == 0) {
        return air_dull(air, text, what[0] == 'd', (unsigned)strtoul(each, NULL, 10));
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
static void follow(void) { table_model_wait((uint64_t)board_milliseconds() * 1000000 + 2000000000); }

static const struct antennas_board board = {.up = lists_up, .before = follow};

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
    antennas_board_start(&antennas, &board);
}

const char *antennas_happened(void) { return NULL; }

void antennas_gate(bool locked) { (void)locked; }
