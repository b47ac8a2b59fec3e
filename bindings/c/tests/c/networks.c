/* LASAN with each suite of the library, and keys, digests or certificates: two ECUs authenticate
 * themselves and get the key of a stream, though frames are lost, repeated and changed; and what no
 * network may take is refused.
 *
 *   networks FRAMES SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waywarden.h>

#define BRAKE 1
#define DASHBOARD 2
#define MODULE 9
#define STREAM 0x120
#define PARTIES 3
#define KEY_MAX 1952
#define CERTIFICATE_MAX 5300
#define SUITES 5

static const uint8_t ADDRESSES[PARTIES] = {BRAKE, DASHBOARD, MODULE};
static const char NAMES[PARTIES][7] = {"brake1", "dashb1", "module"};
static const char AUTHORITY[7] = "plant1";

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

static void answers(waywarden_status status, waywarden_status wanted, const char *what)
{
    if (status != wanted) {
        fprintf(stderr, "%s: %s\n", what, waywarden_status_text(status));
        abort();
    }
}

static void must(waywarden_status status, const char *what) { answers(status, WAYWARDEN_STATUS_OK, what); }

/* The facts of a network. */
static waywarden_lasan_party parties[PARTIES];
static waywarden_lasan_options options;
static waywarden_lasan_permission permission;
static uint8_t secrets[PARTIES][32], secret_of_authority[32], seed[32];
static uint8_t keys[PARTIES][KEY_MAX], key_of_authority[KEY_MAX], row[PARTIES * KEY_MAX];
static uint8_t certificates[PARTIES][CERTIFICATE_MAX];
static size_t key_length, certificate_length;

/* Its roles: objects of either kind, and what the functions take. */
static waywarden_lasan_ecu of_curve[2];
static waywarden_lasan_module module_of_curve;
static waywarden_lasan_quantum_ecu quantum[2];
static waywarden_lasan_quantum_module quantum_module;
static waywarden_lasan_ecu *ecus[2];
static waywarden_lasan_module *module;
static unsigned opened;
static unsigned long given, failures;

static int32_t retain(void *context, uint8_t slot, const uint8_t *value)
{
    (void)context, (void)slot, (void)value;
    return WAYWARDEN_STORED;
}

static bool is_quantum(void) { return options.suite > WAYWARDEN_SUITE_P256; }

static size_t issue(size_t at, const uint8_t *secret, uint64_t last)
{
    waywarden_lasan_statement statement;
    size_t length = 0;
    memset(&statement, 0, sizeof statement);
    statement.suite = options.suite;
    statement.is_module = ADDRESSES[at] == MODULE;
    memcpy(statement.authority, AUTHORITY, 6);
    memcpy(statement.subject, NAMES[at], 6);
    statement.key = keys[at];
    statement.last = last;
    answers(waywarden_lasan_issue(&statement, secret, certificates[at], certificate_length - 1, &length),
            WAYWARDEN_STATUS_SPACE, "a certificate in too little space");
    must(waywarden_lasan_issue(&statement, secret, certificates[at], certificate_length, &length), "issue");
    if (length != certificate_length) {
        abort();
    }
    return length;
}

/* Makes the facts of a network. */
static void provision(uint8_t suite, uint8_t credentials)
{
    must(waywarden_lasan_lengths(suite, &key_length, &certificate_length), "lengths");
    if (key_length > KEY_MAX || certificate_length > CERTIFICATE_MAX) {
        abort();
    }
    memset(parties, 0, sizeof parties);
    must(waywarden_lasan_options_init(&options, MODULE, parties, PARTIES), "options");
    options.suite = suite;
    options.credentials = credentials;
    options.authentication = UINT64_C(4000000000);
    memset(secret_of_authority, 0xA0, 32);
    must(waywarden_lasan_public_key(suite, secret_of_authority, key_of_authority), "public key");
    for (size_t at = 0; at < PARTIES; at++) {
        parties[at].address = ADDRESSES[at];
        memcpy(parties[at].name, NAMES[at], 6);
        memset(secrets[at], ADDRESSES[at], 32);
        must(waywarden_lasan_public_key(suite, secrets[at], keys[at]), "public key");
        memcpy(row + at * key_length, keys[at], key_length);
        if (credentials == WAYWARDEN_LASAN_DIGESTS) {
            must(waywarden_lasan_digest(keys[at], key_length, parties[at].key), "digest");
        } else if (credentials == WAYWARDEN_LASAN_KEYS && !is_quantum()) {
            memcpy(parties[at].key, keys[at], 33);
        } else if (credentials == WAYWARDEN_LASAN_CERTIFICATES) {
            (void)issue(at, secret_of_authority, UINT64_MAX);
        }
    }
    if (credentials == WAYWARDEN_LASAN_KEYS && is_quantum()) {
        options.keys = row;
    }
    memcpy(options.authority, AUTHORITY, 6);
    options.authority_key = credentials == WAYWARDEN_LASAN_CERTIFICATES ? key_of_authority : NULL;
    memset(&permission, 0, sizeof permission);
    permission.stream = STREAM;
    permission.sender = BRAKE;
    permission.receivers[0] = UINT64_C(1) << DASHBOARD;
    permission.until = UINT64_MAX;
    options.permissions = &permission;
    options.permission_count = 1;
}

/* Initialises a role with what it alone presents. */
static waywarden_status begin(size_t at)
{
    waywarden_role_start start;
    memset(&start, 0, sizeof start);
    options.credential = NULL;
    options.credential_length = 0;
    if (options.credentials == WAYWARDEN_LASAN_DIGESTS) {
        options.credential = keys[at];
        options.credential_length = key_length;
    } else if (options.credentials == WAYWARDEN_LASAN_CERTIFICATES) {
        options.credential = certificates[at];
        options.credential_length = certificate_length;
    }
    for (size_t byte = 0; byte < sizeof seed; byte++) {
        seed[byte] = (uint8_t)next();
    }
    start.address = ADDRESSES[at];
    start.secret = secrets[at];
    start.seed = seed;
    start.retention.retain = retain;
    if (is_quantum()) {
        return at < 2 ? waywarden_lasan_quantum_ecu_init(&quantum[at], &options, &start, &ecus[at])
                      : waywarden_lasan_quantum_module_init(&quantum_module, &options, &start, &module);
    }
    if (at < 2) {
        ecus[at] = &of_curve[at];
        return waywarden_lasan_ecu_init(ecus[at], &options, &start);
    }
    module = &module_of_curve;
    return waywarden_lasan_module_init(module, &options, &start);
}

static waywarden_status receive(size_t role, uint64_t now, const waywarden_can_frame *frame)
{
    given++;
    return role < 2 ? waywarden_lasan_ecu_receive(ecus[role], now, frame)
                    : waywarden_lasan_module_receive(module, now, frame);
}

/* Gives a frame to all others; of `one` in so many something happens to it. */
static void deliver(size_t from, uint64_t now, waywarden_can_frame frame, uint64_t one)
{
    for (size_t to = 0; to < PARTIES; to++) {
        if (to == from) {
            continue;
        }
        waywarden_can_frame heard = frame;
        uint64_t fate = one ? below(3 * one) : 3;
        if (fate == 0) {
            continue;
        }
        if (fate == 1) {
            heard.data[below(64)] ^= (uint8_t)(1u << below(8));
        }
        if (fate == 2) {
            must(receive(to, now, &heard), "receive");
        }
        must(receive(to, now, &heard), "receive");
    }
}

static void hear(void)
{
    waywarden_lasan_event event;
    for (size_t at = 0; at < 2; at++) {
        for (;;) {
            uint32_t stream;
            waywarden_outcome outcome;
            must(waywarden_lasan_ecu_received(ecus[at], &stream, &outcome), "received");
            if (outcome.kind == WAYWARDEN_OUTCOME_KIND_NONE) {
                break;
            }
            opened += outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC && stream == STREAM &&
                      memcmp(outcome.payload, "40 %", 4) == 0;
        }
        must(waywarden_lasan_ecu_event(ecus[at], &event), "event");
        failures += event.kind == WAYWARDEN_LASAN_EVENT_KIND_FAILED;
    }
    must(waywarden_lasan_module_event(module, &event), "event");
    failures += event.kind == WAYWARDEN_LASAN_EVENT_KIND_FAILED;
}

/* Everything that is due at `now` goes over the bus. */
static void serve(uint64_t now, uint64_t one)
{
    bool is_due;
    do {
        is_due = false;
        for (size_t at = 0; at < PARTIES; at++) {
            waywarden_can_frame frame;
            bool due = false;
            must(at < 2 ? waywarden_lasan_ecu_outgoing(ecus[at], now, &frame, &due)
                        : waywarden_lasan_module_outgoing(module, now, &frame, &due),
                 "outgoing");
            if (due) {
                is_due = true;
                deliver(at, now, frame, one);
                must(at < 2 ? waywarden_lasan_ecu_sent(ecus[at], now, true)
                            : waywarden_lasan_module_sent(module, now, true),
                     "sent");
            }
        }
        hear();
    } while (is_due);
}

static bool all_authenticated(void)
{
    bool all = true;
    for (size_t at = 0; at < 2; at++) {
        bool is = false, there = false;
        must(waywarden_lasan_ecu_is_authenticated(ecus[at], &is), "is authenticated");
        must(waywarden_lasan_module_is_authenticated(module, ADDRESSES[at], &there), "is authenticated");
        all = all && is && there;
    }
    return all;
}

static void clear(void)
{
    must(waywarden_lasan_ecu_clear(ecus[0]), "clear");
    must(waywarden_lasan_ecu_clear(ecus[1]), "clear");
    must(waywarden_lasan_module_clear(module), "clear");
    bool is;
    answers(waywarden_lasan_ecu_is_authenticated(ecus[0], &is), WAYWARDEN_STATUS_NOT_INITIALISED, "a cleared ECU");
}

static void run(uint8_t suite, uint8_t credentials, unsigned long frames)
{
    uint64_t now = 0;
    provision(suite, credentials);
    for (size_t at = 0; at < PARTIES; at++) {
        must(begin(at), "init");
    }
    must(waywarden_lasan_module_start(module), "start");
    must(waywarden_lasan_ecu_request(ecus[0], STREAM), "request");
    /* Lost, changed and repeated: one of 200 each. New epochs have everything begin again. */
    for (given = 0; given < frames; now += 1000000) {
        serve(now, 200);
        if (below(1000) == 0) {
            must(waywarden_lasan_module_start(module), "start");
        }
    }
    /* The bus is quiet: all is well again. */
    for (uint64_t end = now + UINT64_C(10000000000); now < end; now += 1000000) {
        serve(now, 0);
    }
    uint8_t of_sender[32], of_receiver[32];
    uint32_t generations[2];
    must(waywarden_lasan_ecu_stream_key(ecus[0], STREAM, &generations[0], of_sender), "stream key");
    must(waywarden_lasan_ecu_stream_key(ecus[1], STREAM, &generations[1], of_receiver), "stream key");
    if (!all_authenticated() || generations[0] != generations[1] || memcmp(of_sender, of_receiver, 32) != 0) {
        fprintf(stderr, "suite %u, credentials %u: no common key\n", (unsigned)suite, (unsigned)credentials);
        abort();
    }
    waywarden_can_frame plain;
    memset(&plain, 0, sizeof plain);
    plain.identifier = STREAM;
    plain.flags = WAYWARDEN_FD;
    plain.length = 4;
    memcpy(plain.data, "40 %", 4);
    opened = 0;
    must(waywarden_lasan_ecu_send(ecus[0], &plain), "send");
    serve(now, 0);
    if (opened != 1) {
        fprintf(stderr, "suite %u: a protected frame is not opened\n", (unsigned)suite);
        abort();
    }
    clear();
}

/* Certificates that are not to be believed: nobody is authenticated, and the reason is told. */
static void untrusted(uint8_t suite, const uint8_t *authority, uint64_t last)
{
    provision(suite, WAYWARDEN_LASAN_CERTIFICATES);
    options.time_at_zero = 1000;
    (void)issue(0, authority, last);
    (void)issue(1, authority, last);
    for (size_t at = 0; at < PARTIES; at++) {
        must(begin(at), "init");
    }
    must(waywarden_lasan_module_start(module), "start");
    failures = 0;
    for (uint64_t now = 0; now < UINT64_C(3000000000); now += 1000000) {
        serve(now, 0);
    }
    if (all_authenticated() || failures == 0) {
        fprintf(stderr, "suite %u: an untrusted certificate is believed\n", (unsigned)suite);
        abort();
    }
    clear();
}

static void refusals(uint8_t suite)
{
    static uint8_t other[32] = {7};
    size_t length;
    untrusted(suite, other, UINT64_MAX);
    untrusted(suite, secret_of_authority, 999);

    provision(suite, WAYWARDEN_LASAN_CERTIFICATES);
    certificates[0][30] ^= 1; /* in its key */
    answers(begin(0), WAYWARDEN_STATUS_KEY, "a certificate of another key");
    certificate_length--;
    answers(begin(0), WAYWARDEN_STATUS_ARGUMENT, "a short certificate");
    provision(suite, WAYWARDEN_LASAN_CERTIFICATES);
    options.authority_key = NULL;
    answers(begin(0), WAYWARDEN_STATUS_NULL_POINTER, "no authority");
    options.credentials = 3;
    answers(begin(0), WAYWARDEN_STATUS_ARGUMENT, "unknown credentials");

    provision(suite, WAYWARDEN_LASAN_DIGESTS);
    parties[0].key[0] ^= 1;
    answers(begin(0), WAYWARDEN_STATUS_KEY, "another digest");

    provision(suite, WAYWARDEN_LASAN_KEYS);
    secrets[0][0] ^= 1;
    answers(begin(0), WAYWARDEN_STATUS_KEY, "another key");
    if (is_quantum()) {
        options.keys = NULL;
        answers(begin(0), WAYWARDEN_STATUS_NULL_POINTER, "no keys");
    }
    /* Objects of the other kind. */
    waywarden_role_start start;
    memset(&start, 0, sizeof start);
    start.address = BRAKE;
    start.secret = secrets[0];
    start.seed = seed;
    start.retention.retain = retain;
    waywarden_lasan_ecu *ecu;
    answers(is_quantum() ? waywarden_lasan_ecu_init(&of_curve[0], &options, &start)
                         : waywarden_lasan_quantum_ecu_init(&quantum[0], &options, &start, &ecu),
            WAYWARDEN_STATUS_ARGUMENT, "a suite of the other kind");
    answers(waywarden_lasan_lengths(SUITES, &length, &length), WAYWARDEN_STATUS_ARGUMENT, "an unknown suite");
    answers(waywarden_lasan_public_key(SUITES, seed, row), WAYWARDEN_STATUS_ARGUMENT, "an unknown suite");
}

int main(int count, char **words)
{
    unsigned long frames = count > 1 ? strtoul(words[1], NULL, 10) : 4000;
    state = count > 2 ? strtoul(words[2], NULL, 10) : 1;
    printf("networks: seed %llu\n", (unsigned long long)state);
    for (uint8_t suite = 0; suite < SUITES; suite++) {
        for (uint8_t credentials = 0; credentials < 3; credentials++) {
            run(suite, credentials, frames);
        }
        refusals(suite);
        printf("suite %u: keys of %lu bytes, certificates of %lu\n", (unsigned)suite, (unsigned long)key_length,
               (unsigned long)certificate_length);
    }
    return 0;
}
