/* Throws noise at what reads the wire, by a seed: `fuzz SEED ROUNDS`. For a build with every check the compiler has, which ends
   it at the first byte read or written where none is. It holds on to what can be said of any noise: a frame put between two
   zeros is found whatever came before it, what is no frame is counted, and nothing is said but rejects, where no key is. */
#include "board.h"
#include "fuzz_checks.h"
#include "outbox.h"
#include "wire.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOISE_MAX = 6000 };

static uint32_t seed;
static uint32_t clock_ms;
static uint8_t storage[OUTBOX_STORAGE];

/* ---- the board */

const uint8_t *board_key(void) { return storage; }
uint32_t board_milliseconds(void) { return clock_ms; }
void board_random(uint8_t *data, size_t length) { randombytes_buf(data, length); }
void board_identify(void) {}
void board_storage_read(uint32_t at, void *data, size_t length) { memcpy(data, storage + at, length); }
void board_storage_write(uint32_t at, const void *data, size_t length) { memcpy(storage + at, data, length); }

/* ---- chance (xorshift: the same on every machine) */

static uint32_t chance(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

static size_t noise(uint8_t *data, size_t longest)
{
    size_t length = chance((uint32_t)longest + 1);
    uint32_t kind = chance(4);
    for (size_t i = 0; i < length; i++) {
        data[i] = kind == 0 ? (uint8_t)chance(256) : kind == 1 ? (uint8_t)(1 + chance(255)) : kind == 2 ? 0xFF : (uint8_t)chance(3);
    }
    return length;
}

static void spoil(uint8_t *data, size_t length)
{
    for (uint32_t times = 1 + chance(3); times > 0 && length > 0; times--) {
        data[chance((uint32_t)length)] ^= (uint8_t)(1u << chance(8));
    }
}

/* ---- frames */

static size_t make_frame(uint8_t *frame, uint8_t *wire, size_t longest)
{
    size_t length = 1 + noise(frame + 1, longest);
    frame[0] = (uint8_t)(1 + chance(4));
    uint8_t whole[FRAME_MAX];
    memcpy(whole, frame, length);
    size_t encoded = frame_encode(whole, length, wire);
    must(encoded <= ENCODED_MAX + 2 && wire[0] == 0 && wire[encoded - 1] == 0, "a frame's bytes");
    must(memchr(wire + 1, 0, encoded - 2) == NULL, "no zero within");
    return length;
}

static void try_cobs(void)
{
    static uint8_t bytes[ENCODED_MAX];
    check_cobs(bytes, noise(bytes, 600));
}

static void try_frames(void)
{
    static struct frame_receiver receiver;
    static uint8_t frame[FRAME_MAX], wire[ENCODED_MAX + 2], bytes[NOISE_MAX];
    feed(&receiver, bytes, noise(bytes, NOISE_MAX));
    size_t length = make_frame(frame, wire, FRAME_MAX - 5);
    size_t encoded = 1 + strlen((char *)wire + 1) + 1;
    uint32_t dropped = receiver.dropped;
    bool under_way = receiver.collected > 0;
    size_t found = feed(&receiver, wire, encoded);
    must(found >= 1 && receiver.length == length && memcmp(receiver.data, frame, length) == 0, "a frame behind noise is found");
    must(receiver.dropped - dropped == (under_way && found == 1), "what came before is counted");
    spoil(wire + 1, encoded - 2);
    if (feed(&receiver, wire, encoded) > 0) {
        must(receiver.length >= 1 && receiver.length + 4 <= FRAME_MAX, "what is found is a frame");
    }
    feed(&receiver, (const uint8_t *)"", 1);
}

/* ---- messages */

static void ask_map(struct cbor_in map)
{
    struct cbor_in value;
    bool truth;
    if (map.at != NULL && cbor_find_text(map, "on", &value)) {
        (void)cbor_get_bool(value, &truth);
    }
}

static void try_message(const uint8_t *data, size_t length)
{
    check_message((uint8_t)(1 + chance(2)), data, length, ask_map);
}

static void put_value(struct cbor_out *out, uint32_t depth)
{
    static const uint8_t bytes[40];
    switch (chance(depth > 8 ? 6 : 8)) {
    case 0:
        cbor_put_uint(out, (uint64_t)chance(UINT32_MAX) << chance(33));
        break;
    case 1:
        cbor_put_bool(out, chance(2) == 1);
        break;
    case 2:
        cbor_put_null(out);
        break;
    case 3:
        cbor_put_bytes(out, bytes, chance(3) == 0 ? BOOT_ID_SIZE : chance(sizeof bytes));
        break;
    case 4:
    case 5:
        cbor_put_text_n(out, "the quick brown fox jumps over the dog", chance(38));
        break;
    case 6:
        cbor_put_array(out, 2);
        put_value(out, depth + 1);
        put_value(out, depth + 1);
        break;
    default:
        cbor_put_map(out, 1);
        cbor_put_text_n(out, "onwards", chance(7));
        put_value(out, depth + 1);
        break;
    }
}

static void try_messages(void)
{
    static uint8_t data[2048];
    struct cbor_out out = {data, sizeof data, 0, false};
    uint32_t pairs = 1 + chance(5);
    cbor_put_map(&out, pairs);
    for (uint32_t key = 0; key < pairs; key++) {
        cbor_put_uint(&out, chance(8) == 0 ? chance(30) : key);
        if (key == 0) {
            cbor_put_uint(&out, 1 + chance(14));
        } else {
            put_value(&out, 2);
        }
    }
    try_message(data, out.length);
    try_message(data, chance((uint32_t)out.length + 1));
    spoil(data, out.length);
    try_message(data, out.length);
    try_message(data, noise(data, 300));
}

/* ---- the whole device, which no host has given a session */

static void no_state(struct cbor_out *out) { cbor_put_map(out, 0); }
static void no_post(const char *name, size_t length, struct cbor_in args) { (void)name, (void)length, (void)args; }
static void nothing(void) {}

static void try_device(void)
{
    static struct frame_receiver receiver;
    static uint8_t frame[FRAME_MAX], wire[ENCODED_MAX + 2], bytes[NOISE_MAX];
    if (chance(2) == 0) {
        size_t length = noise(bytes, NOISE_MAX);
        wire_received(bytes, length);
    } else {
        (void)make_frame(frame, wire, chance(4) == 0 ? FRAME_MAX - 5 : 60);
        wire_received(wire, 1 + strlen((char *)wire + 1) + 1);
    }
    clock_ms += chance(1500);
    wire_tick();
    size_t length;
    const uint8_t *out = wire_out(&length);
    size_t taken = chance((uint32_t)length + 1);
    for (size_t i = 0; i < taken; i++) {
        if (frame_feed(&receiver, out[i])) {
            must(receiver.data[0] == REJECT && receiver.length <= 1 + 4 + REJECT_MAX, "only rejects");
        }
    }
    must(receiver.dropped == 0, "what is said are frames");
    wire_gone(taken);
}

int main(int count, char **arguments)
{
    static const struct role role = {"keys", "fuzz", nothing, no_state, no_post, nothing, NULL, NULL};
    if (count != 3 || sodium_init() < 0) {
        return 2;
    }
    seed = (uint32_t)strtoul(arguments[1], NULL, 10) * 2654435761u | 1;
    unsigned long rounds = strtoul(arguments[2], NULL, 10);
    wire_start(&role, "F-1", board_key());
    for (unsigned long i = 0; i < rounds; i++) {
        try_cobs();
        try_frames();
        try_messages();
        try_device();
    }
    printf("%lu rounds\n", rounds);
    return 0;
}
