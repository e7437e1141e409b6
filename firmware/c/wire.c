#include "wire.h"

#include "board.h"
#include "frames.h"
#include "messages.h"
#include "noise.h"
#include "outbox.h"

#include <sodium.h>
#include <string.h>

enum { VERSION_MIN = 1, VERSION_MAX = 2, COMMANDS_AT_ONCE = 1 };
#ifndef SEQUENCE_MAX
#define SEQUENCE_MAX UINT32_MAX
#endif
/* Bytes of a kept event's message before its map, where its sequence takes one byte: kind, name, keys of version 1. */
enum { NAMED = 16 };
enum { WELCOME_MS = 1000, STATUS_MS = 1000, SILENCE_MS = 3000 };

/* Type, echo and key of an answer, message, tag and checksum; encoded, with its zeros. */
enum { FRAME_ROOM = 1 + 4 + 32 + MESSAGE_MAX + TAG_SIZE + 4, WIRE_ROOM = FRAME_ROOM + FRAME_ROOM / 254 + 3 };
enum { OUT_ROOM = 3 * WIRE_ROOM, OUT_HIGH = WIRE_ROOM }; /* from OUT_HIGH on events and state wait */

static const struct role *role;
static struct identity me;
static const uint8_t *key;

static struct frame_receiver receiver;
static struct channel channel;
static bool in_session;
static uint8_t spoken; /* the session's version */
static uint8_t hello_boot[BOOT_ID_SIZE]; /* the boot id in the session's hello */
static uint8_t place_boot[BOOT_ID_SIZE]; /* version 2: the name that the next event has by its place */
static uint64_t place_sequence;
static bool known; /* version 2: whether this device knows the host's resume point */
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
    size_t longest = length + 4 + (length + 4) / 254 + 3;
    if (OUT_ROOM - out_length < longest) {
        forget();
        return;
    }
    out_length += frame_encode(frame, length, out + out_length);
}

static struct cbor_out message_begin(unsigned kind, size_t more)
{
    struct cbor_out m = {frame + 1, MESSAGE_MAX, 0, false};
    if (spoken == 1) {
        cbor_put_map(&m, 1 + more);
        cbor_put_uint(&m, 0);
    }
    cbor_put_uint(&m, kind); /* in version 2 the byte that the message begins with */
    return m;
}

/* Version 2 has no keys before its values. */
static void put_key(struct cbor_out *m, unsigned at)
{
    if (spoken == 1) {
        cbor_put_uint(m, at);
    }
}

/* Sends the message that was written from `message_begin` on. */
static void message_send(const struct cbor_out *m)
{
    if (m->overflow || !in_session) {
        return; /* the roles keep within MESSAGE_MAX: the host would wait for a state in vain */
    }
    frame[0] = TRANSPORT;
    put_frame(1 + channel_seal(&channel, frame + 1, m->length));
}

static void send_number(unsigned kind, uint64_t number)
{
    struct cbor_out m = message_begin(kind, 1);
    put_key(&m, 1);
    cbor_put_uint(&m, number);
    message_send(&m);
}

static void send_status(void)
{
    struct cbor_out m = message_begin(STATUS, 1);
    const char *note = outbox_note() == NULL && role->note != NULL ? role->note() : outbox_note();
    put_key(&m, 1);
    cbor_put_map(&m, (size_t)2 + (note != NULL) + (role->status != NULL));
    cbor_put_text(&m, "up_ms");
    cbor_put_uint(&m, board_milliseconds());
    cbor_put_text(&m, "waiting");
    cbor_put_uint(&m, outbox_count());
    if (note != NULL) {
        cbor_put_text(&m, "note");
        cbor_put_text(&m, note);
    }
    if (role->status != NULL) {
        role->status(&m);
    }
    told = board_milliseconds();
    message_send(&m);
}

/* Ends the session; the host is told why, unless it has not welcomed this device yet. */
static void end(unsigned reason, const char *text)
{
    if (window > 0) {
        struct cbor_out m = message_begin(CLOSE, 2);
        put_key(&m, 1);
        cbor_put_uint(&m, reason);
        put_key(&m, 2);
        cbor_put_text(&m, text);
        message_send(&m);
    }
    forget();
}

/* Version 2: the name of the event that comes next. */
static void send_next(const uint8_t boot[BOOT_ID_SIZE], uint32_t number)
{
    struct cbor_out m = message_begin(NEXT, 3);
    memcpy(place_boot, boot, BOOT_ID_SIZE);
    place_sequence = number;
    cbor_put_bytes(&m, boot, BOOT_ID_SIZE);
    cbor_put_uint(&m, number);
    cbor_put_bool(&m, known);
    message_send(&m);
}

static void send_event(const struct event *event)
{
    size_t before = 0; /* bytes of the kept message that do not travel */
    if (spoken > 1) {
        uint32_t number = event->sequence;
        if (place_sequence != number || memcmp(place_boot, event->boot_id, BOOT_ID_SIZE) != 0) {
            send_next(event->boot_id, number);
        }
        place_sequence++;
        frame[1] = EVENT;
        before = NAMED - 1 + (number < 24 ? 0u : number <= 0xFF ? 1u : number <= 0xFFFF ? 2u : 4u);
    }
    size_t length = event->length - before;
    frame[0] = TRANSPORT;
    memcpy(frame + 1 + (before > 0), event->message + before + (before > 0), length - (before > 0));
    put_frame(1 + channel_seal(&channel, frame + 1, length));
}

/* Sends what may go: events in order, then the state if it was asked for. */
static void pump(void)
{
    while (window > 0 && out_length < OUT_HIGH) {
        const struct event *event = outbox_next(window);
        if (event == NULL) {
            break;
        }
        send_event(event);
    }
    if (window > 0 && state_read != 0 && outbox_all_sent() && out_length < OUT_HIGH) {
        struct cbor_out m = message_begin(STATE, 2);
        put_key(&m, 1);
        cbor_put_uint(&m, state_read);
        put_key(&m, 2);
        role->state(&m);
        state_read = 0;
        message_send(&m);
    }
}

/* ---- the handshake */

static void reject(enum reject_code code, const uint8_t *echo)
{
    frame[0] = REJECT;
    memcpy(frame + 1, echo, 4);
    put_frame(5 + reject_write(&me, code, frame + 5));
}

static size_t write_hello(uint8_t version, uint8_t hello[HELLO_MAX])
{
    const struct outbox_acknowledged *last = outbox_acknowledged();
    struct hello_more more = {NULL, 0, FRAME_MAX};
    if (last != NULL) {
        more.boot_id = last->boot_id;
        more.sequence = last->sequence;
    }
    return hello_write(&me, boot_id, version > 1 ? &more : NULL, hello);
}

static void requested(const uint8_t *body, size_t length)
{
    static struct handshake handshake;
    uint8_t private_key[32], hello[HELLO_MAX];
    if (length != 1 + REQUEST_SIZE) {
        return;
    }
    const uint8_t *echo = body + 1;
    uint8_t version = body[0];
    if (version < VERSION_MIN || version > VERSION_MAX) {
        reject(REJECT_VERSION, echo);
        return;
    }
    handshake_begin(&handshake, key, role->name, version);
    if (!handshake_read(&handshake, body + 1)) {
        reject(REJECT_NOT_AUTHENTIC, echo);
        return;
    }
    size_t size = write_hello(version, hello);
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
    spoken = version;
    memcpy(hello_boot, boot_id, BOOT_ID_SIZE);
    in_session = true;
    heard = board_milliseconds();
    put_frame(5 + 32 + size + TAG_SIZE);
}

/* ---- within the session */

/* A boot that has used its sequences up takes another id. */
static void name_boot(void)
{
    if (sequence == SEQUENCE_MAX) {
        board_random(boot_id, sizeof boot_id);
        sequence = 0;
    }
}

/* Whether the host's resume point is the last event acknowledged, or one that is kept, or nothing is remembered. */
static bool knows(const struct host_message *m)
{
    const struct outbox_acknowledged *last = outbox_acknowledged();
    if (last == NULL) {
        return true;
    }
    return m->boot_id != NULL &&
           ((last->sequence == m->sequence && memcmp(last->boot_id, m->boot_id, BOOT_ID_SIZE) == 0) ||
            outbox_keeps(m->boot_id, m->sequence));
}

static void welcomed(const struct host_message *m)
{
    window = m->number;
    known = knows(m);
    outbox_begin();
    if (m->boot_id != NULL) {
        outbox_forget_through(m->boot_id, m->sequence);
    }
    send_status();
    if (spoken > 1) {
        const struct event *oldest = outbox_oldest();
        name_boot();
        send_next(oldest != NULL ? oldest->boot_id : boot_id, oldest != NULL ? oldest->sequence : sequence + 1);
    }
}

static void commanded(const struct host_message *m)
{
    static const char identify[] = "x_identify";
    bool is_known = m->name_length == strlen(identify) && memcmp(m->name, identify, strlen(identify)) == 0;
    struct cbor_out answer = message_begin(is_known || spoken == 1 ? RESULT : REFUSAL, is_known ? 2 : 3);
    put_key(&answer, 1);
    cbor_put_uint(&answer, m->number);
    if (is_known) {
        board_identify();
        put_key(&answer, 2);
        cbor_put_map(&answer, 0);
    } else {
        put_key(&answer, 3);
        cbor_put_text(&answer, "unknown");
        put_key(&answer, 4);
        cbor_put_text(&answer, "this device knows the command x_identify only");
    }
    message_send(&answer);
}

/* False: what must not come now. */
static bool on_message(const struct host_message *m)
{
    if (m->kind == CLOSE) {
        forget();
        return true;
    }
    if ((m->kind == WELCOME) == (window > 0)) {
        return false; /* the welcome comes first, and once */
    }
    switch (m->kind) {
    case WELCOME:
        welcomed(m);
        break;
    case ACK:
        outbox_forget_through(m->boot_id != NULL ? m->boot_id : hello_boot, m->sequence);
        break;
    case COMMAND:
        commanded(m);
        break;
    case POST:
        role->post(m->name, m->name_length, m->map);
        break;
    case PING:
        send_number(PONG, m->number);
        break;
    case STATE_READ:
        state_read = m->number;
        break;
    default:
        return false;
    }
    return true;
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
    struct host_message message;
    if (!message_read(spoken, (struct cbor_in){body, body + size}, &message) || !on_message(&message)) {
        end(CLOSE_MALFORMED, "a message that the protocol does not allow");
    }
    pump();
}

/* ---- what the main loop calls */

void wire_start(const struct role *the_role, const char *the_serial, const uint8_t the_key[32])
{
    role = the_role;
    me = (struct identity){role->name, the_serial, role->firmware, VERSION_MIN, VERSION_MAX, true, COMMANDS_AT_ONCE};
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
    name_boot();
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
