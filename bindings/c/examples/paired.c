/* vatiCAN, hardened: the message has its whole frame, its code follows in another; the receiver asks
 * where the stream stands before it takes anything.
 *
 *   cc -std=c99 paired.c $(pkg-config --cflags --libs waywarden) -o paired && ./paired
 */
#include <stdio.h>
#include <string.h>

#include <waywarden.h>

static int failed(waywarden_status status, const char *what)
{
    if (status != WAYWARDEN_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", what, waywarden_status_text(status));
    }
    return status != WAYWARDEN_STATUS_OK;
}

int main(void)
{
    static const uint8_t KEY[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    /* In a car: of a random generator, fresh at each start. */
    static const uint8_t SEED[16] = {42};
    waywarden_key key = {0};
    key.bytes = KEY;
    key.algorithm = WAYWARDEN_AES_CMAC;
    waywarden_retention nothing = {waywarden_retain_nothing, NULL};

    waywarden_paired_sender sender;
    waywarden_paired_receiver receiver;
    if (failed(waywarden_paired_sender_init(&sender, 0x100, WAYWARDEN_VATICAN, &key, &nothing, 0),
               "sender") ||
        failed(waywarden_paired_receiver_init(&receiver, 0x100, WAYWARDEN_VATICAN, 0x7F0, &key,
                                              SEED),
               "receiver")) {
        return 1;
    }

    /* A millisecond a step: frames that are due go to the other side. */
    unsigned authentic = 0;
    for (uint64_t step = 0; step < 200; step++) {
        uint64_t now = step * UINT64_C(1000000);
        waywarden_can_frame frame, code;
        waywarden_outcome outcome;
        bool is_due = false;
        if (failed(waywarden_paired_receiver_outgoing(&receiver, now, &frame, &is_due), "ask")) {
            return 1;
        }
        if (is_due && failed(waywarden_paired_sender_receive(&sender, &frame), "question")) {
            return 1;
        }
        for (;;) {
            if (failed(waywarden_paired_sender_outgoing(&sender, now, &frame, &is_due), "answer")) {
                return 1;
            }
            if (!is_due) {
                break;
            }
            if (failed(waywarden_paired_receiver_accept(&receiver, now, &frame, &outcome),
                       "answer")) {
                return 1;
            }
        }
        if (step % 10 == 5) {
            if (failed(waywarden_paired_sender_protect(&sender, (const uint8_t *)"12 km/h", 7,
                                                       &frame, &code),
                       "protect") ||
                failed(waywarden_paired_receiver_accept(&receiver, now, &frame, &outcome),
                       "message") ||
                failed(waywarden_paired_receiver_accept(&receiver, now, &code, &outcome), "code")) {
                return 1;
            }
            if (outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC && outcome.length == 7 &&
                memcmp(outcome.payload, "12 km/h", 7) == 0) {
                authentic++;
            }
        }
        for (;;) {
            if (failed(waywarden_paired_receiver_expire(&receiver, now, &outcome), "expire")) {
                return 1;
            }
            if (outcome.kind == WAYWARDEN_OUTCOME_KIND_NONE) {
                break;
            }
        }
    }
    waywarden_paired_sender_clear(&sender);
    waywarden_paired_receiver_clear(&receiver);
    printf("authentic: %u of 20\n", authentic);
    return authentic == 20 ? 0 : 1;
}
