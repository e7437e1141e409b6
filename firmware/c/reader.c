/* A card reader: role `reader` (MESSAGES.md). It compares what the antennas see with what was said, and says the difference. */
#include "board.h"
#include "main.h"
#include "outbox.h"

#include <string.h>

/* Scans in a row before a card is believed to have come or turned, and to be gone. */
enum { CAME_AFTER = 2, TURNED_AFTER = 2, GONE_AFTER = 3 };
/* New cards in doubt at a time: a card is from the first scan that saw it until it is believed, or not seen again. */
enum { DOUBTS_MAX = 16 };
/* A card in the state is `82 62 r s 64 d o w n`, a zone at most a head and its name; and there is what stands around them. */
_Static_assert(CARDS_MAX * 9 + ZONES_MAX * (3 + ZONE_NAME_MAX) + 48 <= MESSAGE_MAX, "a state must fit into a message");
/* With a number it is `82 48 n n n n n n n n 64 d o w n`, and there is room for a pack. */
enum { NUMBERS_MAX = 52 };
_Static_assert(NUMBERS_MAX * (7 + CHIP_SIZE) + ZONES_MAX * (3 + ZONE_NAME_MAX) + 48 <= MESSAGE_MAX, "nor may numbers be too many");

struct card {
    struct chip chip; /* its face is the one last said */
    uint8_t zone;
    uint8_t missed; /* scans in a row */
    uint8_t turned;
};

struct doubt {
    struct chip chip;
    uint8_t zone;
    uint8_t seen; /* scans in a row; 0: this place is free */
};

static struct card cards[CARDS_MAX]; /* in the order in which they came, in whichever zone */
static size_t lying;
static struct doubt doubts[DOUBTS_MAX];
static struct chip scanned[CARDS_MAX];
static size_t scanned_count;
static bool collecting;

static size_t most(void) { return board_tells_numbers() ? NUMBERS_MAX : CARDS_MAX; }

static bool same_chip(const struct chip *one, const struct chip *two)
{
    return memcmp(one->id, two->id, sizeof one->id) == 0;
}

static const struct chip *find_scanned(const struct chip *chip)
{
    for (size_t i = 0; i < scanned_count; i++) {
        if (same_chip(&scanned[i], chip)) {
            return &scanned[i];
        }
    }
    return NULL;
}

static bool is_lying(uint8_t zone, const struct chip *chip)
{
    for (size_t i = 0; i < lying; i++) {
        if (cards[i].zone == zone && same_chip(&cards[i].chip, chip)) {
            return true;
        }
    }
    return false;
}

/* ---- what is said */

static void put_card(struct cbor_out *out, const struct chip *chip)
{
    if (board_tells_numbers()) {
        cbor_put_bytes(out, chip->id, chip->length);
        return;
    }
    const char *card = board_card(chip);
    if (card != NULL) {
        cbor_put_text(out, card);
    } else {
        cbor_put_null(out); /* a chip that is in no list was not read */
    }
}

static const char *face_of(const struct chip *chip) { return chip->up ? "up" : "down"; }

static bool say(const char *event, uint8_t zone, const struct chip *chip, bool with_face)
{
    struct cbor_out *out = wire_event();
    cbor_put_map(out, with_face ? 4 : 3);
    cbor_put_text(out, "ev");
    cbor_put_text(out, event);
    cbor_put_text(out, "zone");
    cbor_put_text(out, board_zone(zone));
    cbor_put_text(out, "card");
    put_card(out, chip);
    if (with_face) {
        cbor_put_text(out, "face");
        cbor_put_text(out, face_of(chip));
    }
    return wire_emit();
}

/* ---- one zone's scan */

static uint8_t one_more(uint8_t scans, uint8_t enough) { return scans < enough ? (uint8_t)(scans + 1) : enough; }

static void note_turning(struct card *card, const struct chip *seen)
{
    card->missed = 0;
    if (seen->up == card->chip.up) {
        card->turned = 0;
        return;
    }
    card->turned = one_more(card->turned, TURNED_AFTER);
    if (card->turned == TURNED_AFTER && say("turned", card->zone, seen, true)) {
        card->chip.up = seen->up;
        card->turned = 0;
    }
}

/* One more scan without this card: whether it is believed to be gone. While cards are collected it goes silently. */
static bool has_gone(struct card *card)
{
    card->turned = 0;
    card->missed = one_more(card->missed, GONE_AFTER);
    return card->missed == GONE_AFTER && (collecting || say("removed", card->zone, &card->chip, false));
}

static void look_at_lying(uint8_t zone)
{
    size_t kept = 0;
    for (size_t i = 0; i < lying; i++) {
        struct card card = cards[i];
        bool gone = false;
        if (card.zone == zone) {
            const struct chip *seen = find_scanned(&card.chip);
            if (seen != NULL) {
                note_turning(&card, seen);
            } else {
                gone = has_gone(&card);
            }
        }
        if (!gone) {
            cards[kept++] = card;
        }
    }
    lying = kept;
}

/* A doubt that this scan does not confirm is none any more. */
static void drop_doubts(uint8_t zone)
{
    for (size_t i = 0; i < DOUBTS_MAX; i++) {
        if (doubts[i].seen > 0 && doubts[i].zone == zone) {
            const struct chip *seen = find_scanned(&doubts[i].chip);
            if (seen == NULL || seen->up != doubts[i].chip.up) {
                doubts[i].seen = 0;
            }
        }
    }
}

static struct doubt *doubt_about(uint8_t zone, const struct chip *chip)
{
    struct doubt *unused = NULL;
    for (size_t i = 0; i < DOUBTS_MAX; i++) {
        if (doubts[i].seen == 0) {
            unused = &doubts[i];
        } else if (doubts[i].zone == zone && same_chip(&doubts[i].chip, chip)) {
            return &doubts[i];
        }
    }
    if (unused != NULL) {
        *unused = (struct doubt){*chip, zone, 0};
    }
    return unused; /* NULL: its turn comes when others are settled */
}

static void look_at_new(uint8_t zone, const struct chip *chip)
{
    if (is_lying(zone, chip) || lying == most()) {
        return;
    }
    struct doubt *doubt = doubt_about(zone, chip);
    if (doubt == NULL) {
        return;
    }
    doubt->seen = one_more(doubt->seen, CAME_AFTER);
    if (doubt->seen == CAME_AFTER && say("placed", zone, chip, true)) {
        cards[lying++] = (struct card){*chip, zone, 0, 0};
        doubt->seen = 0;
    }
}

static bool scan(uint8_t zone)
{
    scanned_count = CARDS_MAX;
    return board_scan(zone, scanned, &scanned_count);
}

static void poll_reader(void)
{
    board_fault_lamp(outbox_refuses() || lying == most());
    for (uint8_t zone = 0; zone < ZONES_MAX && board_zone(zone) != NULL; zone++) {
        if (!scan(zone)) {
            continue;
        }
        look_at_lying(zone);
        drop_doubts(zone);
        for (size_t i = 0; i < scanned_count; i++) {
            look_at_new(zone, &scanned[i]);
        }
    }
}

/* ---- what the loop calls */

/* What lies there at power-up was not seen to come: it is state, and no event. */
static void start(void)
{
    for (uint8_t zone = 0; zone < ZONES_MAX && board_zone(zone) != NULL; zone++) {
        if (!scan(zone)) {
            continue;
        }
        for (size_t i = 0; i < scanned_count && lying < most(); i++) {
            cards[lying++] = (struct card){scanned[i], zone, 0, 0};
        }
    }
}

static void put_zone(struct cbor_out *out, uint8_t zone)
{
    size_t count = 0;
    for (size_t i = 0; i < lying; i++) {
        count += cards[i].zone == zone;
    }
    cbor_put_text(out, board_zone(zone));
    cbor_put_array(out, count);
    for (size_t i = 0; i < lying; i++) {
        if (cards[i].zone == zone) {
            cbor_put_array(out, 2);
            put_card(out, &cards[i].chip);
            cbor_put_text(out, face_of(&cards[i].chip));
        }
    }
}

static void state_of_reader(struct cbor_out *out)
{
    uint8_t count = 0;
    while (count < ZONES_MAX && board_zone(count) != NULL) {
        count++;
    }
    cbor_put_map(out, 2);
    cbor_put_text(out, "zones");
    cbor_put_map(out, count);
    for (uint8_t zone = 0; zone < count; zone++) {
        put_zone(out, zone);
    }
    cbor_put_text(out, "collecting");
    cbor_put_bool(out, collecting);
}

/* The first zone that is not read, and why. */
static const char *note_of_reader(void)
{
    static char note[ZONE_NAME_MAX + 2 + TROUBLE_MAX + 1];
    for (uint8_t zone = 0; zone < ZONES_MAX && board_zone(zone) != NULL; zone++) {
        const char *const parts[] = {board_zone(zone), ": ", board_trouble(zone)};
        size_t length = 0;
        for (size_t i = 0; parts[2] != NULL && i < 3; i++) {
            for (const char *at = parts[i]; *at != 0 && length < sizeof note - 1; at++) {
                note[length++] = *at;
            }
        }
        note[length] = 0;
        if (length > 0) {
            return note;
        }
    }
    return NULL;
}

/* How well each zone is read: of its last scans, how many of a hundred read all that lay there, and how many answers of a
   hundred scans were torn; and how many milliseconds the last one took. */
static void status_of_reader(struct cbor_out *out)
{
    static struct margin margins[ZONES_MAX];
    size_t count = 0;
    for (uint8_t zone = 0; zone < ZONES_MAX && board_zone(zone) != NULL && board_margin(zone, &margins[zone]); zone++) {
        count++;
    }
    cbor_put_text(out, "x_read");
    cbor_put_map(out, count);
    for (uint8_t zone = 0; zone < count; zone++) {
        cbor_put_text(out, board_zone(zone));
        cbor_put_array(out, 3);
        cbor_put_uint(out, margins[zone].whole);
        cbor_put_uint(out, margins[zone].torn);
        cbor_put_uint(out, margins[zone].milliseconds);
    }
}

static void post_to_reader(const char *name, size_t length, struct cbor_in args)
{
    struct cbor_in value;
    bool on;
    if (length == 7 && memcmp(name, "collect", 7) == 0 && cbor_find_text(args, "on", &value) &&
        cbor_get_bool(value, &on)) {
        collecting = on;
    }
}

const struct role the_role = {"reader", "feltd-c 1.0", start, state_of_reader, post_to_reader, poll_reader,
                             note_of_reader, status_of_reader};
