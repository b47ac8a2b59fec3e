/* Roles of key protocols under hostile frames: true ones of a group and a network are lost, repeated,
 * changed and mixed with noise; retention fails, waits and comes back. Nothing may crash, roles of one
 * epoch may not have two keys, and once the bus is quiet they agree.
 *
 *   roles FRAMES SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waywarden.h>

#define MEMBERS 3
#define ROLES (MEMBERS + 1)
#define STREAM 0x120

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

static waywarden_group_member members[MEMBERS];
static waywarden_group_orchestrator orchestrator;
static waywarden_lasan_ecu ecus[MEMBERS];
static waywarden_lasan_module module;
/* Frames that were seen, to be repeated and changed. */
static waywarden_can_frame seen[64];
static bool is_hostile = true;
static unsigned long given, answers[23];

static void see(waywarden_status status)
{
    if (status == WAYWARDEN_STATUS_FAULT || status < 0 || status > 22) {
        fprintf(stderr, "status %d\n", (int)status);
        abort();
    }
    answers[status]++;
}

static void must(waywarden_status status, const char *what)
{
    if (status != WAYWARDEN_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", what, waywarden_status_text(status));
        abort();
    }
}

/* Slots that are being stored: by role, one bit each. */
static uint32_t later[2 * ROLES];

static int32_t retain(void *context, uint8_t slot, const uint8_t *value)
{
    (void)value;
    size_t role = (size_t)((uint32_t *)context - later);
    uint64_t answer = is_hostile ? below(8) : 7;
    if (role < ROLES) {
        waywarden_status inside = role < MEMBERS ? waywarden_group_member_retained(&members[role], 0, true)
                                                 : waywarden_group_orchestrator_retained(&orchestrator, 0, true);
        if (inside != WAYWARDEN_STATUS_BUSY) {
            abort();
        }
    }
    if (answer == 0) {
        return -1;
    }
    if (answer == 1) {
        later[role] |= UINT32_C(1) << slot;
        return WAYWARDEN_LATER;
    }
    return WAYWARDEN_STORED;
}

static waywarden_status receive(size_t role, uint64_t now, const waywarden_can_frame *frame)
{
    return role < MEMBERS           ? waywarden_group_member_receive(&members[role], now, frame)
           : role == MEMBERS        ? waywarden_group_orchestrator_receive(&orchestrator, now, frame)
           : role < ROLES + MEMBERS ? waywarden_lasan_ecu_receive(&ecus[role - ROLES], now, frame)
                                    : waywarden_lasan_module_receive(&module, now, frame);
}

static waywarden_status outgoing(size_t role, uint64_t now, waywarden_can_frame *frame, bool *is_due)
{
    return role < MEMBERS           ? waywarden_group_member_outgoing(&members[role], now, frame, is_due)
           : role == MEMBERS        ? waywarden_group_orchestrator_outgoing(&orchestrator, now, frame, is_due)
           : role < ROLES + MEMBERS ? waywarden_lasan_ecu_outgoing(&ecus[role - ROLES], now, frame, is_due)
                                    : waywarden_lasan_module_outgoing(&module, now, frame, is_due);
}

static waywarden_status sent(size_t role, uint64_t now, bool is_sent)
{
    return role < MEMBERS           ? waywarden_group_member_sent(&members[role], now, is_sent)
           : role == MEMBERS        ? waywarden_group_orchestrator_sent(&orchestrator, now, is_sent)
           : role < ROLES + MEMBERS ? waywarden_lasan_ecu_sent(&ecus[role - ROLES], now, is_sent)
                                    : waywarden_lasan_module_sent(&module, now, is_sent);
}

static waywarden_status retained(size_t role, uint8_t slot, bool is_stored)
{
    return role < MEMBERS           ? waywarden_group_member_retained(&members[role], slot, is_stored)
           : role == MEMBERS        ? waywarden_group_orchestrator_retained(&orchestrator, slot, is_stored)
           : role < ROLES + MEMBERS ? waywarden_lasan_ecu_retained(&ecus[role - ROLES], slot, is_stored)
                                    : waywarden_lasan_module_retained(&module, slot, is_stored);
}

static void forge(waywarden_can_frame *frame)
{
    *frame = seen[below(sizeof seen / sizeof *seen)];
    if (below(2)) {
        frame->data[below(64)] ^= (uint8_t)(1u << below(8));
    }
    if (below(3) == 0) {
        frame->identifier ^= UINT32_C(1) << below(29);
    }
    if (below(8) == 0) {
        frame->length = (uint8_t)next();
    }
    if (below(16) == 0) {
        frame->flags = (uint8_t)next();
    }
    if (below(16) == 0) {
        frame->identifier = (uint32_t)next() >> below(32);
    }
}

static void deliver(size_t from, uint64_t now, const waywarden_can_frame *frame)
{
    for (size_t to = 0; to < 2 * ROLES; to++) {
        if (to != from && !(is_hostile && below(200) == 0)) {
            see(receive(to, now, frame));
            given++;
        }
    }
}

static void hear(void)
{
    for (size_t at = 0; at < MEMBERS; at++) {
        waywarden_group_event of_group;
        waywarden_lasan_event of_network;
        uint32_t stream;
        waywarden_outcome outcome;
        must(waywarden_group_member_event(&members[at], &of_group), "event");
        must(waywarden_lasan_ecu_event(&ecus[at], &of_network), "event");
        must(waywarden_lasan_ecu_received(&ecus[at], &stream, &outcome), "received");
        if (outcome.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC && memcmp(outcome.payload, "true", 4) != 0) {
            abort();
        }
    }
    waywarden_group_event of_group;
    waywarden_lasan_event of_network;
    must(waywarden_group_orchestrator_event(&orchestrator, &of_group), "event");
    must(waywarden_lasan_module_event(&module, &of_network), "event");
}

/* Members that have a key of one epoch have the same; returns how many have the orchestrator's. */
static unsigned agreed(void)
{
    uint64_t epoch, other;
    uint8_t key[32], theirs[32];
    unsigned count = 0;
    if (waywarden_group_orchestrator_key(&orchestrator, &epoch, key) != WAYWARDEN_STATUS_OK) {
        return 0;
    }
    for (size_t at = 0; at < MEMBERS; at++) {
        if (waywarden_group_member_key(&members[at], &other, theirs) == WAYWARDEN_STATUS_OK && other == epoch) {
            if (memcmp(key, theirs, 32) != 0) {
                abort();
            }
            count++;
        }
    }
    return count;
}

static void turn(uint64_t now)
{
    for (size_t role = 0; role < 2 * ROLES; role++) {
        waywarden_can_frame frame;
        bool is_due = false;
        waywarden_status status = outgoing(role, now, &frame, &is_due);
        see(status);
        if (status == WAYWARDEN_STATUS_OK && is_due) {
            seen[below(sizeof seen / sizeof *seen)] = frame;
            bool is_sent = !(is_hostile && below(100) == 0);
            if (is_sent) {
                deliver(role, now, &frame);
            }
            see(sent(role, now, is_sent));
        }
        for (uint8_t slot = 0; slot < 32; slot++) {
            if (later[role] >> slot & 1 && below(4) == 0) {
                later[role] &= ~(UINT32_C(1) << slot);
                see(retained(role, slot, !is_hostile || below(2)));
            }
        }
    }
    hear();
    (void)agreed();
}

static void start(uint8_t suite)
{
    waywarden_group_party parties[ROLES];
    waywarden_lasan_party others[ROLES];
    waywarden_group_options group;
    waywarden_lasan_options network;
    waywarden_lasan_permission permission;
    uint8_t secrets[ROLES][32], seed[32];
    memset(parties, 0, sizeof parties);
    memset(others, 0, sizeof others);
    for (uint8_t at = 0; at < ROLES; at++) {
        memset(secrets[at], at + 1, 32);
        parties[at].address = others[at].address = (uint8_t)(at + 1);
        must(waywarden_group_public_key(suite, secrets[at], parties[at].key), "public key");
        must(waywarden_lasan_public_key(suite, secrets[at], others[at].key), "public key");
    }
    must(waywarden_group_options_init(&group, &parties[MEMBERS], parties, MEMBERS), "options");
    must(waywarden_lasan_options_init(&network, ROLES, others, ROLES), "options");
    group.suite = network.suite = suite;
    group.scheme = (uint8_t)below(3);
    /* Both on one bus: each has half of the identifiers. */
    group.identifier_mask = network.identifier_mask = 1u << 28;
    network.identifier_base = 1u << 28;
    memset(&permission, 0, sizeof permission);
    permission.stream = STREAM;
    permission.sender = 1;
    permission.receivers[0] = 1u << 2;
    permission.until = UINT64_MAX;
    network.permissions = &permission;
    network.permission_count = 1;
    for (uint8_t at = 0; at < 2 * ROLES; at++) {
        waywarden_role_start begin;
        memset(&begin, 0, sizeof begin);
        begin.address = (uint8_t)(at % ROLES + 1);
        begin.secret = secrets[at % ROLES];
        for (size_t byte = 0; byte < sizeof seed; byte++) {
            seed[byte] = (uint8_t)next();
        }
        begin.seed = seed;
        begin.retention.retain = retain;
        begin.retention.context = &later[at];
        must(at < MEMBERS             ? waywarden_group_member_init(&members[at], &group, &begin)
             : at == MEMBERS          ? waywarden_group_orchestrator_init(&orchestrator, &group, &begin)
             : at < ROLES + MEMBERS   ? waywarden_lasan_ecu_init(&ecus[at - ROLES], &network, &begin)
                                      : waywarden_lasan_module_init(&module, &network, &begin),
             "init");
    }
    memset(later, 0, sizeof later);
    must(waywarden_group_orchestrator_renew(&orchestrator, false), "renew");
    must(waywarden_lasan_module_start(&module), "start");
    must(waywarden_lasan_ecu_request(&ecus[0], STREAM), "request");
}

/* Arguments that no program should give. */
static void refusals(void)
{
    waywarden_group_member member;
    waywarden_group_options options;
    waywarden_group_party party;
    waywarden_role_start begin;
    uint8_t bytes[32] = {1}, key[64];
    uint64_t number;
    memset(&party, 0, sizeof party);
    memset(&begin, 0, sizeof begin);
    memset(&member, 0, sizeof member);
    party.address = 1;
    must(waywarden_group_options_init(&options, &party, &party, 1), "options");
    begin.address = 1;
    for (unsigned at = 0; at < 2000; at++) {
        begin.secret = below(4) ? bytes : NULL;
        begin.seed = below(4) ? bytes : NULL;
        begin.retention.retain = below(4) ? retain : NULL;
        begin.retention.context = &later[0];
        begin.retained_count = below(2) ? 0 : (size_t)below(40);
        options.members = below(4) ? &party : NULL;
        options.member_count = below(2) ? 1 : (size_t)below(40) * (options.members == NULL);
        options.suite = (uint8_t)below(4);
        options.scheme = (uint8_t)below(5);
        options.flags = (uint8_t)next();
        options.identifier_mask = (uint32_t)next() >> below(32);
        waywarden_status status = waywarden_group_member_init(&member, &options, &begin);
        if (status == WAYWARDEN_STATUS_OK) {
            abort(); /* the member is the orchestrator */
        }
        see(status);
        see(waywarden_group_public_key((uint8_t)below(4), begin.secret, below(4) ? key : NULL));
        see(waywarden_group_member_key(&member, &number, key));
        see(waywarden_derive_key(begin.seed, next(), next(), below(2) ? key : NULL));
    }
    see(waywarden_group_member_clear((waywarden_group_member *)(void *)&orchestrator));
}

int main(int count, char **words)
{
    unsigned long many = count > 1 ? strtoul(words[1], NULL, 10) : 100000;
    state = count > 2 ? strtoul(words[2], NULL, 10) : 1;
    printf("roles: seed %llu\n", (unsigned long long)state);
    uint64_t now = 0;
    unsigned keys = 0;
    start((uint8_t)below(2));
    while (given < many) {
        now += below(100) ? below(4000000) : below(400000000);
        turn(below(64) ? now : below(now + 1));
        waywarden_can_frame forged;
        for (unsigned at = 0; at < 2; at++) {
            forge(&forged);
            deliver(2 * ROLES, now, &forged);
        }
        if (below(200) == 0) {
            must(waywarden_group_orchestrator_renew(&orchestrator, below(2)), "renew");
        }
        if (below(500) == 0) {
            uint8_t who = (uint8_t)(1 + below(MEMBERS));
            must(waywarden_group_orchestrator_remove(&orchestrator, who), "remove");
            must(waywarden_group_orchestrator_readmit(&orchestrator, who), "readmit");
        }
        if (below(300) == 0) {
            must(waywarden_lasan_module_start(&module), "start");
        }
        if (below(50) == 0) {
            waywarden_can_frame clear;
            memset(&clear, 0, sizeof clear);
            clear.identifier = STREAM;
            clear.flags = WAYWARDEN_FD;
            clear.length = 4;
            memcpy(clear.data, "true", 4);
            see(waywarden_lasan_ecu_send(&ecus[below(MEMBERS)], &clear));
        }
        keys += agreed() == MEMBERS;
    }
    refusals();
    /* The bus is quiet: all is well again. */
    is_hostile = false;
    must(waywarden_group_orchestrator_renew(&orchestrator, false), "renew");
    for (unsigned at = 0; at < 20000; at++) {
        now += 1000000;
        turn(now);
    }
    bool is_authenticated = true;
    for (uint8_t at = 0; at < MEMBERS; at++) {
        bool is = false;
        must(waywarden_lasan_module_is_authenticated(&module, (uint8_t)(at + 1), &is), "authenticated");
        is_authenticated = is_authenticated && is;
    }
    unsigned last = agreed();
    printf("%lu frames, %u times all had the key, %lu failed retentions, in the end %u members with the "
           "key, %s\n",
           given, keys, answers[WAYWARDEN_STATUS_RETENTION], last,
           is_authenticated ? "all authenticated" : "not all authenticated");
    return last == MEMBERS && is_authenticated && (keys > 0 || many < 20000) && (answers[WAYWARDEN_STATUS_RETENTION] > 0 || many < 20000) ? 0 : 1;
}
