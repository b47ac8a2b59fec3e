/* An orchestrator and three members agree on a group key; two of them protect a stream by SecOC under
 * a key that is derived of it, before and after a renewal.
 *
 *   cc -std=c99 group_keys.c $(pkg-config --cflags --libs waywarden) -o group_keys && ./group_keys
 */
#include <stdio.h>
#include <string.h>

#include <waywarden.h>

#define MEMBERS 3
#define BUS 16

/* In a car: drawn when the ECU is made. */
static void secret_of(uint8_t address, uint8_t *secret) { memset(secret, address, 32); }

static int failed(waywarden_status status, const char *what)
{
    if (status != WAYWARDEN_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", what, waywarden_status_text(status));
    }
    return status != WAYWARDEN_STATUS_OK;
}

/* Stands for a flash: a slot of 32 bytes for each number. */
static int32_t retain(void *context, uint8_t slot, const uint8_t *value)
{
    memcpy((uint8_t *)context + (size_t)slot * 32, value, 32);
    return WAYWARDEN_STORED;
}

static waywarden_group_orchestrator orchestrator;
static waywarden_group_member members[MEMBERS];
static uint8_t flash[MEMBERS + 1][2 * 32];
static waywarden_can_frame bus[BUS];

/* Everything that is due at `now` goes over the bus, which is the array of frames. */
static int serve(uint64_t now)
{
    size_t frames;
    do {
        frames = 0;
        for (size_t at = 0; at <= MEMBERS; at++) {
            bool is_due = false;
            waywarden_status status =
                at < MEMBERS
                    ? waywarden_group_member_outgoing(&members[at], now, &bus[frames], &is_due)
                    : waywarden_group_orchestrator_outgoing(&orchestrator, now, &bus[frames], &is_due);
            if (failed(status, "outgoing")) {
                return 1;
            }
            if (!is_due) {
                continue;
            }
            for (size_t to = 0; to <= MEMBERS; to++) {
                if (to == at) {
                    continue;
                }
                status = to < MEMBERS
                             ? waywarden_group_member_receive(&members[to], now, &bus[frames])
                             : waywarden_group_orchestrator_receive(&orchestrator, now, &bus[frames]);
                if (failed(status, "receive")) {
                    return 1;
                }
            }
            status = at < MEMBERS ? waywarden_group_member_sent(&members[at], now, true)
                                  : waywarden_group_orchestrator_sent(&orchestrator, now, true);
            if (failed(status, "sent")) {
                return 1;
            }
            frames++;
        }
    } while (frames > 0);
    return 0;
}

/* The key of the stream 0x120 under the group key of a member. */
static int stream_key(waywarden_group_member *member, uint64_t *epoch, uint8_t *key)
{
    uint8_t group_key[32];
    return failed(waywarden_group_member_key(member, epoch, group_key), "key") ||
           failed(waywarden_derive_key(group_key, 0, 0x120, key), "derive");
}

int main(void)
{
    waywarden_group_party parties[MEMBERS + 1];
    waywarden_group_options options;
    uint8_t secret[32], seed[32];
    memset(parties, 0, sizeof parties);
    for (uint8_t at = 0; at <= MEMBERS; at++) {
        parties[at].address = (uint8_t)(at + 1);
        secret_of(parties[at].address, secret);
        if (failed(waywarden_group_public_key(WAYWARDEN_SUITE_FOURQ, secret, parties[at].key), "public key")) {
            return 1;
        }
    }
    if (failed(waywarden_group_options_init(&options, &parties[MEMBERS], parties, MEMBERS), "options")) {
        return 1;
    }
    for (uint8_t at = 0; at <= MEMBERS; at++) {
        waywarden_role_start start;
        memset(&start, 0, sizeof start);
        start.address = parties[at].address;
        secret_of(start.address, secret);
        start.secret = secret;
        memset(seed, 0x50 + at, sizeof seed); /* in a car: of a random generator */
        start.seed = seed;
        start.retention.retain = retain;
        start.retention.context = flash[at];
        if (failed(at < MEMBERS ? waywarden_group_member_init(&members[at], &options, &start)
                                : waywarden_group_orchestrator_init(&orchestrator, &options, &start),
                   "init")) {
            return 1;
        }
    }
    if (failed(waywarden_group_orchestrator_renew(&orchestrator, false), "renew")) {
        return 1;
    }

    waywarden_secoc_stream_options stream;
    waywarden_secoc_sender sender;
    waywarden_secoc_receiver receiver;
    waywarden_retention nothing = {waywarden_retain_nothing, NULL}; /* keys of one run */
    waywarden_secoc_stream_options_init(&stream, 0x120, WAYWARDEN_SECOC_AUTOSAR_1, 4);
    uint64_t epochs = 0, last = 0;
    unsigned authentic = 0;
    for (uint64_t millisecond = 0; millisecond < 200; millisecond++) {
        if (millisecond == 100 &&
            failed(waywarden_group_orchestrator_renew_when_acknowledged(&orchestrator, false), "renew again")) {
            return 1;
        }
        if (serve(millisecond * UINT64_C(1000000))) {
            return 1;
        }
        for (;;) {
            waywarden_group_event event;
            if (failed(waywarden_group_member_event(&members[0], &event), "event")) {
                return 1;
            }
            if (event.kind == WAYWARDEN_GROUP_EVENT_KIND_NONE) {
                break;
            }
            if (event.kind != WAYWARDEN_GROUP_EVENT_KIND_CONFIRMED) {
                continue;
            }
            uint8_t of_sender[16], of_receiver[16];
            waywarden_key key = {0};
            if (stream_key(&members[0], &last, of_sender) || stream_key(&members[1], &last, of_receiver)) {
                return 1;
            }
            key.bytes = of_sender;
            if (epochs++ == 0) {
                if (failed(waywarden_secoc_sender_init(&sender, &stream, &key, &nothing, 0), "sender")) {
                    return 1;
                }
                key.bytes = of_receiver;
                if (failed(waywarden_secoc_receiver_init(&receiver, &stream, &key, &nothing, 0), "receiver")) {
                    return 1;
                }
            } else if (failed(waywarden_secoc_receiver_roll_over(&receiver, of_receiver), "receiver") ||
                       failed(waywarden_secoc_sender_roll_over(&sender, of_sender), "sender")) {
                return 1;
            }
            printf("epoch %llu confirmed\n", (unsigned long long)last);
        }
        if (epochs > 0 && millisecond % 10 == 9) {
            waywarden_can_frame frame;
            waywarden_outcome outcome;
            if (failed(waywarden_secoc_sender_protect(&sender, (const uint8_t *)"40 %", 4, NULL, &frame), "protect") ||
                failed(waywarden_secoc_receiver_accept(&receiver, &frame, NULL, &outcome), "accept")) {
                return 1;
            }
            authentic += outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC;
        }
    }
    for (size_t at = 0; at < MEMBERS; at++) {
        waywarden_group_member_clear(&members[at]);
    }
    waywarden_group_orchestrator_clear(&orchestrator);
    printf("%llu keys, authentic: %u of 20\n", (unsigned long long)epochs, authentic);
    return epochs == 2 && authentic == 20 ? 0 : 1;
}
