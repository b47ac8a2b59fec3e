/* Random calls of every function with random arguments, among them those that no program should make:
 * null, wrong types of object, wild numbers, call-backs that fail, wait and call back. Nothing may
 * crash, and nothing that is not authentic may be taken.
 *
 *   hostile CALLS SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waywarden.h>

static uint64_t state;

static uint64_t next(void)
{
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

static uint64_t below(uint64_t bound) { return next() % bound; }

/* A number near an edge. */
static uint64_t edge(void)
{
    static const uint64_t EDGES[] = {0,          1,           7,          8,          9,
                                     63,         64,          65,         0x7FF,      0x800,
                                     0x1FFFFFFF, UINT32_MAX,  UINT64_MAX, 0x20000000, 0xFFFFFFFE};
    return below(2) ? EDGES[below(sizeof EDGES / sizeof *EDGES)] : next() >> below(64);
}

/* One memory for objects of every type, so that types get mixed up. */
static union {
    waywarden_secoc_sender secoc_sender;
    waywarden_secoc_receiver secoc_receiver;
    waywarden_secoc_separate_sender separate_sender;
    waywarden_secoc_separate_receiver separate_receiver;
    waywarden_freshness_follower follower;
    waywarden_freshness_master master;
    waywarden_freshness_state state;
    waywarden_paired_sender paired_sender;
    waywarden_paired_receiver paired_receiver;
} objects[4];

static waywarden_freshness_state states[2];
static waywarden_can_frame frames[8];
static uint8_t bytes[256];
static waywarden_outcome outcome;
static unsigned nested;

static int32_t retain(void *context, uint64_t value)
{
    (void)value;
    if (context != NULL && nested == 0 && below(4) == 0) {
        nested++;
        waywarden_secoc_sender *sender = context;
        waywarden_status status = waywarden_secoc_sender_retained(sender, value);
        if (status == WAYWARDEN_STATUS_OK) {
            abort(); /* it is in use, or another type */
        }
        nested--;
    }
    return (int32_t)below(4) - 1;
}

static int32_t compute(void *context, const uint8_t *message, size_t length, uint8_t *code)
{
    (void)context;
    static const uint8_t KEY[16] = {9};
    if (below(8) == 0) {
        return -1;
    }
    return (int32_t)waywarden_aes_cmac(KEY, message, length, code);
}

/* Counts the answers. A fault in the library is none that may come. */
static unsigned long answers[23];

static void see(waywarden_status status)
{
    if (status == WAYWARDEN_STATUS_FAULT || status < 0 || status > 22) {
        abort();
    }
    answers[status]++;
}

static void *some(void *memory) { return below(16) ? memory : NULL; }

static void calls(void)
{
    static const uint8_t KEY[16] = {9};
    waywarden_key key;
    memset(&key, 0, sizeof key);
    if (below(4)) {
        key.bytes = KEY;
        key.algorithm = below(4) ? 0 : (uint8_t)below(6);
    } else {
        key.compute = below(8) ? compute : NULL;
        key.bytes = below(8) ? NULL : KEY;
    }
    void *object = some(&objects[below(4)]);
    waywarden_retention retention = {below(16) ? retain : NULL, below(2) ? object : NULL};
    waywarden_secoc_stream_options options;
    waywarden_secoc_stream_options_init(&options, below(3) ? 0x120 : (uint32_t)edge(),
                                        (uint8_t)below(7), (uint8_t)below(9));
    options.flags = below(3) ? 0 : (uint8_t)edge();
    options.longest = below(4) ? options.longest : (uint8_t)edge();
    options.cryptographic_identifier = below(3) ? 0x121 : (uint32_t)edge();
    options.secured_to = (uint8_t)below(9);
    options.own.message = (uint8_t)edge();
    options.own.trip = options.own.reset = below(2) ? 0 : (uint8_t)below(30);
    options.own.freshness_bits = (uint8_t)below(70);
    options.own.code_bits = (uint8_t)edge();
    options.own.attempts = (uint8_t)below(10);
    options.own.as_found = (uint8_t)below(2);
    waywarden_announcement_options announcements;
    memset(&announcements, 0, sizeof announcements);
    announcements.identifier = below(3) ? 0xF : (uint32_t)edge();
    announcements.profile = below(3) ? WAYWARDEN_SECOC_JASPAR : (uint8_t)below(7);
    announcements.code_bits = below(3) ? 28 : (uint8_t)edge();
    announcements.flags = below(4) ? 0 : (uint8_t)below(4);
    announcements.own = options.own;

    waywarden_can_frame *frame = some(&frames[below(8)]);
    waywarden_can_frame *other = some(&frames[below(8)]);
    waywarden_freshness_state *freshness = below(2) ? NULL : &states[below(2)];
    size_t length = below(4) ? below(9) : (size_t)below(sizeof bytes);
    uint64_t now = edge();
    bool is_due = false;
    uint64_t number = 0;
    size_t written = 0;
    const uint8_t *payload = length ? some(bytes) : NULL;

    if (below(4) == 0 && frame != NULL) { /* noise on the bus */
        frame->identifier = below(2) ? (uint32_t)(0x120 + below(3)) : (uint32_t)edge();
        frame->flags = below(2) ? frame->flags : (uint8_t)edge();
        frame->length = below(2) ? frame->length : (uint8_t)edge();
        frame->data[below(64)] ^= (uint8_t)(1u << below(8));
    }
    switch (below(36)) {
    case 0: see(waywarden_secoc_sender_init(object, some(&options), some(&key), some(&retention), edge())); break;
    case 1: case 2: see(waywarden_secoc_sender_protect(object, payload, length, freshness, frame)); break;
    case 3: see(waywarden_secoc_sender_retained(object, edge())); break;
    case 4: see(waywarden_secoc_sender_roll_over(object, some(bytes))); break;
    case 5: see(waywarden_secoc_sender_clear(object)); break;
    case 6: see(waywarden_secoc_receiver_init(object, some(&options), some(&key), some(&retention), edge())); break;
    case 7: case 8: see(waywarden_secoc_receiver_accept(object, frame, freshness, some(&outcome))); break;
    case 9: see(waywarden_secoc_receiver_retained(object, edge())); break;
    case 10: see(waywarden_secoc_receiver_roll_over(object, some(bytes))); break;
    case 11: see(waywarden_secoc_receiver_clear(object)); break;
    case 12: see(waywarden_secoc_separate_sender_init(object, some(&options), some(&key), some(&retention), edge())); break;
    case 13: see(waywarden_secoc_separate_sender_protect(object, payload, length, freshness, frame, other)); break;
    case 14: see(waywarden_secoc_separate_sender_retained(object, edge())); break;
    case 15: see(waywarden_secoc_separate_receiver_init(object, some(&options), some(&key), some(&retention), edge())); break;
    case 16: see(waywarden_secoc_separate_receiver_accept(object, now, frame, freshness, some(&outcome))); break;
    case 17: see(waywarden_secoc_separate_receiver_expire(object, now, some(&outcome))); break;
    case 18: see(waywarden_secoc_separate_receiver_clear(object)); break;
    case 19: see(waywarden_freshness_follower_init(object, some(&announcements), some(&key), some(&retention), edge(), (uint32_t)edge())); break;
    case 20: see(waywarden_freshness_follower_accept(object, frame, some(&outcome))); break;
    case 21: see(waywarden_freshness_follower_retained(object, edge())); break;
    case 22: see(waywarden_freshness_follower_state(object, some(&states[below(2)]))); break;
    case 23: see(waywarden_freshness_master_init(object, some(&announcements), some(&key), some(&retention), edge(), edge())); break;
    case 24: see(waywarden_freshness_master_announce(object, now, frame, some(&is_due))); break;
    case 25: see(waywarden_freshness_master_retained(object, edge())); break;
    case 26: see(waywarden_freshness_master_state(object, some(&states[below(2)]))); break;
    case 27: see(waywarden_paired_sender_init(object, below(3) ? 0x120 : (uint32_t)edge(), (uint8_t)below(3), some(&key), some(&retention), edge())); break;
    case 28: see(waywarden_paired_sender_protect(object, payload, length, frame, other)); break;
    case 29: see(waywarden_paired_sender_receive(object, frame)); break;
    case 30: see(waywarden_paired_sender_outgoing(object, now, frame, some(&is_due))); break;
    case 31: see(waywarden_paired_receiver_init(object, below(3) ? 0x120 : (uint32_t)edge(), (uint8_t)below(3), (uint32_t)edge(), some(&key), some(bytes))); break;
    case 32: see(waywarden_paired_receiver_accept(object, now, frame, some(&outcome))); break;
    case 33:
        see(waywarden_paired_receiver_outgoing(object, now, frame, some(&is_due)));
        see(waywarden_paired_receiver_expire(object, now, some(&outcome)));
        see(waywarden_paired_receiver_deadline(object, some(&number)));
        see(waywarden_paired_sender_deadline(object, some(&number)));
        break;
    case 34: {
        waywarden_bytes some_key = {payload, payload ? length : 0};
        waywarden_bytes digest = {bytes, below(2) ? 32 : length};
        see(waywarden_ecdsa_verify((uint8_t)below(6), some_key, digest, some(bytes), some(bytes + 48)));
        see(waywarden_ecqv_rebuild((uint8_t)below(6), digest, some_key, some_key, some(bytes + 100), below(156), some(&written)));
        break;
    }
    default:
        bytes[below(sizeof bytes)] = (uint8_t)next();
        if (waywarden_status_text((int32_t)edge()) == NULL) {
            abort();
        }
    }
}

int main(int count, char **words)
{
    unsigned long many = count > 1 ? strtoul(words[1], NULL, 10) : 100000;
    state = count > 2 ? strtoul(words[2], NULL, 10) : 1;
    printf("hostile: seed %llu\n", (unsigned long long)state);
    for (unsigned long at = 0; at < many; at++) {
        calls();
    }
    unsigned kinds = 0;
    for (unsigned at = 0; at < 23; at++) {
        kinds += answers[at] > 0;
    }
    printf("%lu calls, %lu did something, %u kinds of answer\n", many, answers[0], kinds);
    /* A test whose calls are all refused at the door would show nothing. */
    return answers[0] * 20 > many && kinds >= 15 ? 0 : 1;
}
