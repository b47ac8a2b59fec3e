/* Two ECUs authenticate themselves to a security module (P-256), which gives them the key of a stream:
 * one frame goes encrypted by LASAN itself, others are protected by SecOC under a key derived of it.
 *
 *   cc -std=c99 lasan.c $(pkg-config --cflags --libs waywarden) -o lasan && ./lasan
 */
#include <stdio.h>
#include <string.h>

#include <waywarden.h>

#define BRAKE 1
#define DASHBOARD 2
#define MODULE 9
#define STREAM 0x120

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

static waywarden_lasan_ecu ecus[2]; /* the brake and the dashboard */
static waywarden_lasan_module module;
static uint8_t flash[3][(WAYWARDEN_ROLE_ECUS + 1) * 32];
static unsigned opened;

/* Everything that is due at `now` goes over the bus; frames of the stream are opened. */
static int serve(uint64_t now)
{
    bool is_due;
    do {
        is_due = false;
        for (size_t at = 0; at < 3; at++) {
            waywarden_can_frame frame;
            bool due = false;
            if (failed(at < 2 ? waywarden_lasan_ecu_outgoing(&ecus[at], now, &frame, &due)
                              : waywarden_lasan_module_outgoing(&module, now, &frame, &due),
                       "outgoing")) {
                return 1;
            }
            if (!due) {
                continue;
            }
            is_due = true;
            for (size_t to = 0; to < 3; to++) {
                if (to != at && failed(to < 2 ? waywarden_lasan_ecu_receive(&ecus[to], now, &frame)
                                              : waywarden_lasan_module_receive(&module, now, &frame),
                                       "receive")) {
                    return 1;
                }
            }
            if (failed(at < 2 ? waywarden_lasan_ecu_sent(&ecus[at], now, true)
                              : waywarden_lasan_module_sent(&module, now, true),
                       "sent")) {
                return 1;
            }
        }
        for (;;) {
            uint32_t stream;
            waywarden_outcome outcome;
            if (failed(waywarden_lasan_ecu_received(&ecus[1], &stream, &outcome), "received")) {
                return 1;
            }
            if (outcome.kind == WAYWARDEN_OUTCOME_KIND_NONE) {
                break;
            }
            opened += outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC && stream == STREAM &&
                      memcmp(outcome.payload, "40 %", 4) == 0;
        }
    } while (is_due);
    return 0;
}

int main(void)
{
    static const uint8_t ADDRESSES[3] = {BRAKE, DASHBOARD, MODULE};
    static const char NAMES[3][7] = {"brake1", "dashb1", "module"};
    waywarden_lasan_party parties[3];
    uint8_t secrets[3][32], seed[32]; /* in a car: drawn when the ECU is made */
    memset(parties, 0, sizeof parties);
    for (size_t at = 0; at < 3; at++) {
        parties[at].address = ADDRESSES[at];
        memcpy(parties[at].name, NAMES[at], 6);
        memset(secrets[at], ADDRESSES[at], 32);
        if (failed(waywarden_lasan_public_key(WAYWARDEN_SUITE_P256, secrets[at], parties[at].key), "public key")) {
            return 1;
        }
    }
    waywarden_lasan_permission permission;
    memset(&permission, 0, sizeof permission);
    permission.stream = STREAM;
    permission.sender = BRAKE;
    permission.receivers[0] = UINT64_C(1) << DASHBOARD;
    permission.until = UINT64_MAX;
    waywarden_lasan_options options;
    if (failed(waywarden_lasan_options_init(&options, MODULE, parties, 3), "options")) {
        return 1;
    }
    options.suite = WAYWARDEN_SUITE_P256;
    options.permissions = &permission;
    options.permission_count = 1;
    for (size_t at = 0; at < 3; at++) {
        waywarden_role_start start;
        memset(&start, 0, sizeof start);
        start.address = ADDRESSES[at];
        start.secret = secrets[at];
        memset(seed, 0x50 + (int)at, sizeof seed); /* in a car: of a random generator */
        start.seed = seed;
        start.retention.retain = retain;
        start.retention.context = flash[at];
        if (failed(at < 2 ? waywarden_lasan_ecu_init(&ecus[at], &options, &start)
                          : waywarden_lasan_module_init(&module, &options, &start),
                   "init")) {
            return 1;
        }
    }
    if (failed(waywarden_lasan_module_start(&module), "start") ||
        failed(waywarden_lasan_ecu_request(&ecus[0], STREAM), "request")) {
        return 1;
    }
    for (uint64_t millisecond = 0; millisecond < 200; millisecond++) {
        if (millisecond == 150) {
            waywarden_can_frame clear;
            memset(&clear, 0, sizeof clear);
            clear.identifier = STREAM;
            clear.flags = WAYWARDEN_FD;
            clear.length = 4;
            memcpy(clear.data, "40 %", 4);
            if (failed(waywarden_lasan_ecu_send(&ecus[0], &clear), "send")) {
                return 1;
            }
        }
        if (serve(millisecond * UINT64_C(1000000))) {
            return 1;
        }
    }

    /* SecOC under the same key, as classic CAN needs it. */
    uint8_t keys[2][16];
    uint32_t generations[2];
    for (size_t at = 0; at < 2; at++) {
        uint8_t key[32];
        if (failed(waywarden_lasan_ecu_stream_key(&ecus[at], STREAM, &generations[at], key), "stream key") ||
            failed(waywarden_derive_key(key, 0, STREAM, keys[at]), "derive")) {
            return 1;
        }
    }
    waywarden_secoc_stream_options stream;
    waywarden_secoc_sender sender;
    waywarden_secoc_receiver receiver;
    waywarden_retention nothing = {waywarden_retain_nothing, NULL}; /* keys of one run */
    waywarden_key key = {0};
    waywarden_can_frame frame;
    waywarden_outcome outcome;
    waywarden_secoc_stream_options_init(&stream, STREAM, WAYWARDEN_SECOC_AUTOSAR_1, 4);
    key.bytes = keys[0];
    if (failed(waywarden_secoc_sender_init(&sender, &stream, &key, &nothing, 0), "sender")) {
        return 1;
    }
    key.bytes = keys[1];
    if (failed(waywarden_secoc_receiver_init(&receiver, &stream, &key, &nothing, 0), "receiver") ||
        failed(waywarden_secoc_sender_protect(&sender, (const uint8_t *)"41 %", 4, NULL, &frame), "protect") ||
        failed(waywarden_secoc_receiver_accept(&receiver, &frame, NULL, &outcome), "accept")) {
        return 1;
    }
    bool is_authentic = outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC;
    waywarden_lasan_ecu_clear(&ecus[0]);
    waywarden_lasan_ecu_clear(&ecus[1]);
    waywarden_lasan_module_clear(&module);
    printf("opened: %u of 1, SecOC under the stream's key: %s\n", opened, is_authentic ? "authentic" : "refused");
    return opened == 1 && is_authentic && generations[0] == generations[1] ? 0 : 1;
}
