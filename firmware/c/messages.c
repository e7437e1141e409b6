#include "messages.h"

#include <stddef.h>

enum { WINDOW_MAX = 256, NAME_MAX = 32, TEXT_MAX = 128, TAKES_MIN = 2048, TAKES_MAX = 8192 };

/* ---- what came: each gives false for what is malformed */

enum { VALUES = 4 };

/* The values of keys 0 to 3; what has no `at` is not there. */
struct values {
    struct cbor_in of[VALUES];
};

static bool get_number(const struct values *v, int at, uint64_t low, uint64_t high, uint32_t *number)
{
    uint64_t found;
    if (v->of[at].at == NULL || !cbor_get_uint(v->of[at], &found) || found < low || found > high) {
        return false;
    }
    *number = (uint32_t)found;
    return true;
}

static bool get_name(const struct values *v, int at, struct host_message *message)
{
    if (v->of[at].at == NULL || !cbor_get_text(v->of[at], &message->name, &message->name_length) ||
        message->name_length < 1 || message->name_length > NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < message->name_length; i++) {
        if (message->name[i] < ' ' || message->name[i] > '~') {
            return false;
        }
    }
    return true;
}

static bool get_opaque(const struct values *v, int at, struct cbor_in *value)
{
    *value = v->of[at];
    return value->at != NULL && cbor_is_opaque(*value);
}

static bool get_boot_id(struct cbor_in value, struct host_message *message)
{
    size_t length;
    return value.at != NULL && cbor_get_bytes(value, &message->boot_id, &length) && length == BOOT_ID_SIZE;
}

static bool get_sequence(struct cbor_in value, struct host_message *message)
{
    uint64_t found;
    if (value.at == NULL || !cbor_get_uint(value, &found) || found < 1 || found > UINT32_MAX) {
        return false;
    }
    message->sequence = (uint32_t)found;
    return true;
}

static bool get_welcome(uint8_t version, const struct values *v, struct host_message *message)
{
    struct cbor_in boot_id, sequence;
    uint32_t takes;
    if (!get_number(v, 1, 1, WINDOW_MAX, &message->number) || v->of[2].at == NULL ||
        (version > 1 && !get_number(v, 3, TAKES_MIN, TAKES_MAX, &takes))) {
        return false;
    }
    return cbor_get_null(v->of[2]) || (cbor_get_pair(v->of[2], &boot_id, &sequence) && get_boot_id(boot_id, message) &&
                                       get_sequence(sequence, message));
}

static bool get_ack(uint8_t version, const struct values *v, struct host_message *message)
{
    if (version == 1) {
        return get_boot_id(v->of[1], message) && get_sequence(v->of[2], message);
    }
    return get_sequence(v->of[1], message) && (v->of[2].at == NULL || get_boot_id(v->of[2], message));
}

static bool get_text(const struct values *v, int at)
{
    const char *text;
    size_t length;
    return v->of[at].at != NULL && cbor_get_text(v->of[at], &text, &length) && length <= TEXT_MAX;
}

static bool judge(uint8_t version, const struct values *v, struct host_message *message)
{
    switch (message->kind) {
    case WELCOME:
        return get_welcome(version, v, message);
    case ACK:
        return get_ack(version, v, message);
    case COMMAND:
        return get_number(v, 1, 1, UINT32_MAX, &message->number) && get_name(v, 2, message) &&
               get_opaque(v, 3, &message->map);
    case POST:
        return get_name(v, 1, message) && get_opaque(v, 2, &message->map);
    case PING:
        return get_number(v, 1, 0, UINT32_MAX, &message->number);
    case STATE_READ:
        return get_number(v, 1, 1, UINT32_MAX, &message->number);
    case CLOSE:
        return get_number(v, 1, 1, UINT32_MAX, &message->number) && get_text(v, 2);
    default:
        return false; /* what a device sends, a host does not */
    }
}

/* Kind and values of a map. */
static bool split_map(struct cbor_in m, struct values *v, uint32_t *kind)
{
    if (!cbor_check(m)) {
        return false;
    }
    for (uint64_t key = 0; key < VALUES; key++) {
        struct cbor_in value;
        if (cbor_find(m, key, &value)) {
            v->of[key] = value;
        }
    }
    return get_number(v, 0, HELLO, CLOSE, kind);
}

/* Kind and values one behind the other. Those behind the known ones must be allowed, and mean nothing. */
static bool split_row(struct cbor_in m, struct values *v, uint32_t *kind)
{
    if (m.at == m.end) {
        return false;
    }
    *kind = *m.at++;
    for (size_t at = 1; m.at != m.end; at++) {
        struct cbor_in value;
        if (!cbor_take(&m, &value)) {
            return false;
        }
        if (at < VALUES) {
            v->of[at] = value;
        }
    }
    return true;
}

bool message_read(uint8_t version, struct cbor_in bytes, struct host_message *message)
{
    struct values v = {0};
    uint32_t kind;
    *message = (struct host_message){0};
    if (!(version == 1 ? split_map(bytes, &v, &kind) : split_row(bytes, &v, &kind)) || kind > CLOSE) {
        return false;
    }
    message->kind = (enum message_kind)kind;
    return judge(version, &v, message);
}

/* ---- who this is */

static void put_uint(struct cbor_out *m, uint64_t key, uint64_t value)
{
    cbor_put_uint(m, key);
    cbor_put_uint(m, value);
}

static void put_text(struct cbor_out *m, uint64_t key, const char *value)
{
    cbor_put_uint(m, key);
    cbor_put_text(m, value);
}

static void put_more(struct cbor_out *m, const struct hello_more *more)
{
    cbor_put_uint(m, 9);
    if (more->boot_id == NULL) {
        cbor_put_null(m);
    } else {
        cbor_put_array(m, 2);
        cbor_put_bytes(m, more->boot_id, BOOT_ID_SIZE);
        cbor_put_uint(m, more->sequence);
    }
    put_uint(m, 10, more->takes);
}

size_t hello_write(const struct identity *me, const uint8_t boot_id[BOOT_ID_SIZE], const struct hello_more *more,
                   uint8_t data[HELLO_MAX])
{
    struct cbor_out m = {data, HELLO_MAX, 0, false};
    cbor_put_map(&m, more == NULL ? 9 : 11);
    put_uint(&m, 0, HELLO);
    put_text(&m, 1, me->role);
    put_text(&m, 2, me->serial);
    put_text(&m, 3, me->firmware);
    put_uint(&m, 4, me->version_min);
    put_uint(&m, 5, me->version_max);
    cbor_put_uint(&m, 6);
    cbor_put_bytes(&m, boot_id, BOOT_ID_SIZE);
    cbor_put_uint(&m, 7);
    cbor_put_bool(&m, me->persistent);
    put_uint(&m, 8, me->commands);
    if (more != NULL) {
        put_more(&m, more);
    }
    return m.length;
}

size_t reject_write(const struct identity *me, enum reject_code code, uint8_t data[REJECT_MAX])
{
    struct cbor_out m = {data, REJECT_MAX, 0, false};
    cbor_put_map(&m, 5);
    put_uint(&m, 1, code);
    put_text(&m, 2, me->role);
    put_text(&m, 3, me->serial);
    put_uint(&m, 4, me->version_min);
    put_uint(&m, 5, me->version_max);
    return m.length;
}
