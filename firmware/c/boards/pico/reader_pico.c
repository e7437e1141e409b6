/* The reader's board: one reader chip (`reader_chip.h`) whose antenna goes through an analogue switch of sixteen ways. It tells numbers: the host has the
   list of cards, so nothing that can be read out of it names one. */
#include "board_pico.h"
#include "reader_chip.h"

#include "../parts/antennas_board.h"
#include "../parts/pins.h"

#include <hardware/gpio.h>

enum { WAYS = 4 }; /* lines of the switch */

#define WAY(place, way, pin) [place] = (way),
static const uint8_t WAY_OF[] = {READER_ANTENNAS(WAY)};
#undef WAY
_Static_assert(sizeof WAY_OF >= ZONES_MAX, "a zone has no way of the switch");

static struct chip_bus bus;
static struct finder finder;
static struct multiplexer multiplexer;
static struct antenna list[ZONES_MAX];
static struct antennas antennas;

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

static struct card_number reference_of(uint8_t zone)
{
    struct card_number number = pico_settings()->reference[zone];
    return number.length <= NUMBER_MAX ? number : (struct card_number){.length = 0};
}

static bool is_up(uint8_t zone) { return (pico_settings()->face_up >> zone & 1) != 0; }

static const struct antennas_board board = {.up = is_up, .meanwhile = pico_breathe};

void pico_role_start(void)
{
    for (unsigned way = 0; way < WAYS; way++) {
        pico_output(READER_WAY_0 + way, false);
    }
    bus = pico_chip_bus(choose);
    reader_chip_start(&bus, &finder);
    multiplexer = (struct multiplexer){.bus = &bus};
    for (uint8_t zone = 0; zone < zones(); zone++) {
        list[zone] = (struct antenna){.bus = &bus, .finder = &finder, .multiplexer = &multiplexer, .channel = WAY_OF[zone],
                                      .reference = reference_of(zone)};
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
