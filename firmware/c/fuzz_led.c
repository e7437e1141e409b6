/* One input for what reads the wire: for a fuzzer that is led by what the code does with it (clang's libFuzzer), and to play
   what that kept (`fuzz_play.c`). The first byte says what the others go to: frames, COBS, a message, or the whole device. To that
   the handshake is open and nothing is encrypted: else no fuzzer would ever get behind it. The same input does the same each time. */
#include "wire.c" /* for what it remembers: it is put back before each input */

#include "fuzz_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the board */

static uint32_t clock_ms, drawn;
static uint8_t storage[OUTBOX_STORAGE];

const uint8_t *board_key(void) { return storage; }
uint32_t board_milliseconds(void) { return clock_ms; }
void board_identify(void) {}
void board_storage_read(uint32_t at, void *data, size_t length) { memcpy(data, storage + at, length); }
void board_storage_write(uint32_t at, const void *data, size_t length) { memcpy(storage + at, data, length); }
void board_random(uint8_t *data, size_t length) { memset(data, (int)(++drawn & 0xFF), length); }

/* ---- a session without secrets */

static const uint8_t no_tag[TAG_SIZE];

void handshake_begin(struct handshake *h, const uint8_t psk[KEY_SIZE], const char *role_name, uint8_t version)
{
    (void)h, (void)psk, (void)role_name, (void)version;
}

bool handshake_read(struct handshake *h, const uint8_t message[REQUEST_SIZE])
{
    (void)h;
    return message[REQUEST_SIZE - 1] != 0xFF;
}

bool handshake_write(struct handshake *h, const uint8_t private_key[32], const uint8_t *payload, size_t length, uint8_t *to)
{
    (void)h, (void)private_key;
    memset(to, 0, 32);
    memcpy(to + 32, payload, length);
    memcpy(to + 32 + length, no_tag, TAG_SIZE);
    return true;
}

void handshake_split(struct handshake *h, struct channel *split) { (void)h, memset(split, 0, sizeof *split); }

long channel_open(struct channel *opened, uint8_t *body, size_t length)
{
    opened->received++;
    return length < TAG_SIZE || body[length - 1] == 0xFF ? -1 : (long)(length - TAG_SIZE);
}

size_t channel_seal(struct channel *sealed, uint8_t *message, size_t length)
{
    sealed->sent++;
    memcpy(message + length, no_tag, TAG_SIZE);
    return length + TAG_SIZE;
}

/* ---- frames, COBS, messages */

static void try_frames(const uint8_t *data, size_t length)
{
    static struct frame_receiver into;
    uint8_t frame_bytes[12] = {TRANSPORT, 0, 7, 0, 0xFF}, encoded[24];
    memset(&into, 0, sizeof into);
    feed(&into, data, length);
    size_t bytes = frame_encode(frame_bytes, 5, encoded);
    must(feed(&into, encoded, bytes) >= 1 && into.length == 5 && memcmp(into.data, frame_bytes, 5) == 0,
         "a frame behind anything is found");
}

static void try_cobs(const uint8_t *data, size_t length)
{
    if (length <= ENCODED_MAX) {
        check_cobs(data, length);
    }
}

/* Asks a map for all that a role may ask it. */
static void ask_map(struct cbor_in map)
{
    struct cbor_in value, first, second;
    const uint8_t *bytes;
    const char *text;
    uint64_t number;
    size_t length;
    bool truth;
    if (map.at == NULL || !cbor_find_text(map, "on", &value)) {
        return;
    }
    (void)cbor_get_bool(value, &truth), (void)cbor_get_uint(value, &number), (void)cbor_get_null(value);
    (void)cbor_get_text(value, &text, &length), (void)cbor_get_bytes(value, &bytes, &length);
    (void)cbor_is_opaque(value);
    (void)cbor_get_pair(value, &first, &second);
}

static void try_message(const uint8_t *data, size_t length)
{
    if (length > 0) {
        check_message((uint8_t)(1 + data[0] % 2), data + 1, length - 1, ask_map);
    }
}

/* ---- the whole device */

static void nothing(void) {}
static const char *a_note(void) { return "a note"; }
static void posted(const char *name, size_t length, struct cbor_in args) { (void)name, (void)length, ask_map(args); }

static void some_state(struct cbor_out *to)
{
    cbor_put_map(to, 1);
    cbor_put_text(to, "on");
    cbor_put_bool(to, true);
}

static void some_status(struct cbor_out *to)
{
    cbor_put_text(to, "on");
    cbor_put_null(to);
}

static const struct role fuzzed = {"keys", "fuzz", nothing, some_state, posted, nothing, a_note, some_status};

/* Power-up: what the processor's own memory had is gone. */
static void power_up(void)
{
    memset(&receiver, 0, sizeof receiver);
    forget();
    spoken = 0, heard = 0, told = 0, sequence = 0, place_sequence = 0, known = false, out_length = 0;
    memset(place_boot, 0, sizeof place_boot), memset(hello_boot, 0, sizeof hello_boot);
    wire_start(&fuzzed, "F-1", board_key());
}

static void receive_frame(uint8_t kind, const uint8_t *body, size_t length)
{
    uint8_t whole[320], wire[330];
    whole[0] = kind;
    memcpy(whole + 1, body, length);
    wire_received(wire, frame_encode(whole, 1 + length, wire));
}

static bool is_message(struct cbor_in body, uint8_t version)
{
    struct cbor_in value;
    if (version == 1) {
        return cbor_check(body);
    }
    for (body.at++; body.at < body.end;) { /* behind its kind */
        if (!cbor_take(&body, &value)) {
            return false;
        }
    }
    return true;
}

/* `version`: in which all of it was said; 0: in one and the other. */
static void take_out(uint8_t version)
{
    static struct frame_receiver host;
    size_t length;
    const uint8_t *bytes = wire_out(&length);
    memset(&host, 0, sizeof host);
    for (size_t i = 0; i < length; i++) {
        if (!frame_feed(&host, bytes[i])) {
            continue;
        }
        must(host.data[0] == HANDSHAKE_ANSWER || host.data[0] == TRANSPORT || host.data[0] == REJECT, "a device's frame");
        if (host.data[0] == TRANSPORT && version != 0) {
            must(host.length > 1 + TAG_SIZE, "a message");
            must(is_message((struct cbor_in){host.data + 1, host.data + host.length - TAG_SIZE}, version), "a sound message");
        }
    }
    must(host.dropped == 0 && host.collected == 0, "what is said are whole frames");
    wire_gone(length);
}

/* Steps of two bytes, what and how much, and so many bytes for it. A step of 128 or more leaves what is said on its way. */
static void try_device(const uint8_t *data, size_t length)
{
    static uint8_t body[256 + TAG_SIZE];
    bool mixed = false;
    clock_ms = 0, drawn = 0;
    memset(storage, 0, sizeof storage);
    power_up();
    for (size_t at = 0; at + 2 <= length;) {
        uint8_t what = data[at], before = spoken;
        size_t much = data[at + 1] < length - at - 2 ? data[at + 1] : length - at - 2;
        const uint8_t *given = data + at + 2;
        size_t waiting = out_length;
        bool raw = false;
        at += 2 + much;
        memset(body, 0, sizeof body);
        memcpy(body, given, much);
        switch (what & 7) {
        case 0:
            wire_received(given, much);
            raw = true; /* may be a handshake and what came before it */
            break;
        case 1:
            receive_frame(HANDSHAKE_REQUEST, body, 1 + REQUEST_SIZE);
            break;
        case 2:
        case 3:
            receive_frame(TRANSPORT, body, much + TAG_SIZE);
            break;
        case 4:
            clock_ms += 16u * (uint32_t)much;
            wire_tick();
            break;
        case 5: {
            struct cbor_out *event = wire_event();
            cbor_put_map(event, 1);
            cbor_put_text(event, "n");
            cbor_put_bytes(event, given, much);
            (void)wire_emit();
            break;
        }
        case 6:
            if (much > 2) {
                size_t to = ((size_t)given[0] << 8 | given[1]) % (sizeof storage - 256);
                memcpy(storage + to, given + 2, much - 2);
            }
            power_up();
            break;
        default:
            wire_tick();
            break;
        }
        mixed = mixed || raw || (waiting > 0 && before != spoken);
        if (what < 128) {
            take_out(mixed ? 0 : spoken);
            mixed = false;
        }
    }
    take_out(mixed ? 0 : spoken);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tried[])(const uint8_t *, size_t) = {try_frames, try_cobs, try_message, try_device};
    if (size < 1) {
        return 0;
    }
#ifdef PLANTED
    must(size < 5 || memcmp(data + 1, "felt", 4) != 0, "what the tests have planted");
#endif
    tried[data[0] % 4](data + 1, size - 1);
    return 0;
}
