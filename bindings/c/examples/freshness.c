/* A freshness master, an ECU that follows it, and a stream with the profile of JASPAR whose codes are
 * computed behind a call-back, as by a hardware security module.
 *
 *   cc -std=c99 freshness.c $(pkg-config --cflags --libs waywarden) -o freshness && ./freshness
 */
#include <stdio.h>
#include <string.h>

#include <waywarden.h>

static const uint8_t STREAM_KEY[16] = {0xA0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t MASTER_KEY[16] = {0xB0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Stands for a job of a crypto service manager. */
static int32_t compute(void *context, const uint8_t *message, size_t length, uint8_t *code)
{
    unsigned *jobs = context;
    ++*jobs;
    return waywarden_aes_cmac(STREAM_KEY, message, length, code) == WAYWARDEN_STATUS_OK ? 0 : -1;
}

static int failed(waywarden_status status, const char *what)
{
    if (status != WAYWARDEN_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", what, waywarden_status_text(status));
    }
    return status != WAYWARDEN_STATUS_OK;
}

int main(void)
{
    unsigned jobs = 0;
    waywarden_key elsewhere = {0};
    elsewhere.compute = compute;
    elsewhere.context = &jobs;
    waywarden_key of_master = {0};
    of_master.bytes = MASTER_KEY;
    waywarden_retention nothing = {waywarden_retain_nothing, NULL};

    waywarden_announcement_options announcements;
    memset(&announcements, 0, sizeof announcements);
    announcements.identifier = 0x00F;
    announcements.profile = WAYWARDEN_SECOC_JASPAR;
    announcements.code_bits = 28;

    waywarden_freshness_master master;
    waywarden_freshness_follower follower;
    waywarden_secoc_stream_options options;
    waywarden_secoc_sender sender;
    waywarden_secoc_receiver receiver;
    if (failed(waywarden_freshness_master_init(&master, &announcements, &of_master, &nothing, 0,
                                               UINT64_C(100000000)),
               "master") ||
        failed(waywarden_freshness_follower_init(&follower, &announcements, &of_master, &nothing, 0,
                                                 16),
               "follower") ||
        failed(waywarden_secoc_stream_options_init(&options, 0x2A0, WAYWARDEN_SECOC_JASPAR, 4),
               "options") ||
        failed(waywarden_secoc_sender_init(&sender, &options, &elsewhere, &nothing, 0), "sender") ||
        failed(waywarden_secoc_receiver_init(&receiver, &options, &elsewhere, &nothing, 0),
               "receiver")) {
        return 1;
    }

    unsigned authentic = 0;
    for (uint64_t step = 0; step < 50; step++) {
        waywarden_can_frame frame;
        waywarden_outcome outcome;
        waywarden_freshness_state of_sender, of_receiver;
        bool is_due = false;
        if (failed(waywarden_freshness_master_announce(&master, step * UINT64_C(10000000), &frame,
                                                       &is_due),
                   "announce")) {
            return 1;
        }
        if (is_due) {
            if (failed(waywarden_freshness_follower_accept(&follower, &frame, &outcome), "follow")) {
                return 1;
            }
            if (outcome.kind != WAYWARDEN_OUTCOME_KIND_RESYNCHRONISED) {
                fprintf(stderr, "the announcement is refused: %d\n", (int)outcome.kind);
                return 1;
            }
        }
        /* The master's ECU sends, the other receives. */
        if (failed(waywarden_freshness_master_state(&master, &of_sender), "state") ||
            failed(waywarden_freshness_follower_state(&follower, &of_receiver), "state") ||
            failed(waywarden_secoc_sender_protect(&sender, (const uint8_t *)"\x01\x02\x03\x04", 4,
                                                  &of_sender, &frame),
                   "protect") ||
            failed(waywarden_secoc_receiver_accept(&receiver, &frame, &of_receiver, &outcome),
                   "accept")) {
            return 1;
        }
        authentic += outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC;
    }
    printf("authentic: %u of 50, %u codes computed elsewhere\n", authentic, jobs);
    return authentic == 50 && jobs == 100 ? 0 : 1;
}
