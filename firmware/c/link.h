/* The link of an image in C: the emulated board, and the messages of waywarden-firmware-link as far as
 * an ECU with SecOC has them.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of the messages, which the image sends first. */
#define LINK_VERSION 2

/* The name of a message, which the simulation gives. On a vehicle there is none. */
typedef struct {
    uint32_t words[3];
} message_name;

enum frame_form { FORM_CLASSIC = 0, FORM_REMOTE = 1, FORM_FD = 2, FORM_FD_SWITCHED = 3 };

#define FRAME_EXTENDED 0x80000000U

typedef struct {
    /* With FRAME_EXTENDED one of 29 bits. */
    uint32_t identifier;
    uint8_t form;
    uint8_t length;
    uint8_t data[64];
    message_name message;
} link_frame;

/* The state of the world since the last answer. */
typedef struct {
    uint64_t now;
    bool is_sent;
    uint8_t bus_state;
    bool has_frame;
} link_status;

/* Bytes that are read from their beginning. Reading beyond the end gives zeros, and marks it. */
typedef struct {
    const uint8_t *at;
    size_t left;
    bool is_short;
} reader;

uint64_t take(reader *from, size_t bytes);
void take_bytes(reader *from, void *into, size_t bytes);

/* Opens the pipe, starts the counter of instructions and the watchdog, and boots: gives the seed, the
 * retained slots (entries of a number and 32 bytes) and the record. They last until the next request. */
void link_boot(uint8_t seed[32], reader *retained, reader *record);

extern link_status status;

/* The clock: the last answer's, and the instructions since. */
uint64_t link_now(void);

/* Nothing to do until something happens on the bus, or until an instant; UINT64_MAX is none. */
void link_wait(uint64_t until);
/* Takes the oldest received frame; false if there is none. */
bool link_receive(link_frame *frame);
/* Puts a frame into the mailbox, which is empty. */
void link_send(const link_frame *frame);
/* Writes 32 bytes that survive a reset, and returns when they do. */
void link_store(uint8_t slot, const uint8_t value[32]);

/* Reports for the simulation alone. */
message_name link_released(uint8_t stream);
void link_sampled(message_name message);
void link_skipped(message_name message);
/* `outcome` is the number of waywarden-firmware-link: 0 authentic, 1 a wrong code, 2 a replay. */
void link_checked(uint8_t outcome, uint32_t stream, const uint8_t *payload, uint8_t length,
                  message_name message);
void link_not_checked(void);

/* Ends the image with a reason. */
_Noreturn void link_failed(const char *reason);

#endif
