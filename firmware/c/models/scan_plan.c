/* The plan of scans: how long a card waits from coming to rest until a reader tells it, for zones with a reference sticker and
   two cards each (four in Omaha), one more coming. Reckoned from a round's parts, and measured: the card is laid at many moments of a round of
   the real driver on the modelled chip, and the worst counts. Milliseconds. `scan_plan` prints a table of zones on one reader, and how many
   readers ten seats take. */
#include "table_model.h"

#include <stdio.h>
#include <string.h>

enum { TOLD_WITHIN = 300, MOMENTS = 16, SEATS = 10, HOLDEM = 2, OMAHA = 4 };

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

/* A card that comes while the others lie. */
static const unsigned one_more = 0x63, lying[] = {0x14 /* the sticker at the antenna */, 0x21, 0x42, 0x2b, 0x57};

struct plan {
    const char *wiring;
    uint8_t zones, cards; /* cards at each zone, without the sticker */
};

static bool vicinity(const struct plan *plan) { return strcmp(plan->wiring, "pn5180-15693") == 0; }

static bool lay_the_table(const struct plan *plan)
{
    const char *wiring = plan->wiring;
    uint8_t zones = plan->zones;
    if (!table_model_start(&antennas, wiring, zones)) {
        return false;
    }
    for (uint8_t zone = 0; zone < zones; zone++) {
        for (uint8_t i = 0; i <= plan->cards; i++) {
            (void)lay(zone, lying[i], vicinity(plan));
        }
    }
    for (int i = 0; i < 4 * zones; i++) {
        (void)next_scan();
    }
    while (next_scan() != zones - 1) {
    }
    return true;
}

/* From the card's rest at this moment until the second scan in a row has read it. */
static uint64_t waits(const struct plan *plan, uint64_t moment)
{
    uint8_t zone;
    (void)lay_the_table(plan);
    uint64_t at = table_model_clock() + moment;
    while (table_model_clock() < at) {
        (void)antennas_step(&antennas, &zone);
    }
    at = table_model_clock();
    (void)lay(0, one_more, vicinity(plan));
    for (int seen = 0; seen < 2;) {
        if (next_scan() == 0) {
            seen = saw((uint8_t)one_more) ? seen + 1 : 0;
        }
    }
    return table_model_clock() - at;
}

static unsigned up(uint64_t nanoseconds) { return (unsigned)((nanoseconds + 999999) / 1000000); }

struct sums {
    uint64_t resting, with_one_more, round, reckoned; /* nanoseconds */
};

static bool reckon(const struct plan *plan, struct sums *sums)
{
    if (!lay_the_table(plan)) {
        return false;
    }
    uint64_t from = table_model_clock();
    while (next_scan() != plan->zones - 1) {
    }
    sums->round = table_model_clock() - from;
    sums->resting = (uint64_t)antennas.records[0].took * 1000;
    (void)lay(0, one_more, vicinity(plan));
    while (next_scan() != 0) {
    }
    sums->with_one_more = (uint64_t)antennas.records[0].took * 1000;
    sums->reckoned = sums->round + 2 * sums->with_one_more + (uint64_t)FIELD_FORGETS * 1000;
    return true;
}

static uint64_t worst_seen(const struct plan *plan, uint64_t round)
{
    uint64_t worst = 0;
    for (uint64_t i = 0; i < MOMENTS; i++) {
        uint64_t took = waits(plan, round * i / MOMENTS);
        worst = took > worst ? took : worst;
    }
    return worst;
}

static bool row(const struct plan *plan)
{
    struct sums sums;
    if (!reckon(plan, &sums)) {
        return false;
    }
    uint64_t worst = worst_seen(plan, sums.round);
    printf("| %s | %u | %u | %u | %u | %u | %u | %s |\n", plan->wiring, plan->zones, up(sums.resting), up(sums.with_one_more),
           up(sums.round), up(sums.reckoned), up(worst), up(sums.reckoned) <= TOLD_WITHIN ? "yes" : "no");
    return worst <= sums.reckoned;
}

/* How few readers tell a card at each of ten seats in time, by the sum; "none" where a reader for each seat takes too long. */
static bool readers_row(const char *wiring, uint8_t cards)
{
    for (uint8_t readers = 1; readers <= SEATS; readers++) {
        struct plan plan = {wiring, (uint8_t)((SEATS + readers - 1) / readers), cards};
        struct sums sums;
        if (!reckon(&plan, &sums) || up(sums.reckoned) > TOLD_WITHIN) {
            continue; /* more zones than the wiring has, or too slow */
        }
        uint64_t worst = worst_seen(&plan, sums.round);
        printf("| %s | %u | %u | %u | %u | %u |\n", wiring, cards, readers, plan.zones, up(sums.reckoned), up(worst));
        return worst <= sums.reckoned;
    }
    printf("| %s | %u | none | | | |\n", wiring, cards);
    return true;
}

int main(void)
{
    static const char *const wirings[] = {"mfrc522", "pn5180-a", "pn5180-15693", "pn532-spi", "mfrc522-each", "mfrc522-tca", "pn532-tca"};
    static const uint8_t zones[] = {4, 6, 8, 10, 12, 16}, cards[] = {HOLDEM, OMAHA};
    bool right = true;
    for (size_t w = 0; w < sizeof wirings / sizeof wirings[0]; w++) {
        for (size_t z = 0; z < sizeof zones; z++) {
            if (strstr(wirings[w], "-tca") == NULL || zones[z] <= 8) {
                right = row(&(struct plan){wirings[w], zones[z], HOLDEM}) && right;
            }
        }
    }
    for (size_t c = 0; c < sizeof cards; c++) {
        for (size_t w = 0; w < sizeof wirings / sizeof wirings[0]; w++) {
            right = readers_row(wirings[w], cards[c]) && right;
        }
    }
    return right ? 0 : 1;
}
