/* The reader's board: its antennas, by the ways that the build has chosen (`reader_ways.h`). It tells numbers: the host has the list of cards,
   so nothing that can be read out of it names one. */
#include "board_pico.h"
#include "reader_ways.h"

#include "../parts/antennas_board.h"

static struct antenna list[ZONES_MAX];
static struct antennas antennas;

static uint8_t zones(void)
{
    uint8_t count = pico_settings()->zones;
    return count < ZONES_MAX ? count : ZONES_MAX;
}

const char *board_zone(uint8_t zone) { return zone < zones() ? pico_settings()->zone[zone] : NULL; }

static struct card_number reference_of(uint8_t zone)
{
    struct card_number number = pico_settings()->reference[zone];
    return number.length <= NUMBER_MAX ? number : (struct card_number){.length = 0};
}

static bool is_up(uint8_t zone) { return (pico_settings()->face_up >> zone & 1) != 0; }

static const struct antennas_board board = {.up = is_up, .meanwhile = pico_breathe};

void pico_role_start(void)
{
    reader_ways_start(list, zones());
    for (uint8_t zone = 0; zone < zones(); zone++) {
        list[zone].reference = reference_of(zone);
    }
    antennas_start(&antennas, list, zones());
    antennas_board_start(&antennas, &board);
}

void pico_role_turn(void) {}

bool board_tells_numbers(void) { return true; }

const char *board_card(const struct chip *known)
{
    (void)known;
    return NULL;
}
