/* The plan of scans: how long a card waits from coming to rest until a reader tells it, for zones with a reference sticker and
   two cards each, one more coming. Reckoned from a round's parts, and measured: the card is laid at many moments of a round of the real driver on the
   modelled chip, and the worst counts. Milliseconds. `scan_plan` prints the table. */
#include "table_model.h"

#include <stdio.h>
#include <string.h>

enum { TOLD_WITHIN = 300, MOMENTS = 16 };

static struct antennas antennas;

/* Runs until a zone's scan has ended: which. */
static uint8_t next_scan(void)
{
    uint8_t zone;
    while (!antennas_step(&antennas, &zone)) {
    }
    return zone;
}

static bool saw(uint8_t low)
{
    for (uint8_t i = 0; i < antennas.scan.count; i++) {
        if (antennas.scan.cards[i].bytes[antennas.scan.cards[i].length - 1] == low) {
            return true;
        }
    }
    return false;
}

static bool lay(uint8_t zone, unsigned card, bool vicinity)
{
    char uid[17];
    if (vicinity) {
        (void)snprintf(uid, sizeof uid, "e00401503a7c%02x%02x", zone, card);
    } else {
        (void)snprintf(uid, sizeof uid, "04%02x3a7cb1c2%02x", zone, card);
    }
    return air_lay(table_model_air(zone), uid, vicinity);
}

static bool lay_the_table(const char *wiring, uint8_t zones)
{
    if (!table_model_start(&antennas, wiring, zones)) {
        return false;
    }
    for (uint8_t zone = 0; zone < zones; zone++) {
        (void)lay(zone, 0x14, strcmp(wiring, "pn5180-15693") == 0); /* the sticker at the antenna */
        (void)lay(zone, 0x21, strcmp(wiring, "pn5180-15693") == 0);
        (void)lay(zone, 0x42, strcmp(wiring, "pn5180-15693") == 0);
    }
    for (int i = 0; i < 4 * zones; i++) {
        (void)next_scan();
    }
    while (next_scan() != zones - 1) {
    }
    return true;
}

/* From the card's rest at this moment until the second scan in a row has read it. */
static uint64_t waits(const char *wiring, uint8_t zones, uint64_t moment)
{
    uint8_t zone;
    (void)lay_the_table(wiring, zones);
    uint64_t at = table_model_clock() + moment;
    while (table_model_clock() < at) {
        (void)antennas_step(&antennas, &zone);
    }
    at = table_model_clock();
    (void)lay(0, 0x63, strcmp(wiring, "pn5180-15693") == 0);
    for (int seen = 0; seen < 2;) {
        if (next_scan() == 0) {
            seen = saw(0x63) ? seen + 1 : 0;
        }
    }
    return table_model_clock() - at;
}

static unsigned up(uint64_t nanoseconds) { return (unsigned)((nanoseconds + 999999) / 1000000); }

static bool row(const char *wiring, uint8_t zones)
{
    if (!lay_the_table(wiring, zones)) {
        return false;
    }
    uint64_t from = table_model_clock();
    while (next_scan() != zones - 1) {
    }
    uint64_t round = table_model_clock() - from, worst = 0;
    uint64_t resting = (uint64_t)antennas.records[0].took * 1000;
    (void)lay(0, 0x63, strcmp(wiring, "pn5180-15693") == 0);
    while (next_scan() != 0) {
    }
    uint64_t with_one_more = (uint64_t)antennas.records[0].took * 1000;
    uint64_t reckoned = round + 2 * with_one_more + (uint64_t)FIELD_FORGETS * 1000;
    for (uint64_t i = 0; i < MOMENTS; i++) {
        uint64_t took = waits(wiring, zones, round * i / MOMENTS);
        worst = took > worst ? took : worst;
    }
    printf("| %s | %u | %u | %u | %u | %u | %u | %s |\n", wiring, zones, up(resting), up(with_one_more), up(round), up(reckoned),
           up(worst), up(reckoned) <= TOLD_WITHIN ? "yes" : "no");
    return worst <= reckoned;
}

int main(void)
{
    static const char *const wirings[] = {"mfrc522", "pn5180-a", "pn5180-15693", "pn532-spi", "mfrc522-tca", "pn532-tca"};
    static const uint8_t zones[] = {4, 6, 8, 10, 12, 16};
    bool right = true;
    for (size_t w = 0; w < sizeof wirings / sizeof wirings[0]; w++) {
        for (size_t z = 0; z < sizeof zones; z++) {
            if (strstr(wirings[w], "-tca") == NULL || zones[z] <= 8) {
                right = row(wirings[w], zones[z]) && right;
            }
        }
    }
    return right ? 0 : 1;
}
