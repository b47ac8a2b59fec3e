/*
 * The time that a unit takes for a frame, called from C: speed LIBRARY RESOURCES TOKEN NODES FRAMES
 *
 * All nodes of one bus always have a frame to send: each hands the next one in as soon as the bus
 * confirms the last. The importer goes from tick to tick of the clocks, as a unit asks for.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NODES_MAX 64
#define PICOSECONDS 1e12
#define CONFIRM 0x20
#define CHANGED 2

typedef void *instance;

static instance (*instantiate)(const char *, const char *, const char *, uint8_t, uint8_t, uint8_t,
                               uint8_t, const uint32_t *, size_t, void *, void *, void *);
static int (*enter_initialization)(instance, uint8_t, double, double, uint8_t, double);
static int (*exit_initialization)(instance);
static int (*enter_event)(instance);
static int (*enter_step)(instance);
static int (*do_step)(instance, double, double, uint8_t, uint8_t *, uint8_t *, uint8_t *, double *);
static int (*set_clock)(instance, const uint32_t *, size_t, const uint8_t *);
static int (*set_binary)(instance, const uint32_t *, size_t, const size_t *, const uint8_t **, size_t);
static int (*get_binary)(instance, const uint32_t *, size_t, size_t *, const uint8_t **, size_t);
static int (*update)(instance, uint8_t *, uint8_t *, uint8_t *, uint8_t *, uint8_t *, double *);
static int (*get_interval)(instance, const uint32_t *, size_t, uint64_t *, uint64_t *, int *);
static void (*free_instance)(instance);

static void say(void *environment, int status, const char *category, const char *message)
{
    (void)environment, (void)status;
    fprintf(stderr, "speed: %s: %s\n", category, message);
}

static void ok(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "speed: %s answers %d\n", what, status);
        exit(1);
    }
}

static void find(void *library, void *pointer, const char *name)
{
    void *address = dlsym(library, name);
    if (!address) {
        fprintf(stderr, "speed: no %s\n", name);
        exit(1);
    }
    memcpy(pointer, &address, sizeof address);
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "speed: %s\n", dlerror());
        exit(1);
    }
    find(library, &instantiate, "fmi3InstantiateCoSimulation");
    find(library, &enter_initialization, "fmi3EnterInitializationMode");
    find(library, &exit_initialization, "fmi3ExitInitializationMode");
    find(library, &enter_event, "fmi3EnterEventMode");
    find(library, &enter_step, "fmi3EnterStepMode");
    find(library, &do_step, "fmi3DoStep");
    find(library, &set_clock, "fmi3SetClock");
    find(library, &set_binary, "fmi3SetBinary");
    find(library, &get_binary, "fmi3GetBinary");
    find(library, &update, "fmi3UpdateDiscreteStates");
    find(library, &get_interval, "fmi3GetIntervalFraction");
    find(library, &free_instance, "fmi3FreeInstance");
}

static const uint8_t ACTIVE = 1;
static instance unit;
static size_t nodes;
static uint64_t now, ticks[NODES_MAX], handed_in[NODES_MAX];

/* Value references of a terminal's variables; bindings/fmi states them in its tests. */
static uint32_t rx_data(size_t node) { return (uint32_t)(1000000 + 10 * node); }
static uint32_t rx_clock(size_t node) { return rx_data(node) + 1; }
static uint32_t tx_data(size_t node) { return rx_data(node) + 2; }
static uint32_t tx_clock(size_t node) { return rx_data(node) + 3; }

/* Hands a frame of eight bytes in, under an identifier of the node's own. */
static void hand_in(size_t node)
{
    uint8_t operation[24] = {0x10, 0, 0, 0, 24};
    const uint8_t *bytes = operation;
    const uint32_t clock = rx_clock(node), data = rx_data(node);
    const size_t size = sizeof operation;
    const uint64_t number = handed_in[node]++ * 0x9E3779B97F4A7C15u;

    operation[8] = (uint8_t)(0x10 + node);
    operation[9] = 1;
    operation[14] = 8;
    memcpy(operation + 16, &number, 8);
    ok(set_clock(unit, &clock, 1, &ACTIVE), "fmi3SetClock");
    ok(set_binary(unit, &data, 1, &size, &bytes, 1), "fmi3SetBinary");
}

/* Fetches a node's operations; returns the number of frames that it has sent. */
static uint64_t fetch(size_t node)
{
    const uint32_t clock = tx_clock(node), data = tx_data(node);
    const uint8_t *bytes;
    size_t size, at;
    uint32_t head[2];
    uint64_t sent = 0;

    ok(set_clock(unit, &clock, 1, &ACTIVE), "fmi3SetClock");
    ok(get_binary(unit, &data, 1, &size, &bytes, 1), "fmi3GetBinary");
    for (at = 0; at + sizeof head <= size; at += head[1]) {
        memcpy(head, bytes + at, sizeof head);
        if (head[0] == CONFIRM) {
            hand_in(node);
            sent++;
        }
    }
    return sent;
}

/* Ends an event: clocks tick until none is due now. Returns the number of frames that were sent. */
static uint64_t end_event(void)
{
    static uint32_t clocks[NODES_MAX];
    static uint64_t counters[NODES_MAX], resolutions[NODES_MAX];
    static int qualifiers[NODES_MAX];
    uint8_t flags[5];
    double time;
    uint64_t sent = 0;
    size_t node;
    int is_due;

    do {
        is_due = 0;
        for (node = 0; node < nodes; node++) {
            clocks[node] = tx_clock(node);
            if (ticks[node] == now) {
                ticks[node] = UINT64_MAX;
                sent += fetch(node);
            }
        }
        ok(update(unit, flags, flags + 1, flags + 2, flags + 3, flags + 4, &time), "fmi3UpdateDiscreteStates");
        ok(get_interval(unit, clocks, nodes, counters, resolutions, qualifiers), "fmi3GetIntervalFraction");
        for (node = 0; node < nodes; node++) {
            if (qualifiers[node] == CHANGED) {
                ticks[node] = now + counters[node];
            }
            is_due = is_due || ticks[node] == now;
        }
    } while (is_due);
    ok(enter_step(unit), "fmi3EnterStepMode");
    return sent;
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **words)
{
    uint64_t frames, sent = 0, steps = 0, next;
    uint8_t event, stop, early;
    double reached, began;
    size_t node;

    if (count != 6) {
        fprintf(stderr, "usage: speed LIBRARY RESOURCES TOKEN NODES FRAMES\n");
        return 2;
    }
    load(words[1]);
    nodes = strtoul(words[4], NULL, 10);
    frames = strtoull(words[5], NULL, 10);
    if (nodes < 2 || nodes > NODES_MAX) {
        fprintf(stderr, "speed: 2 to %d nodes\n", NODES_MAX);
        return 2;
    }
    unit = instantiate("bus", words[3], words[2], 0, 1, 1, 0, NULL, 0, NULL, (void *)(uintptr_t)say, NULL);
    if (!unit) {
        return 1;
    }
    ok(enter_initialization(unit, 0, 0, 0, 0, 0), "fmi3EnterInitializationMode");
    ok(exit_initialization(unit), "fmi3ExitInitializationMode");
    for (node = 0; node < nodes; node++) {
        ticks[node] = UINT64_MAX;
        hand_in(node);
    }
    end_event();
    began = seconds();
    while (sent < frames) {
        next = UINT64_MAX;
        for (node = 0; node < nodes; node++) {
            next = ticks[node] < next ? ticks[node] : next;
        }
        ok(do_step(unit, (double)now / PICOSECONDS, (double)(next - now) / PICOSECONDS, 1, &event,
                   &stop, &early, &reached),
           "fmi3DoStep");
        now = next;
        steps++;
        ok(enter_event(unit), "fmi3EnterEventMode");
        sent += end_event();
    }
    printf("%lu nodes: %.2f us a frame, %.1f steps a frame\n", (unsigned long)nodes,
           1e6 * (seconds() - began) / (double)sent, (double)steps / (double)sent);
    free_instance(unit);
    return 0;
}
