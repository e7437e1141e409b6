#define _POSIX_C_SOURCE 200809L

#include "lists_pty.h"

#include <fcntl.h>
#include <sodium.h>
#include <string.h>

enum { LISTED_MAX = 64 };

static struct {
    char name[ZONE_NAME_MAX + 1];
    char face[8];
} zones[ZONES_MAX];
static uint8_t zone_count;

static struct {
    char chip[2 * CHIP_SIZE + 1];
    char card[8];
} listed[LISTED_MAX];
static size_t listed_count;
static bool tells_numbers;

struct chip lists_chip(const char *digits)
{
    struct chip chip = {{0}, false, 0};
    size_t length = 0;
    (void)sodium_hex2bin(chip.id, sizeof chip.id, digits, strlen(digits), NULL, &length, NULL);
    chip.length = (uint8_t)length;
    return chip;
}

FILE *lists_open(int folder, const char *name)
{
    int file = openat(folder, name, O_RDONLY);
    return file < 0 ? NULL : fdopen(file, "r");
}

bool lists_pair(FILE *file, char first[17], char second[17])
{
    return file != NULL && fscanf(file, "%16s %16s", first, second) == 2;
}

void lists_close(FILE *file)
{
    if (file != NULL) {
        fclose(file);
    }
}

void lists_start(int folder)
{
    char first[17], second[17];
    FILE *file = lists_open(folder, "zones");
    for (; zone_count < ZONES_MAX && lists_pair(file, first, second); zone_count++) {
        (void)snprintf(zones[zone_count].name, sizeof zones[0].name, "%.8s", first);
        (void)snprintf(zones[zone_count].face, sizeof zones[0].face, "%.7s", second);
    }
    lists_close(file);
    file = lists_open(folder, "numbers");
    tells_numbers = file != NULL;
    lists_close(file);
    file = lists_open(folder, "cards");
    for (; listed_count < LISTED_MAX && lists_pair(file, first, second); listed_count++) {
        (void)snprintf(listed[listed_count].chip, sizeof listed[0].chip, "%s", first);
        (void)snprintf(listed[listed_count].card, sizeof listed[0].card, "%.7s", second);
    }
    lists_close(file);
}

bool lists_up(uint8_t zone) { return strcmp(zones[zone].face, "up") == 0; }

uint8_t lists_zone(const char *name)
{
    uint8_t zone = 0;
    while (zone < zone_count && strcmp(zones[zone].name, name) != 0) {
        zone++;
    }
    return zone < zone_count ? zone : ZONES_MAX;
}

bool board_tells_numbers(void) { return tells_numbers; }

const char *board_zone(uint8_t zone) { return zone < zone_count ? zones[zone].name : NULL; }

const char *board_card(const struct chip *chip)
{
    for (size_t i = 0; i < listed_count; i++) {
        struct chip one = lists_chip(listed[i].chip);
        if (memcmp(one.id, chip->id, CHIP_SIZE) == 0) {
            return listed[i].card;
        }
    }
    return NULL;
}
