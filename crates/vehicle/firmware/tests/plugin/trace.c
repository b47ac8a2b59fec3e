/* A plug-in of QEMU's code generator: the way of an image through its code and its memory.
 *
 *     cc -O2 -shared -fPIC -DAPI=1 trace.c -o trace.so
 *     qemu-system-arm ... -plugin ./trace.so,mark=0x40000004,from=5,into=FILE[,records=FILE]
 *
 * It watches from the load of the address `mark` that is number `from`, counted from 1, until the
 * next. `into` gets one line: the number of instructions, that of loads and stores, that of
 * divisions, and a hash of all program counters and addresses in their order. `records` gets each
 * of them, in eight bytes: the address in four, and 0 for an instruction, 1 for a load, 2 for a
 * store.
 *
 * API is the version of the interface: 1 for QEMU 7.2, 4 for QEMU 10. No header of QEMU is needed:
 * what is used of it stands below [QEMU, docs/devel/tcg-plugins].
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0, READS_AND_WRITES = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*translated)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            void (*executed)(unsigned, void *), int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      void (*accessed)(unsigned, uint32_t, uint64_t, void *),
                                      int flags, int which, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t at);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
bool qemu_plugin_mem_is_store(uint32_t info);
#if API >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction, void *into, size_t length);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
#endif

EXPORT int qemu_plugin_version = API;

enum kind { INSTRUCTION = 0, LOAD = 1, STORE = 2 };

static uint64_t mark, from, marks;
static uint64_t instructions, accesses, divisions;
static uint64_t hash = UINT64_C(0xcbf29ce484222325);
static const char *into;
static FILE *records;
static bool watches;

static void fail(const char *why)
{
    fprintf(stderr, "trace: %s\n", why);
    exit(70);
}

static void take(uint32_t address, enum kind kind)
{
    const uint64_t word = (uint64_t)kind << 32 | address;
    /* One multiplication that keeps all of the word, and one turn: FNV over words of 64 bits. */
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash = hash << 29 | hash >> 35;
    if (records != NULL && fwrite(&word, sizeof word, 1, records) != 1) {
        fail("the records cannot be written");
    }
}

static void finish(void)
{
    FILE *file = fopen(into, "w");
    if (file == NULL ||
        fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", instructions, accesses,
                divisions, hash) < 0 ||
        fclose(file) != 0 || (records != NULL && fclose(records) != 0)) {
        fail("the result cannot be written");
    }
}

static void accessed(unsigned processor, uint32_t info, uint64_t address, void *data)
{
    (void)processor;
    (void)data;
    if (address == mark && !qemu_plugin_mem_is_store(info)) {
        marks++;
        if (watches) {
            watches = false;
            finish();
        } else {
            watches = marks == from;
        }
    } else if (watches) {
        accesses++;
        take((uint32_t)address, qemu_plugin_mem_is_store(info) ? STORE : LOAD);
    }
}

static void executed(unsigned processor, void *data)
{
    (void)processor;
    if (watches) {
        instructions++;
        take((uint32_t)(uintptr_t)data, INSTRUCTION);
    }
}

static void executed_division(unsigned processor, void *data)
{
    (void)processor;
    (void)data;
    divisions += watches;
}

/* SDIV, UDIV, VDIV and VSQRT: their time depends on their operands [Cortex-M4 TRM, 3.3]. */
static bool divides(struct qemu_plugin_insn *instruction)
{
    uint8_t bytes[4] = {0};
    if (qemu_plugin_insn_size(instruction) != sizeof bytes) {
        return false;
    }
#if API >= 3
    (void)qemu_plugin_insn_data(instruction, bytes, sizeof bytes);
#else
    memcpy(bytes, qemu_plugin_insn_data(instruction), sizeof bytes);
#endif
    const unsigned first = bytes[0] | bytes[1] << 8, second = bytes[2] | bytes[3] << 8;
    return ((first & 0xffd0) == 0xfb90 && (second & 0xf0f0) == 0xf0f0) ||
           ((first & 0xffb0) == 0xee80 && (second & 0x0e50) == 0x0a00) ||
           ((first & 0xffbf) == 0xeeb1 && (second & 0x0ed0) == 0x0ac0);
}

static void translated(plugin_id id, struct qemu_plugin_tb *block)
{
    const size_t count = qemu_plugin_tb_n_insns(block);
    (void)id;
    for (size_t at = 0; at < count; at++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, at);
        void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction);
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed, NO_REGISTERS, address);
        qemu_plugin_register_vcpu_mem_cb(instruction, accessed, NO_REGISTERS, READS_AND_WRITES, NULL);
        if (divides(instruction)) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed_division, NO_REGISTERS,
                                                   NULL);
        }
    }
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments)
{
    (void)info;
    for (int at = 0; at < count; at++) {
        const char *value = strchr(arguments[at], '=');
        if (value == NULL) {
            fail("an argument without a value");
        }
        value++;
        if (strncmp(arguments[at], "mark=", 5) == 0) {
            mark = strtoull(value, NULL, 0);
        } else if (strncmp(arguments[at], "from=", 5) == 0) {
            from = strtoull(value, NULL, 0);
        } else if (strncmp(arguments[at], "into=", 5) == 0) {
            into = strdup(value);
        } else if (strncmp(arguments[at], "records=", 8) == 0) {
            records = fopen(value, "wb");
            if (records == NULL) {
                fail("the records cannot be written");
            }
        } else {
            fail("an argument that it does not have");
        }
    }
    if (mark == 0 || from == 0 || into == NULL) {
        fail("it needs mark, from and into");
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
