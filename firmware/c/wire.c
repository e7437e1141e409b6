#include "wire.h"

#include "board.h"
#include "frames.h"
#include "noise.h"
#include "outbox.h"

#include <sodium.h>
#include <string.h>

enum { HELLO = 1, WELCOME, EVENT, ACK, COMMAND, RESULT, POST, PING, PONG, STATUS, STATE_READ, STATE, CLOSE };
enum { REJECT_NOT_AUTHENTIC = 1, REJECT_VERSION = 2, REJECT_NO_SESSION = 3 };
enum { CLOSE_BAD_FRAME = 2, CLOSE_MALFORMED = 3 };
enum { VERSION = 1, WINDOW_MAX = 256, COMMANDS_AT_ONCE = 1 };
enum { WELCOME_MS = 1000, STATUS_MS = 1000, SILENCE_MS = 3000 };
enum { NAME_MAX = 32, TEXT_MAX = 128, CLOSE_REASONS = 12 };

/* The longest message that this device sends; the protocol would allow 2027. A state must fit. */
enum { MESSAGE_MAX = 512 };
/* Type, echo and key of an answer, message, tag and checksum; encoded, with its zeros. */
enum { FRAME_ROOM = 1 + 4 + 32 + MESSAGE_MAX + TAG_SIZE + 4, WIRE_ROOM = FRAME_ROOM + FRAME_ROOM / 254 + 3 };
enum { OUT_ROOM = 8 * WIRE_ROOM, OUT_HIGH = 4 * WIRE_ROOM }; /* from OUT_HIGH on events and state wait */

static const struct role *role;
static const char *serial;
static const uint8_t *key;

static struct frame_receiver receiver;
static struct channel channel;
static bool in_session;
static size_t window; /* 0 until the host has welcomed this device */
static uint32_t state_read;
static uint32_t heard, told;

static uint8_t boot_id[BOOT_ID_SIZE];
static uint32_t sequence;
static uint8_t event_data[EVENT_MAX];
static struct cbor_out event_out;

static uint8_t frame[FRAME_ROOM];
static uint8_t out[OUT_ROOM];
static size_t out_length;

/* ---- out */

static void forget(void)
{
    sodium_memzero(&channel, sizeof channel);
    in_session = false;
    window = 0;
    state_read = 0;
}

/* The frame whose type and body stand in `frame`. Where nobody takes what is written the session is given up. */
static void put_frame(size_t length)
{
    if (OUT_ROOM - out_length < WIRE_ROOM) {
        forget();
        return;
    }
    out_length += frame_encode(frame, length, out + out_length);
}

static struct cbor_out message_begin(unsigned kind, size_t more)
{
    struct cbor_out m = {frame + 1, MESSAGE_MAX, 0, false};
    cbor_put_map(&m, 1 + more);
    cbor_put_uint(&m, 0);
    cbor_put_uint(&m, kind);
    return m;
}

/* Sends the message that was written from `message_begin` on. */
static void message_send(const struct cbor_out *m)
{
    if (m->overflow || !in_session) {
        return; /* `keys.c` and `shoe.c` keep within the limits: their states are small and fixed */
    }
    frame[0] = TRANSPORT;
    put_frame(1 + channel_seal(&channel, frame + 1, m->length));
}

static void send_number(unsigned kind, uint64_t number)
{
    struct cbor_out m = message_begin(kind, 1);
    cbor_put_uint(&m, 1);
    cbor_put_uint(&m, number);
    message_send(&m);
}

static void send_status(void)
{
    struct cbor_out m = message_begin(STATUS, 1);
    cbor_put_uint(&m, 1);
    cbor_put_map(&m, outbox_full() ? 3 : 2);
    cbor_put_text(&m, "up_ms");
    cbor_put_uint(&m, board_milliseconds());
    cbor_put_text(&m, "waiting");
    cbor_put_uint(&m, outbox_count());
    if (outbox_full()) {
        cbor_put_text(&m, "note");
        cbor_put_text(&m, "the store of events is full: nothing is taken");
    }
    told = board_milliseconds();
    message_send(&m);
}

/* Ends the session; the host is told why, unless it has not welcomed this device yet. */
static void end(unsigned reason, const char *text)
{
    if (window > 0) {
        struct cbor_out m = message_begin(CLOSE, 2);
        cbor_put_uint(&m, 1);
        cbor_put_uint(&m, reason);
        cbor_put_uint(&m, 2);
        cbor_put_text(&m, text);
        message_send(&m);
    }
    forget();
}

/* Sends what may go: events in order, then the state if it was asked for. */
static void pump(void)
{
    while (window > 0 && out_length < OUT_HIGH) {
        const struct event *event = outbox_next(window);
        if (event == NULL) {
            break;
        }
        frame[0] = TRANSPORT;
        memcpy(frame + 1, event->message, event->length);
        put_frame(1 + channel_seal(&channel, frame + 1, event->length));
    }
    if (window > 0 && state_read != 0 && outbox_all_sent() && out_length < OUT_HIGH) {
        struct cbor_out m = message_begin(STATE, 2);
        cbor_put_uint(&m, 1);
        cbor_put_uint(&m, state_read);
        cbor_put_uint(&m, 2);
        role->state(&m);
        state_read = 0;
        message_send(&m);
    }
}

/* ---- the handshake */

static void reject(unsigned code, const uint8_t *echo)
{
    frame[0] = REJECT;
    memcpy(frame + 1, echo, 4);
    struct cbor_out m = {frame + 5, 124, 0, false};
    cbor_put_map(&m, 5);
    cbor_put_uint(&m, 1);
    cbor_put_uint(&m, code);
    cbor_put_uint(&m, 2);
    cbor_put_text(&m, role->name);
    cbor_put_uint(&m, 3);
    cbor_put_text(&m, serial);
    cbor_put_uint(&m, 4);
    cbor_put_uint(&m, VERSION);
    cbor_put_uint(&m, 5);
    cbor_put_uint(&m, VERSION);
    put_frame(5 + m.length);
}

static size_t write_hello(uint8_t *data, size_t capacity)
{
    struct cbor_out m = {data, capacity, 0, false};
    const uint64_t numbers[] = {VERSION, VERSION};
    const char *texts[] = {role->name, serial, role->firmware};
    cbor_put_map(&m, 9);
    cbor_put_uint(&m, 0);
    cbor_put_uint(&m, HELLO);
    for (uint64_t i = 0; i < 3; i++) {
        cbor_put_uint(&m, 1 + i);
        cbor_put_text(&m, texts[i]);
    }
    for (uint64_t i = 0; i < 2; i++) {
        cbor_put_uint(&m, 4 + i);
        cbor_put_uint(&m, numbers[i]);
    }
    cbor_put_uint(&m, 6);
    cbor_put_bytes(&m, boot_id, BOOT_ID_SIZE);
    cbor_put_uint(&m, 7);
    cbor_put_bool(&m, true);
    cbor_put_uint(&m, 8);
    cbor_put_uint(&m, COMMANDS_AT_ONCE);
    return m.length;
}

static void requested(const uint8_t *body, size_t length)
{
    static struct handshake handshake;
    uint8_t private_key[32], hello[160];
    if (length != 1 + REQUEST_SIZE) {
        return;
    }
    const uint8_t *echo = body + 1;
    if (body[0] != VERSION) {
        reject(REJECT_VERSION, echo);
        return;
    }
    handshake_begin(&handshake, key, role->name, VERSION);
    if (!handshake_read(&handshake, body + 1)) {
        reject(REJECT_NOT_AUTHENTIC, echo);
        return;
    }
    size_t size = write_hello(hello, sizeof hello);
    board_random(private_key, sizeof private_key);
    bool written = handshake_write(&handshake, private_key, hello, size, frame + 5);
    sodium_memzero(private_key, sizeof private_key);
    if (!written) {
        reject(REJECT_NOT_AUTHENTIC, echo);
        return;
    }
    forget();
    frame[0] = HANDSHAKE_ANSWER;
    memcpy(frame + 1, echo, 4);
    handshake_split(&handshake, &channel);
    in_session = true;
    heard = board_milliseconds();
    put_frame(5 + 32 + size + TAG_SIZE);
}

/* ---- within the session: each gives false for what is malformed */

static bool get_limited(struct cbor_in m, uint64_t at, uint64_t low, uint64_t high, uint32_t *number)
{
    struct cbor_in value;
    uint64_t found;
    if (!cbor_find(m, at, &value) || !cbor_get_uint(value, &found) || found < low || found > high) {
        return false;
    }
    *number = (uint32_t)found;
    return true;
}

static bool get_name(struct cbor_in m, uint64_t at, const char **name, size_t *length)
{
    struct cbor_in value;
    if (!cbor_find(m, at, &value) || !cbor_get_text(value, name, length) || *length < 1 || *length > NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < *length; i++) {
        if ((*name)[i] < ' ' || (*name)[i] > '~') {
            return false;
        }
    }
    return true;
}

static bool get_opaque(struct cbor_in m, uint64_t at, struct cbor_in *value)
{
    return cbor_find(m, at, value) && cbor_is_opaque(*value);
}

static bool get_event_name(struct cbor_in first, struct cbor_in second, const uint8_t **boot, uint32_t *number)
{
    size_t length;
    uint64_t found;
    if (!cbor_get_bytes(first, boot, &length) || length != BOOT_ID_SIZE || !cbor_get_uint(second, &found) || found < 1 ||
        found > UINT32_MAX) {
        return false;
    }
    *number = (uint32_t)found;
    return true;
}

static bool on_welcome(struct cbor_in m)
{
    struct cbor_in resume, first, second;
    const uint8_t *boot = NULL;
    uint32_t granted, number = 0;
    if (!get_limited(m, 1, 1, WINDOW_MAX, &granted) || !cbor_find(m, 2, &resume)) {
        return false;
    }
    if (!cbor_get_null(resume) &&
        (!cbor_get_pair(resume, &first, &second) || !get_event_name(first, second, &boot, &number))) {
        return false;
    }
    window = granted;
    outbox_begin();
    if (boot != NULL) {
        outbox_forget_through(boot, number);
    }
    send_status();
    return true;
}

static bool on_ack(struct cbor_in m)
{
    struct cbor_in first, second;
    const uint8_t *boot;
    uint32_t number;
    if (!cbor_find(m, 1, &first) || !cbor_find(m, 2, &second) || !get_event_name(first, second, &boot, &number)) {
        return false;
    }
    outbox_forget_through(boot, number);
    return true;
}

static bool on_command(struct cbor_in m)
{
    static const char identify[] = "x_identify";
    uint32_t number;
    const char *name;
    size_t length;
    struct cbor_in args;
    if (!get_limited(m, 1, 1, UINT32_MAX, &number) || !get_name(m, 2, &name, &length) || !get_opaque(m, 3, &args)) {
        return false;
    }
    bool known = length == strlen(identify) && memcmp(name, identify, length) == 0;
    struct cbor_out answer = message_begin(RESULT, known ? 2 : 3);
    cbor_put_uint(&answer, 1);
    cbor_put_uint(&answer, number);
    if (known) {
        board_identify();
        cbor_put_uint(&answer, 2);
        cbor_put_map(&answer, 0);
    } else {
        cbor_put_uint(&answer, 3);
        cbor_put_text(&answer, "unknown");
        cbor_put_uint(&answer, 4);
        cbor_put_text(&answer, "this device knows the command x_identify only");
    }
    message_send(&answer);
    return true;
}

static bool on_post(struct cbor_in m)
{
    const char *name;
    size_t length;
    struct cbor_in args;
    if (!get_name(m, 1, &name, &length) || !get_opaque(m, 2, &args)) {
        return false;
    }
    role->post(name, length, args);
    return true;
}

static bool on_close(struct cbor_in m)
{
    uint32_t reason;
    struct cbor_in value;
    const char *text;
    size_t length;
    if (!get_limited(m, 1, 1, CLOSE_REASONS, &reason) || !cbor_find(m, 2, &value) || !cbor_get_text(value, &text, &length) ||
        length > TEXT_MAX) {
        return false;
    }
    forget();
    return true;
}

static bool on_message(struct cbor_in m)
{
    struct cbor_in value;
    uint64_t kind;
    uint32_t number;
    if (!cbor_check(m) || !cbor_find(m, 0, &value) || !cbor_get_uint(value, &kind)) {
        return false;
    }
    if (kind == CLOSE) {
        return on_close(m);
    }
    if ((kind == WELCOME) == (window > 0)) {
        return false; /* the welcome comes first, and once */
    }
    switch (kind) {
    case WELCOME:
        return on_welcome(m);
    case ACK:
        return on_ack(m);
    case COMMAND:
        return on_command(m);
    case POST:
        return on_post(m);
    case PING:
        if (!get_limited(m, 1, 0, UINT32_MAX, &number)) {
            return false;
        }
        send_number(PONG, number);
        return true;
    case STATE_READ:
        return get_limited(m, 1, 1, UINT32_MAX, &state_read);
    default:
        return false;
    }
}

static void transport(uint8_t *body, size_t length)
{
    if (!in_session) {
        static const uint8_t nothing[4];
        reject(REJECT_NO_SESSION, nothing);
        return;
    }
    long size = channel_open(&channel, body, length);
    if (size < 0) {
        end(CLOSE_BAD_FRAME, "a frame did not authenticate");
        return;
    }
    heard = board_milliseconds();
    if (!on_message((struct cbor_in){body, body + size})) {
        end(CLOSE_MALFORMED, "a message that the protocol does not allow");
    }
    pump();
}

/* ---- what the main loop calls */

void wire_start(const struct role *the_role, const char *the_serial, const uint8_t the_key[32])
{
    role = the_role;
    serial = the_serial;
    key = the_key;
    board_random(boot_id, sizeof boot_id);
    outbox_start();
}

void wire_received(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!frame_feed(&receiver, data[i])) {
            continue;
        }
        if (receiver.data[0] == HANDSHAKE_REQUEST) {
            requested(receiver.data + 1, receiver.length - 1);
        } else if (receiver.data[0] == TRANSPORT) {
            transport(receiver.data + 1, receiver.length - 1);
        }
    }
}

void wire_tick(void)
{
    uint32_t now = board_milliseconds();
    if (in_session && now - heard >= (window > 0 ? SILENCE_MS : WELCOME_MS)) {
        forget();
    }
    if (window > 0) {
        if (now - told >= STATUS_MS) {
            send_status();
        }
        pump();
    }
}

const uint8_t *wire_out(size_t *length)
{
    *length = out_length;
    return out;
}

void wire_gone(size_t length)
{
    out_length -= length;
    memmove(out, out + length, out_length);
}

struct cbor_out *wire_event(void)
{
    if (sequence == UINT32_MAX) {
        board_random(boot_id, sizeof boot_id);
        sequence = 0;
    }
    event_out = (struct cbor_out){event_data, sizeof event_data, 0, false};
    cbor_put_map(&event_out, 4);
    cbor_put_uint(&event_out, 0);
    cbor_put_uint(&event_out, EVENT);
    cbor_put_uint(&event_out, 1);
    cbor_put_bytes(&event_out, boot_id, BOOT_ID_SIZE);
    cbor_put_uint(&event_out, 2);
    cbor_put_uint(&event_out, (uint64_t)sequence + 1);
    cbor_put_uint(&event_out, 3);
    return &event_out;
}

bool wire_emit(void)
{
    if (event_out.overflow || !outbox_append(boot_id, sequence + 1, event_data, event_out.length)) {
        return false;
    }
    sequence++;
    pump();
    return true;
}
