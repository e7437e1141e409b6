/* Goes through the protocol's vectors. Standard input has one a line, words of hexadecimal (`-`: no bytes):

   cobs DECODED ENCODED | frame TYPE-AND-BODY WIRE | no_frame WIRE | message BYTES
   allowed VERSION BYTES | malformed VERSION BYTES | reject VERSION ROLE SERIAL ECHO WIRE (code 1; versions 1 to this one)
   hello VERSION ROLE SERIAL FIRMWARE BOOT-ID BYTES ACKNOWLEDGED (versions 1 to this one, persistent, 4 commands; event 41
   of the boot ACKNOWLEDGED was, from version 2 on)
   session KEY PROLOGUE PRIVATE REQUEST-WIRE HELLO ANSWER-WIRE HASH TO-DEVICE TO-HOST
   host MESSAGE WIRE | device MESSAGE WIRE */
#include "cbor.h"
#include "frames.h"
#include "messages.h"
#include "noise.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 10, BYTES = 8192 };

static uint8_t word[WORDS][BYTES + 1];
static size_t size[WORDS];
static struct channel channel;
static struct frame_receiver receiver;
static unsigned held;

static void same(const char *what, const void *found, size_t length, size_t expected)
{
    if (length != size[expected] || memcmp(found, word[expected], length) != 0) {
        fprintf(stderr, "differs: %s, after %u that hold\n", what, held);
        exit(1);
    }
    held++;
}

static void hold(const char *what, bool truth)
{
    if (!truth) {
        fprintf(stderr, "does not hold: %s, after %u that do\n", what, held);
        exit(1);
    }
    held++;
}

/* Feeds a wire's bytes; whether the last of them ended a frame. */
static bool feed(const uint8_t *data, size_t length)
{
    bool ended = false;
    for (size_t i = 0; i < length; i++) {
        ended = frame_feed(&receiver, data[i]);
    }
    return ended;
}

static void check_cobs(void)
{
    static uint8_t out[BYTES];
    same("cobs encoded", out, cobs_encode(word[0], size[0], out), 1);
    memcpy(out, word[1], size[1]);
    long length = cobs_decode(out, size[1]);
    hold("cobs decodes", length >= 0);
    same("cobs decoded", out, (size_t)length, 0);
}

static void check_frame(void)
{
    static uint8_t frame[BYTES], out[BYTES];
    memcpy(frame, word[0], size[0]);
    same("frame", out, frame_encode(frame, size[0], out), 1);
    uint32_t dropped = receiver.dropped;
    hold("noise is no frame", !feed((const uint8_t *)"noise", 5) && feed(word[1], size[1]));
    hold("noise is counted", receiver.dropped == dropped + 1);
    same("frame read", receiver.data, receiver.length, 0);
    word[1][size[1] / 2] ^= 0x55;
    hold("a changed frame is none", !feed(word[1], size[1]));
}

static void check_message(void)
{
    struct cbor_in m = {word[0], word[0] + size[0]}, kind;
    uint64_t number;
    hold("message", cbor_check(m) && cbor_find(m, 0, &kind) && cbor_get_uint(kind, &number) && number >= 1 && number <= 13);
    for (size_t cut = 0; cut < size[0]; cut++) {
        hold("a message cut short is none", !cbor_check((struct cbor_in){word[0], word[0] + cut}));
    }
}

static void check_no_frame(void)
{
    uint32_t dropped = receiver.dropped;
    hold("no frame", !feed(word[0], size[0]) && receiver.dropped == dropped + 1);
}

static void check_allowed(void)
{
    struct host_message message;
    hold("allowed", message_read(word[0][0], (struct cbor_in){word[1], word[1] + size[1]}, &message));
}

static void check_malformed(void)
{
    struct host_message message;
    /* Just as long as it is: a look at what stands behind would be found. */
    uint8_t *exact = malloc(size[1] > 0 ? size[1] : 1);
    if (exact == NULL) {
        exit(1);
    }
    memcpy(exact, word[1], size[1]);
    hold("malformed", !message_read(word[0][0], (struct cbor_in){exact, exact + size[1]}, &message));
    free(exact);
}

static const char *text_of(int at)
{
    word[at][size[at]] = 0;
    return (const char *)word[at];
}

static void check_hello(void)
{
    uint8_t made[HELLO_MAX];
    uint8_t version = word[0][0];
    struct identity me = {text_of(1), text_of(2), text_of(3), 1, version, true, 4};
    struct hello_more more = {word[6], 41, FRAME_MAX};
    same("hello", made, hello_write(&me, word[4], version > 1 ? &more : NULL, made), 5);
}

static void check_reject(void)
{
    static uint8_t frame[BYTES], out[BYTES];
    struct identity me = {text_of(1), text_of(2), "", 1, word[0][0], true, 4};
    frame[0] = REJECT;
    memcpy(frame + 1, word[3], 4);
    size_t length = reject_write(&me, REJECT_NOT_AUTHENTIC, frame + 5);
    same("reject", out, frame_encode(frame, 5 + length, out), 4);
}

static void check_session(void)
{
    static struct handshake handshake;
    static uint8_t frame[BYTES], out[BYTES];
    char role[17] = "";
    hold("prologue", size[1] > 12 && size[1] < 12 + sizeof role);
    memcpy(role, word[1] + 12, size[1] - 12);
    hold("request", feed(word[3], size[3]) && receiver.length == 2 + REQUEST_SIZE && receiver.data[0] == HANDSHAKE_REQUEST);
    handshake_begin(&handshake, word[0], "other", 1);
    hold("another role", !handshake_read(&handshake, receiver.data + 2));
    handshake_begin(&handshake, word[2], role, 1);
    hold("another key", !handshake_read(&handshake, receiver.data + 2));
    handshake_begin(&handshake, word[0], role, word[1][11]);
    hold("authentic", handshake_read(&handshake, receiver.data + 2));
    frame[0] = HANDSHAKE_ANSWER;
    memcpy(frame + 1, receiver.data + 2, 4);
    hold("answer", handshake_write(&handshake, word[2], word[4], size[4], frame + 5));
    same("answer's frame", out, frame_encode(frame, 5 + 32 + size[4] + TAG_SIZE, out), 5);
    handshake_split(&handshake, &channel);
    same("hash", handshake.hash, 32, 6);
    same("key to the device", channel.receiving, 32, 7);
    same("key to the host", channel.sending, 32, 8);
}

static void check_host(void)
{
    static uint8_t spoilt[BYTES];
    hold("transport frame", feed(word[1], size[1]) && receiver.data[0] == TRANSPORT);
    size_t length = receiver.length - 1;
    memcpy(spoilt, receiver.data + 1, length);
    spoilt[0] ^= 1;
    hold("a spoilt frame is not authentic", channel_open(&channel, spoilt, length) < 0);
    memcpy(spoilt, receiver.data + 1, length);
    long opened = channel_open(&channel, receiver.data + 1, length);
    hold("authentic", opened >= 0);
    same("opened", receiver.data + 1, (size_t)opened, 0);
    hold("a repeated frame is not authentic", channel_open(&channel, spoilt, length) < 0);
}

static void check_device(void)
{
    static uint8_t frame[BYTES], out[BYTES];
    frame[0] = TRANSPORT;
    memcpy(frame + 1, word[0], size[0]);
    size_t length = 1 + channel_seal(&channel, frame + 1, size[0]);
    same("sealed", out, frame_encode(frame, length, out), 1);
}

static void check(const char *what)
{
    if (strcmp(what, "cobs") == 0) {
        check_cobs();
    } else if (strcmp(what, "frame") == 0) {
        check_frame();
    } else if (strcmp(what, "message") == 0) {
        check_message();
    } else if (strcmp(what, "no_frame") == 0) {
        check_no_frame();
    } else if (strcmp(what, "allowed") == 0) {
        check_allowed();
    } else if (strcmp(what, "malformed") == 0) {
        check_malformed();
    } else if (strcmp(what, "hello") == 0) {
        check_hello();
    } else if (strcmp(what, "reject") == 0) {
        check_reject();
    } else if (strcmp(what, "session") == 0) {
        check_session();
    } else if (strcmp(what, "host") == 0) {
        check_host();
    } else if (strcmp(what, "device") == 0) {
        check_device();
    } else {
        hold("a line that is known", false);
    }
}

int main(void)
{
    static char line[2 * WORDS * BYTES];
    if (sodium_init() < 0) {
        return 1;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *what = strtok(line, " \n");
        memset(size, 0, sizeof size);
        for (int i = 0; i < WORDS; i++) {
            char *text = strtok(NULL, " \n");
            if (text == NULL) {
                break;
            }
            if (strcmp(text, "-") != 0 && sodium_hex2bin(word[i], BYTES, text, strlen(text), NULL, &size[i], NULL) != 0) {
                hold("hexadecimal", false);
            }
        }
        check(what);
    }
    printf("%u held\n", held);
    return 0;
}
