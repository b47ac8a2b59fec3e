/* See link.h. One request at a time: the image stands still until its answer. */
#include "link.h"

#include <string.h>

#include "board.h"

#define MESSAGE_MAX 4096U

enum request {
    REQUEST_BOOT = 0,
    REQUEST_WAIT = 1,
    REQUEST_RECEIVE = 2,
    REQUEST_SEND = 3,
    REQUEST_STORE = 4,
    REQUEST_RELEASED = 5,
    REQUEST_SAMPLED = 6,
    REQUEST_KEPT_BACK = 7,
    REQUEST_CHECKED = 8,
    REQUEST_NOT_CHECKED = 9,
    REQUEST_STACK = 10,
    REQUEST_FAILED = 11
};

enum answer { ANSWER_BOOT = 0, ANSWER_STATUS = 1, ANSWER_RECEIVED = 2, ANSWER_NAMED = 3, ANSWER_FINISH = 4 };

link_status status;

/* A message behind its length, and the count of instructions before what it asks for. */
static uint8_t buffer[2 + MESSAGE_MAX];
static size_t written;
/* Picoseconds of an instruction, and the count at the last answer. */
static uint32_t picoseconds;
static uint64_t since;

uint64_t take(reader *from, size_t bytes)
{
    uint64_t value = 0;
    if (from->left < bytes) {
        from->is_short = true;
        from->left = 0;
        return 0;
    }
    for (size_t at = 0; at < bytes; at++) {
        value |= (uint64_t)from->at[at] << (8 * at);
    }
    from->at += bytes;
    from->left -= bytes;
    return value;
}

void take_bytes(reader *from, void *into, size_t bytes)
{
    memset(into, 0, bytes);
    if (from->left < bytes) {
        from->is_short = true;
        from->left = 0;
        return;
    }
    memcpy(into, from->at, bytes);
    from->at += bytes;
    from->left -= bytes;
}

/* No message is longer than the buffer: a frame with its fields is the longest. */
static void put(uint64_t value, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++) {
        buffer[written++] = (uint8_t)(value >> (8 * at));
    }
}

static void put_bytes(const void *from, size_t bytes)
{
    memcpy(&buffer[written], from, bytes);
    written += bytes;
}

static void put_name(message_name message)
{
    for (size_t at = 0; at < 3; at++) {
        put(message.words[at], 4);
    }
}

static void begin(enum request kind)
{
    written = 2;
    put(board_instructions(), 8);
    put(kind, 1);
}

static void flush(void)
{
    buffer[0] = (uint8_t)(written - 2);
    buffer[1] = (uint8_t)((written - 2) >> 8);
    board_write(buffer, written);
}

static void take_status(reader *from)
{
    status.now = take(from, 8);
    status.is_sent = take(from, 1) != 0;
    status.bus_state = (uint8_t)take(from, 1);
    status.has_frame = take(from, 1) != 0;
}

/* Sends what was written and reads the answer's kind. At the end of the run it says how much stack was
 * used, and ends. */
static enum answer exchange(reader *answer)
{
    size_t taken = 0, wanted = 2;
    flush();
    while (taken < wanted) {
        taken += board_read(&buffer[taken], sizeof buffer - taken);
        if (taken >= 2) {
            wanted = 2U + buffer[0] + ((size_t)buffer[1] << 8);
            if (wanted > sizeof buffer) {
                link_failed("an answer that is longer than the buffer");
            }
        }
    }
    answer->at = &buffer[2];
    answer->left = wanted - 2;
    answer->is_short = false;
    const enum answer kind = (enum answer)take(answer, 1);
    if (kind == ANSWER_FINISH) {
        begin(REQUEST_STACK);
        put(board_stack(), 4);
        flush();
        board_exit(0);
    }
    return kind;
}

/* Ends a request whose answer is the state of the world. */
static void exchange_status(void)
{
    reader answer;
    if (exchange(&answer) != ANSWER_STATUS) {
        link_failed("the answer does not belong to its request");
    }
    take_status(&answer);
    since = board_resume();
}

void link_boot(uint8_t seed[32], reader *retained, reader *record)
{
    reader answer;
    board_open();
    board_pause();
    begin(REQUEST_BOOT);
    put(LINK_VERSION, 2);
    if (exchange(&answer) != ANSWER_BOOT) {
        link_failed("the answer to the first request is not that of a boot");
    }
    take_status(&answer);
    picoseconds = (uint32_t)take(&answer, 4);
    take_bytes(&answer, seed, 32);
    for (int at = 0; at < 2; at++) {
        reader *part = at == 0 ? retained : record;
        part->left = (size_t)take(&answer, 2);
        part->at = answer.at;
        part->is_short = part->left > answer.left;
        if (part->is_short) {
            link_failed("the answer of the boot: it ends within a field");
        }
        answer.at += part->left;
        answer.left -= part->left;
    }
    since = board_resume();
}

uint64_t link_now(void)
{
    return status.now + (board_instructions() - since) * picoseconds / 1000U;
}

void link_wait(uint64_t until)
{
    board_pause();
    begin(REQUEST_WAIT);
    put(until != UINT64_MAX, 1);
    if (until != UINT64_MAX) {
        put(until, 8);
    }
    exchange_status();
}

bool link_receive(link_frame *frame)
{
    reader answer;
    board_pause();
    begin(REQUEST_RECEIVE);
    if (exchange(&answer) != ANSWER_RECEIVED) {
        link_failed("the answer does not belong to its request");
    }
    take_status(&answer);
    memset(frame, 0, sizeof *frame);
    const bool is_there = take(&answer, 1) != 0;
    if (is_there) {
        frame->identifier = (uint32_t)take(&answer, 4);
        frame->form = (uint8_t)take(&answer, 1);
        for (size_t at = 0; at < 3; at++) {
            frame->message.words[at] = (uint32_t)take(&answer, 4);
        }
        (void)take(&answer, 1); /* the DLC, which follows from form and length */
        frame->length = (uint8_t)take(&answer, 1);
        if (frame->length > sizeof frame->data) {
            link_failed("the frame of an answer is longer than 64 bytes");
        }
        take_bytes(&answer, frame->data, frame->length);
    }
    since = board_resume();
    return is_there;
}

void link_send(const link_frame *frame)
{
    board_pause();
    begin(REQUEST_SEND);
    put(frame->identifier, 4);
    put(frame->form, 1);
    put_name(frame->message);
    /* The DLC of a classic frame; that of CAN FD follows from the length. */
    put(frame->length, 1);
    put(frame->length, 1);
    put_bytes(frame->data, frame->length);
    exchange_status();
}

void link_store(uint8_t slot, const uint8_t value[32])
{
    board_pause();
    begin(REQUEST_STORE);
    put(slot, 1);
    put_bytes(value, 32);
    exchange_status();
}

message_name link_released(uint8_t stream)
{
    reader answer;
    message_name message;
    board_pause();
    begin(REQUEST_RELEASED);
    put(stream, 1);
    if (exchange(&answer) != ANSWER_NAMED) {
        link_failed("the answer to a released instance is no name");
    }
    for (size_t at = 0; at < 3; at++) {
        message.words[at] = (uint32_t)take(&answer, 4);
    }
    (void)board_resume();
    return message;
}

void link_sampled(message_name message)
{
    board_pause();
    begin(REQUEST_SAMPLED);
    put_name(message);
    exchange_status();
}

void link_skipped(message_name message)
{
    board_pause();
    begin(REQUEST_KEPT_BACK);
    put_name(message);
    put(0, 1);
    exchange_status();
}

void link_checked(uint8_t outcome, uint32_t stream, const uint8_t *payload, uint8_t length,
                  message_name message)
{
    board_pause();
    begin(REQUEST_CHECKED);
    put(0, 1); /* the port */
    put(outcome, 1);
    put(stream, 4);
    if (outcome == 0) {
        put_name(message);
        put(length, 1);
        put_bytes(payload, length);
    }
    put_name(message);
    put(0, 1); /* not stopped */
    exchange_status();
}

void link_not_checked(void)
{
    board_pause();
    begin(REQUEST_NOT_CHECKED);
    put(0, 1);
    exchange_status();
}

_Noreturn void link_failed(const char *reason)
{
    size_t length = strlen(reason);
    if (length > 120) {
        length = 120;
    }
    board_pause();
    begin(REQUEST_FAILED);
    put(length, 1);
    put_bytes(reason, length);
    flush();
    board_exit(1);
}
