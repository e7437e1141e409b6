#define _POSIX_C_SOURCE 200809L

#include "antennas_pty.h"
#include "board.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LISTED_MAX = 64, LYING_MAX = 2 * CARDS_MAX };

static struct {
    char name[ZONE_NAME_MAX + 1];
    char face[8];
    bool scanning; /* a scan takes two looks */
} zones[ZONES_MAX];
static size_t zone_count;

static struct {
    char chip[2 * CHIP_SIZE + 1];
    char card[8];
} listed[LISTED_MAX];
static size_t listed_count;

static struct {
    uint8_t zone;
    struct chip chip;
    bool blinks, flashes;
} lying[LYING_MAX];
static size_t lying_count;

static struct chip chip_of(const char *digits)
{
    struct chip chip = {{0}, false};
    size_t length;
    (void)sodium_hex2bin(chip.id, sizeof chip.id, digits, strlen(digits), NULL, &length, NULL);
    return chip;
}

static FILE *open_in(int folder, const char *name)
{
    int file = openat(folder, name, O_RDONLY);
    return file < 0 ? NULL : fdopen(file, "r");
}

static void close_if(FILE *file)
{
    if (file != NULL) {
        fclose(file);
    }
}

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
    char what[8], name[ZONE_NAME_MAX + 1], digits[2 * CHIP_SIZE + 1], face[8] = "";
    if (sscanf(line, "%7s %8s %16s %7s", what, name, digits, face) < 3) {
        return false;
    }
    uint8_t zone = 0;
    while (zone < zone_count && strcmp(zones[zone].name, name) != 0) {
        zone++;
    }
    if (zone == zone_count) {
        return false;
    }
    struct chip chip = chip_of(digits);
    size_t at = find(zone, &chip);
    bool flashes = strcmp(what, "flash") == 0;
    if ((strcmp(what, "lay") == 0 || flashes) && at < LYING_MAX) {
        chip.up = strcmp(face[0] != 0 ? face : zones[zone].face, "up") == 0;
        lying_count += at == lying_count;
        lying[at].zone = zone;
        lying[at].chip = chip;
        lying[at].blinks = false;
        lying[at].flashes = flashes;
    } else if (strcmp(what, "take") == 0 && at < lying_count) {
        lying[at] = lying[--lying_count];
    } else if (strcmp(what, "blink") == 0 && at < lying_count) {
        lying[at].blinks = true;
    }
    return true;
}

/* Takes the lines of a file to pieces, two words each. */
static bool take_pair(FILE *file, char first[17], char second[17])
{
    return file != NULL && fscanf(file, "%16s %16s", first, second) == 2;
}

void antennas_start(int folder)
{
    char first[17], second[17], line[48];
    FILE *file = open_in(folder, "zones");
    for (; zone_count < ZONES_MAX && take_pair(file, first, second); zone_count++) {
        (void)snprintf(zones[zone_count].name, sizeof zones[0].name, "%.8s", first);
        (void)snprintf(zones[zone_count].face, sizeof zones[0].face, "%.7s", second);
    }
    close_if(file);
    file = open_in(folder, "cards");
    for (; listed_count < LISTED_MAX && take_pair(file, first, second); listed_count++) {
        (void)snprintf(listed[listed_count].chip, sizeof listed[0].chip, "%s", first);
        (void)snprintf(listed[listed_count].card, sizeof listed[0].card, "%.7s", second);
    }
    close_if(file);
    file = open_in(folder, "laid");
    while (take_pair(file, first, second)) {
        (void)snprintf(line, sizeof line, "lay %s %s", first, second);
        (void)antennas_control(line);
    }
    close_if(file);
}

const char *board_zone(uint8_t zone) { return zone < zone_count ? zones[zone].name : NULL; }

bool board_scan(uint8_t zone, struct chip *chips, size_t *count)
{
    zones[zone].scanning = !zones[zone].scanning;
    size_t found = 0;
    for (size_t i = 0; zones[zone].scanning && i < lying_count && found < *count; i++) {
        if (lying[i].zone == zone && !lying[i].blinks) {
            chips[found++] = lying[i].chip;
        }
        lying[i].blinks = lying[i].blinks && lying[i].zone != zone;
    }
    for (size_t i = 0; zones[zone].scanning && i < lying_count;) {
        if (lying[i].zone == zone && lying[i].flashes) {
            lying[i] = lying[--lying_count];
        } else {
            i++;
        }
    }
    *count = found;
    return zones[zone].scanning;
}

const char *board_card(const struct chip *chip)
{
    for (size_t i = 0; i < listed_count; i++) {
        struct chip one = chip_of(listed[i].chip);
        if (memcmp(one.id, chip->id, CHIP_SIZE) == 0) {
            return listed[i].card;
        }
    }
    return NULL;
}
