/* The antennas of a board on a desk as modelled chips, worked by the real drivers: cards are laid and taken by lines on its pipe.

   The folder's file `wiring` names one (`table_model.h`); lines on the pipe: `table_lines.c`. A file `references`
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
