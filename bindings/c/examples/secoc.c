/* One SecOC stream from a sensor to a dashboard: a message, a replay, a forgery, a reset.
 *
 *   cc -std=c99 secoc.c $(pkg-config --cflags --libs waywarden) -o secoc && ./secoc
 */
#include <stdio.h>
#include <string.h>

#include <waywarden.h>

/* Where the counters survive a reset. In a car: flash. */
struct store {
    uint64_t value;
    unsigned writes;
};

static int32_t retain(void *context, uint64_t value)
{
    struct store *store = context;
    store->value = value;
    store->writes++;
    return WAYWARDEN_STORED;
}

static int check(waywarden_status status, const char *what)
{
    if (status != WAYWARDEN_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", what, waywarden_status_text(status));
        return 1;
    }
    return 0;
}

static void print(const waywarden_can_frame *frame)
{
    printf("%03X#", (unsigned)frame->identifier);
    for (unsigned at = 0; at < frame->length; at++) {
        printf("%02X", (unsigned)frame->data[at]);
    }
    printf("\n");
}

int main(void)
{
    static const uint8_t KEY[16] = {0x2B, 0x2B, 0x2B, 0x2B, 0x2B, 0x2B, 0x2B, 0x2B,
                                    0x2B, 0x2B, 0x2B, 0x2B, 0x2B, 0x2B, 0x2B, 0x2B};
    waywarden_key key = {0};
    key.bytes = KEY;
    key.algorithm = WAYWARDEN_AES_CMAC;

    struct store sent = {0, 0};
    struct store taken = {0, 0};
    waywarden_retention of_sender = {retain, &sent};
    waywarden_retention of_receiver = {retain, &taken};

    /* Four bytes of payload; 8 bits of freshness and 24 of the code go with them. */
    waywarden_secoc_stream_options options;
    waywarden_secoc_sender sender;
    waywarden_secoc_receiver receiver;
    if (check(waywarden_secoc_stream_options_init(&options, 0x120, WAYWARDEN_SECOC_AUTOSAR_1, 4),
              "options") ||
        check(waywarden_secoc_sender_init(&sender, &options, &key, &of_sender, sent.value),
              "sender") ||
        check(waywarden_secoc_receiver_init(&receiver, &options, &key, &of_receiver, taken.value),
              "receiver")) {
        return 1;
    }

    waywarden_can_frame frame;
    waywarden_outcome outcome;
    if (check(waywarden_secoc_sender_protect(&sender, (const uint8_t *)"40 %", 4, NULL, &frame),
              "protect")) {
        return 1;
    }
    print(&frame);
    if (check(waywarden_secoc_receiver_accept(&receiver, &frame, NULL, &outcome), "accept")) {
        return 1;
    }
    if (outcome.kind != WAYWARDEN_OUTCOME_KIND_AUTHENTIC || outcome.length != 4 ||
        memcmp(outcome.payload, "40 %", 4) != 0) {
        fprintf(stderr, "not authentic\n");
        return 1;
    }
    printf("authentic: %.4s\n", (const char *)outcome.payload);

    /* The same frame again. */
    if (check(waywarden_secoc_receiver_accept(&receiver, &frame, NULL, &outcome), "replay")) {
        return 1;
    }
    printf("again: %s\n", outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC ? "taken" : "refused");

    /* Another payload under the same code. */
    if (check(waywarden_secoc_sender_protect(&sender, (const uint8_t *)"41 %", 4, NULL, &frame),
              "protect")) {
        return 1;
    }
    frame.data[0] = '9';
    if (check(waywarden_secoc_receiver_accept(&receiver, &frame, NULL, &outcome), "forgery")) {
        return 1;
    }
    printf("forged: %s\n",
           outcome.kind == WAYWARDEN_OUTCOME_KIND_WRONG_CODE ? "wrong code" : "taken");

    /* The sender is reset: it goes on above what was retained, and reuses no freshness. */
    if (check(waywarden_secoc_sender_clear(&sender), "clear") ||
        check(waywarden_secoc_sender_init(&sender, &options, &key, &of_sender, sent.value),
              "restart") ||
        check(waywarden_secoc_sender_protect(&sender, (const uint8_t *)"42 %", 4, NULL, &frame),
              "protect")) {
        return 1;
    }
    print(&frame);
    if (check(waywarden_secoc_receiver_accept(&receiver, &frame, NULL, &outcome), "accept")) {
        return 1;
    }
    /* Counters are retained 32 ahead; a receiver that was asked for more than it had retained says
     * once that it is out of step. */
    if (outcome.kind == WAYWARDEN_OUTCOME_KIND_OUT_OF_STEP) {
        if (check(waywarden_secoc_sender_protect(&sender, (const uint8_t *)"42 %", 4, NULL, &frame),
                  "protect") ||
            check(waywarden_secoc_receiver_accept(&receiver, &frame, NULL, &outcome), "accept")) {
            return 1;
        }
    }
    printf("after a reset: %s, %u writes\n",
           outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC ? "authentic" : "refused",
           sent.writes + taken.writes);
    waywarden_secoc_sender_clear(&sender);
    waywarden_secoc_receiver_clear(&receiver);
    return outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC ? 0 : 1;
}
