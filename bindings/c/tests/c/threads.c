/* Eight threads, each with a sender and a receiver of its own; and two that fight for one sender, of
 * which each call is answered as if it were alone, or with busy: no freshness is used twice. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <waywarden.h>

enum { OWN = 8, MESSAGES = 2000 };

static const uint8_t KEY[16] = {7};
static waywarden_secoc_sender shared;
static uint8_t seen[2][2 * MESSAGES][4];
static unsigned made[2];

static waywarden_key key_of(void)
{
    waywarden_key key;
    memset(&key, 0, sizeof key);
    key.bytes = KEY;
    return key;
}

static int prepare(waywarden_secoc_sender *sender, waywarden_secoc_receiver *receiver, uint32_t id)
{
    waywarden_secoc_stream_options options;
    waywarden_key key = key_of();
    waywarden_retention nothing = {waywarden_retain_nothing, NULL};
    waywarden_secoc_stream_options_init(&options, id, WAYWARDEN_SECOC_AUTOSAR_1, 4);
    return waywarden_secoc_sender_init(sender, &options, &key, &nothing, 0) !=
               WAYWARDEN_STATUS_OK ||
           (receiver != NULL && waywarden_secoc_receiver_init(receiver, &options, &key, &nothing,
                                                              0) != WAYWARDEN_STATUS_OK);
}

static void *alone(void *of)
{
    waywarden_secoc_sender sender;
    waywarden_secoc_receiver receiver;
    unsigned *authentic = of;
    if (prepare(&sender, &receiver, 0x100 + *authentic)) {
        return NULL;
    }
    *authentic = 0;
    for (unsigned at = 0; at < MESSAGES; at++) {
        waywarden_can_frame frame;
        waywarden_outcome outcome;
        uint8_t payload[4] = {(uint8_t)at, (uint8_t)(at >> 8), 3, 4};
        if (waywarden_secoc_sender_protect(&sender, payload, 4, NULL, &frame) ==
                WAYWARDEN_STATUS_OK &&
            waywarden_secoc_receiver_accept(&receiver, &frame, NULL, &outcome) ==
                WAYWARDEN_STATUS_OK &&
            outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC &&
            memcmp(outcome.payload, payload, 4) == 0) {
            ++*authentic;
        }
    }
    return NULL;
}

static void *together(void *of)
{
    unsigned which = *(unsigned *)of;
    for (unsigned at = 0; at < MESSAGES; at++) {
        waywarden_can_frame frame;
        waywarden_status status = waywarden_secoc_sender_protect(
            &shared, (const uint8_t *)"same", 4, NULL, &frame);
        if (status == WAYWARDEN_STATUS_OK) {
            memcpy(seen[which][made[which]++], frame.data + 4, 4);
        } else if (status != WAYWARDEN_STATUS_BUSY) {
            printf("%s\n", waywarden_status_text(status));
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[OWN];
    unsigned numbers[OWN];
    for (unsigned at = 0; at < OWN; at++) {
        numbers[at] = at;
        pthread_create(&threads[at], NULL, alone, &numbers[at]);
    }
    for (unsigned at = 0; at < OWN; at++) {
        pthread_join(threads[at], NULL);
        if (numbers[at] != MESSAGES) {
            printf("thread %u: %u of %d authentic\n", at, numbers[at], MESSAGES);
            return 1;
        }
    }
    if (prepare(&shared, NULL, 0x200)) {
        return 1;
    }
    unsigned first = 0, second = 1;
    pthread_create(&threads[0], NULL, together, &first);
    pthread_create(&threads[1], NULL, together, &second);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (unsigned one = 0; one < made[0]; one++) {
        for (unsigned other = 0; other < made[1]; other++) {
            if (memcmp(seen[0][one], seen[1][other], 4) == 0) {
                printf("the freshness of one message was used twice\n");
                return 1;
            }
        }
    }
    printf("%d threads, %u and %u messages of one sender\n", OWN, made[0], made[1]);
    return 0;
}
