/* A card reader: role `reader` (MESSAGES.md). It compares what the antennas see with what was said, and says the difference. */
#include "board.h"
#include "main.h"
#include "outbox.h"

#include <sodium.h>
#include <string.h>

/* Scans in a row before a card is believed to have come or turned, and to be gone. */
enum { CAME_AFTER = 2, TURNED_AFTER = 2, GONE_AFTER = 3 };
/* A card that gets too little power answers now and then, or no more at all once another one lies on it: it has not gone.
   Each time it is seen again after it was missed counts FLICKER, and each scan that sees it takes one off. Above FLICKERS it is
   believed to be gone after so many scans in a row without it. A card is covered that was missed first within so many scans of
   another one's coming, if it lay there for longer: a hand that takes one up and lays another down needs longer. */
enum { FLICKER = 8, FLICKER_MAX = 64, FLICKERS = 20, GONE_FLICKERING = 30, COVERED_WITHIN = 3 };
/* New cards in doubt at a time: a card is from the first scan that saw it until it is believed, or not seen again. */
enum { DOUBTS_MAX = 16 };
/* A card in the state is `82 62 r s 64 d o w n`, a zone at most a head and its name; and there is what stands around them. */
_Static_assert(CARDS_MAX * 9 + ZONES_MAX * (3 + ZONE_NAME_MAX) + 48 <= MESSAGE_MAX, "a state must fit into a message");
/* With a number it is `82 48 n n n n n n n n 64 d o w n`, and there is room for a pack. */
enum { NUMBERS_MAX = 52 };
_Static_assert(NUMBERS_MAX * (7 + CHIP_SIZE) + ZONES_MAX * (3 + ZONE_NAME_MAX) + 48 <= MESSAGE_MAX, "nor may numbers be too many");

/* A zone of the status is its name and `85 18 64 19 ff ff 19 ff ff 6b m u l t i p l e x e r 44 n n n n`; and there is a note. */
enum { MARK_SIZE = 4 };
_Static_assert(ZONES_MAX * (1 + ZONE_NAME_MAX + 22 + MARK_SIZE) + 200 <= MESSAGE_MAX, "nor may a status be too long");

struct card {
    struct chip chip; /* its face is the one last said */
    uint8_t zone;
    uint8_t missed; /* scans in a row */
    uint8_t turned;
    uint8_t flickers;
    bool covered;       /* it is missed, and another card lies on it: it is not told as gone */
    uint16_t came;      /* scan of its zone that saw it first */
    uint16_t missed_at; /* scan of its zone that missed it first */
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
static uint16_t looks[ZONES_MAX]; /* whole scans */
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

static void note_seen(struct card *card)
{
    if (card->missed > 0) {
        card->flickers = (uint8_t)(card->flickers > FLICKER_MAX - FLICKER ? FLICKER_MAX : card->flickers + FLICKER);
    } else if (card->flickers > 0) {
        card->flickers--;
    }
    card->missed = 0;
    card->covered = false;
}

static void note_turning(struct card *card, const struct chip *seen)
{
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

/* Whether a card that came in this scan of the zone may lie on this one: it came as this one was missed first, and later than
   this one. Scans are counted with a wrap, which is hours away. */
static bool may_cover(const struct card *card, uint16_t came)
{
    int16_t before = (int16_t)(came - card->missed_at), after = (int16_t)(came - card->came);
    return before >= -COVERED_WITHIN && before <= COVERED_WITHIN && after > COVERED_WITHIN;
}

/* Whether another card may lie on this one. One that is seen and not believed yet may be it. */
static bool has_cover(const struct card *card)
{
    for (size_t i = 0; i < lying; i++) {
        if (cards[i].zone == card->zone && !cards[i].covered && may_cover(card, cards[i].came)) {
            return true;
        }
    }
    for (size_t i = 0; i < scanned_count; i++) {
        if (!is_lying(card->zone, &scanned[i]) && may_cover(card, looks[card->zone])) {
            return true;
        }
    }
    return false;
}

/* One more scan without this card: whether it is believed to be gone. While cards are collected it goes silently. */
static bool has_gone(struct card *card)
{
    card->turned = 0;
    if (card->missed == 0) {
        card->missed_at = looks[card->zone];
    }
    card->missed = one_more(card->missed, GONE_FLICKERING);
    if (card->missed < GONE_AFTER) {
        return false;
    }
    if (collecting) {
        return true;
    }
    if (has_cover(card)) {
        card->covered = true;
        return false;
    }
    if (card->covered) {
        card->covered = false; /* what lay on it has gone: now it can answer again */
        card->missed = 1;
        return false;
    }
    if (card->flickers > FLICKERS && card->missed < GONE_FLICKERING) {
        return false;
    }
    return say("removed", card->zone, &card->chip, false);
}

static void take_out(size_t at)
{
    lying--;
    memmove(cards + at, cards + at + 1, (lying - at) * sizeof cards[0]);
}

static void look_at_lying(uint8_t zone)
{
    for (size_t i = 0; i < lying;) {
        struct card *card = &cards[i];
        const struct chip *seen = card->zone == zone ? find_scanned(&card->chip) : NULL;
        if (seen != NULL) {
            note_seen(card);
            note_turning(card, seen);
        } else if (card->zone == zone && has_gone(card)) {
            take_out(i);
            continue;
        }
        i++;
    }
}

/* A card that is covered, or flickers, and is seen in another zone has gone there. False: there was no room to say so. */
static bool leaves_where_it_was(uint8_t zone, const struct chip *chip)
{
    for (size_t i = 0; i < lying; i++) {
        if (cards[i].zone != zone && cards[i].missed >= GONE_AFTER && same_chip(&cards[i].chip, chip)) {
            if (!collecting && !say("removed", cards[i].zone, chip, false)) {
                return false;
            }
            take_out(i);
            return true;
        }
    }
    return true;
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

static void lie_down(const struct chip *chip, uint8_t zone, uint16_t came)
{
    cards[lying++] = (struct card){.chip = *chip, .zone = zone, .came = came};
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
    if (doubt->seen == CAME_AFTER && leaves_where_it_was(zone, chip) && say("placed", zone, chip, true)) {
        lie_down(chip, zone, (uint16_t)(looks[zone] - (CAME_AFTER - 1)));
        doubt->seen = 0;
    }
}

static bool scan(uint8_t zone)
{
    scanned_count = CARDS_MAX;
    if (!board_scan(zone, scanned, &scanned_count)) {
        return false;
    }
    looks[zone]++;
    return true;
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
            lie_down(&scanned[i], zone, looks[zone]);
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
    cbor_put_map(out, board_knows_sides() ? 2 : 3);
    cbor_put_text(out, "zones");
    cbor_put_map(out, count);
    for (uint8_t zone = 0; zone < count; zone++) {
        put_zone(out, zone);
    }
    cbor_put_text(out, "collecting");
    cbor_put_bool(out, collecting);
    if (!board_knows_sides()) {
        cbor_put_text(out, "faces");
        cbor_put_bool(out, false);
    }
}

/* What is wrong in a zone: its name in the status, and what to look at, for a technician. */
static const struct {
    const char *name, *words;
} troubles[ZONE_TROUBLES] = {
    [ZONE_ANTENNA] = {"antenna", "its reference card is not seen: look at the antenna and its wire"},
    [ZONE_CHIP] = {"chip", "its reader chip is silent or answers nonsense: look at its supply and bus"},
    [ZONE_MULTIPLEXER] = {"multiplexer", "its multiplexer does not answer: look at its supply and address"},
    [ZONE_TANGLED] = {"tangled", "cards answer that it cannot tell apart: take them off one by one"},
    [ZONE_STRANGER] = {"stranger", "a telephone or a bank card lies there: take it away"},
    [ZONE_WEAK] = {"weak", "a card gets too little power and may still lie there: spread the cards"},
};

static enum zone_trouble trouble_of(uint8_t zone)
{
    enum zone_trouble trouble = board_trouble(zone);
    for (size_t i = 0; trouble == ZONE_WELL && i < lying; i++) {
        trouble = cards[i].zone == zone && (cards[i].covered || cards[i].flickers > FLICKERS) ? ZONE_WEAK : ZONE_WELL;
    }
    return trouble;
}

/* The first zone that is not read, and why. */
static const char *note_of_reader(void)
{
    enum { WORDS_MAX = 100 };
    static char note[ZONE_NAME_MAX + 2 + WORDS_MAX + 1];
    for (uint8_t zone = 0; zone < ZONES_MAX && board_zone(zone) != NULL; zone++) {
        const char *const parts[] = {board_zone(zone), ": ", troubles[trouble_of(zone)].words};
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

/* The sticker's mark (MESSAGES.md, statuses): by it a host that has a card's number can tell whether this sticker has the same. */
static void put_mark(struct cbor_out *out, const uint8_t *number, size_t length)
{
    static const char of[] = "feltd sticker";
    uint8_t whole[sizeof of - 1 + CHIP_SIZE], digest[crypto_hash_sha256_BYTES];
    memcpy(whole, of, sizeof of - 1);
    memcpy(whole + sizeof of - 1, number, length);
    (void)crypto_hash_sha256(digest, whole, sizeof of - 1 + length);
    cbor_put_bytes(out, digest, MARK_SIZE);
}

/* How well each zone is read, and what is wrong there (MESSAGES.md, statuses). */
static void status_of_reader(struct cbor_out *out)
{
    uint8_t count = 0;
    while (count < ZONES_MAX && board_zone(count) != NULL) {
        count++;
    }
    cbor_put_text(out, "zones");
    cbor_put_map(out, count);
    for (uint8_t zone = 0; zone < count; zone++) {
        struct margin margin;
        bool known = board_margin(zone, &margin);
        const char *trouble = troubles[trouble_of(zone)].name;
        uint8_t sticker[CHIP_SIZE], length = board_sticker(zone, sticker);
        cbor_put_text(out, board_zone(zone));
        cbor_put_array(out, length > 0 ? 5 : 4);
        if (known) {
            cbor_put_uint(out, margin.whole);
            cbor_put_uint(out, margin.torn);
            cbor_put_uint(out, margin.milliseconds);
        } else {
            cbor_put_null(out);
            cbor_put_null(out);
            cbor_put_null(out);
        }
        if (trouble != NULL) {
            cbor_put_text(out, trouble);
        } else {
            cbor_put_null(out);
        }
        if (length > 0) {
            put_mark(out, sticker, length);
        }
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
