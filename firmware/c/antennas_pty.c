#include "antennas_pty.h"
#include "board.h"
#include "lists_pty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LYING_MAX = 2 * CARDS_MAX };

static bool scanning[ZONES_MAX]; /* a scan takes two looks */

static struct {
    uint8_t zone;
    struct chip chip;
    bool blinks, flashes, dull;
    unsigned every; /* a dull one gets too little power: so many scans of its zone see it once; 0: none does */
} lying[LYING_MAX];
static size_t lying_count;
static unsigned looks[ZONES_MAX];

static size_t find(uint8_t zone, const struct chip *chip)
{
    size_t at = 0;
    while (at < lying_count && (lying[at].zone != zone || memcmp(lying[at].chip.id, chip->id, CHIP_SIZE) != 0)) {
        at++;
    }
    return at;
}

bool antennas_control(const char *line)
{
    char what[8], name[ZONE_NAME_MAX + 1], digits[2 * CHIP_SIZE + 1], face[8] = ""; /* or a number */
    if (sscanf(line, "%7s %8s %16s %7s", what, name, digits, face) < 3) {
        return false;
    }
    uint8_t zone = lists_zone(name);
    if (zone == ZONES_MAX) {
        return false;
    }
    struct chip chip = lists_chip(digits);
    size_t at = find(zone, &chip);
    bool flashes = strcmp(what, "flash") == 0;
    if ((strcmp(what, "lay") == 0 || flashes) && at < LYING_MAX) {
        chip.up = face[0] != 0 ? strcmp(face, "up") == 0 : lists_up(zone);
        lying_count += at == lying_count;
        lying[at].zone = zone;
        lying[at].chip = chip;
        lying[at].blinks = false;
        lying[at].flashes = flashes;
        lying[at].dull = false;
    } else if (strcmp(what, "take") == 0 && at < lying_count) {
        lying[at] = lying[--lying_count];
    } else if (strcmp(what, "blink") == 0 && at < lying_count) {
        lying[at].blinks = true;
    } else if ((strcmp(what, "dull") == 0 || strcmp(what, "bright") == 0) && at < lying_count) {
        lying[at].dull = what[0] == 'd';
        lying[at].every = (unsigned)strtoul(face, NULL, 10);
    }
    return true;
}

void antennas_desk_start(int folder)
{
    char first[17], second[17], line[48];
    lists_start(folder);
    FILE *file = lists_open(folder, "laid");
    while (lists_pair(file, first, second)) {
        (void)snprintf(line, sizeof line, "lay %s %s", first, second);
        (void)antennas_control(line);
    }
    lists_close(file);
}

bool board_scan(uint8_t zone, struct chip *chips, size_t *count)
{
    scanning[zone] = !scanning[zone];
    size_t found = 0;
    looks[zone] += scanning[zone];
    for (size_t i = 0; scanning[zone] && i < lying_count && found < *count; i++) {
        bool answers = !lying[i].dull || (lying[i].every > 0 && looks[zone] % lying[i].every == 0);
        if (lying[i].zone == zone && !lying[i].blinks && answers) {
            chips[found++] = lying[i].chip;
        }
        lying[i].blinks = lying[i].blinks && lying[i].zone != zone;
    }
    for (size_t i = 0; scanning[zone] && i < lying_count;) {
        if (lying[i].zone == zone && lying[i].flashes) {
            lying[i] = lying[--lying_count];
        } else {
            i++;
        }
    }
    *count = found;
    return scanning[zone];
}

/* A module may say how each chip lies: `lay ZONE CHIP up`. */
bool board_knows_sides(void) { return true; }

bool board_margin(uint8_t zone, struct margin *margin)
{
    (void)zone;
    (void)margin;
    return false;
}

uint8_t board_sticker(uint8_t zone, uint8_t number[CHIP_SIZE])
{
    (void)zone;
    (void)number;
    return 0;
}

enum zone_trouble board_trouble(uint8_t zone)
{
    (void)zone;
    return ZONE_WELL;
}

const char *antennas_happened(void) { return NULL; }

void antennas_gate(bool locked) { (void)locked; }
