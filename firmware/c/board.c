/* See board.h: start, semihosting, the counter of instructions, the watchdog, the stack, faults. */
#include "board.h"

#include <stdbool.h>
#include <string.h>

#include "link.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
/* CMSDK APB timer and watchdog, 25 MHz: with 64 ns an instruction, 8 ticks are 5 instructions. */
#define TIMER_CONTROL REGISTER(0x40000000U)
#define TIMER_VALUE REGISTER(0x40000004U)
#define TIMER_RELOAD REGISTER(0x40000008U)
#define WATCHDOG_LOAD REGISTER(0x40008000U)
#define WATCHDOG_CONTROL REGISTER(0x40008008U)
#define WATCHDOG_LOCK REGISTER(0x40008C00U)
#define WATCHDOG_UNLOCKED 0x1ACCE551U
#define INSTRUCTIONS_MAX (UINT64_C(1) << 26)
#define WATCHDOG_TICKS ((uint32_t)(INSTRUCTIONS_MAX * 8 / 5))
#define COPROCESSORS REGISTER(0xE000ED88U)
#define PROTECTION_CONTROL REGISTER(0xE000ED94U)
#define PROTECTION_NUMBER REGISTER(0xE000ED98U)
#define PROTECTION_BASE REGISTER(0xE000ED9CU)
#define PROTECTION_ATTRIBUTES REGISTER(0xE000EDA0U)

#define PAINT 0xCCCCCCCCU

extern uint32_t _stack_start, _stack_end, _data_start, _data_end, _data_load, _bss_start, _bss_end;

_Noreturn void ecu_main(void);
void reset(void);

static uintptr_t input, output;
static bool is_open, is_counting;
static uint32_t last;
static uint64_t ticks, counted, resumed;

/* Operations of semihosting. */
enum { SYS_OPEN = 0x01, SYS_WRITE = 0x05, SYS_READ = 0x06, SYS_EXIT_EXTENDED = 0x20 };

static uintptr_t call(uintptr_t operation, const uintptr_t *arguments)
{
    register uintptr_t r0 __asm__("r0") = operation;
    register const uintptr_t *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

_Noreturn void board_exit(int code)
{
    const uintptr_t arguments[] = {0x20026U, (uintptr_t)code};
    (void)call(SYS_EXIT_EXTENDED, arguments);
    for (;;) {
    }
}

static uintptr_t open_file(const char *name, uintptr_t mode)
{
    const uintptr_t arguments[] = {(uintptr_t)name, mode, strlen(name)};
    const uintptr_t file = call(SYS_OPEN, arguments);
    if (file == UINTPTR_MAX) {
        board_exit(2);
    }
    return file;
}

void board_write(const void *bytes, size_t length)
{
    const uint8_t *from = bytes;
    while (length > 0) {
        const uintptr_t arguments[] = {output, (uintptr_t)from, length};
        const uintptr_t left = call(SYS_WRITE, arguments);
        if (!is_open || left >= length) {
            board_exit(2);
        }
        from += length - left;
        length = left;
    }
}

size_t board_read(void *into, size_t length)
{
    const uintptr_t arguments[] = {input, (uintptr_t)into, length};
    const uintptr_t left = call(SYS_READ, arguments);
    if (left >= length) {
        board_exit(2);
    }
    return length - left;
}

static uint64_t executed(void)
{
    const uint32_t value = TIMER_VALUE;
    ticks += last - value;
    last = value;
    return ticks * 5 / 8;
}

void board_pause(void)
{
    if (is_counting) {
        is_counting = false;
        counted += executed() - resumed;
    }
}

uint64_t board_resume(void)
{
    WATCHDOG_LOAD = WATCHDOG_TICKS;
    is_counting = true;
    resumed = executed();
    return counted;
}

uint64_t board_instructions(void)
{
    return is_counting ? counted + (executed() - resumed) : counted;
}

void board_open(void)
{
    input = open_file("/dev/stdin", 1);
    output = open_file("/dev/stdout", 5);
    is_open = true;
    /* A stack that leaves the RAM faults: no access to the 256 MB below. */
    PROTECTION_NUMBER = 0;
    PROTECTION_BASE = 0x10000000U;
    PROTECTION_ATTRIBUTES = 1U << 28 | (28U - 1U) << 1 | 1U;
    PROTECTION_CONTROL = 5U;
    WATCHDOG_LOCK = WATCHDOG_UNLOCKED;
    WATCHDOG_LOAD = WATCHDOG_TICKS;
    WATCHDOG_CONTROL = 1;
    TIMER_RELOAD = UINT32_MAX;
    TIMER_VALUE = UINT32_MAX;
    TIMER_CONTROL = 1;
    last = UINT32_MAX;
    (void)board_resume();
}

uint32_t board_stack(void)
{
    const volatile uint32_t *word = &_stack_end;
    while (word < &_stack_start && *word == PAINT) {
        word++;
    }
    return (uint32_t)((uintptr_t)&_stack_start - (uintptr_t)word);
}

/* Writes eight digits of an address into a text. */
static void hexadecimal(char *into, uint32_t value)
{
    for (int at = 7; at >= 0; at--, value >>= 4) {
        into[at] = "0123456789abcdef"[value & 15];
    }
}

__attribute__((used)) _Noreturn static void faulted(uint32_t pc, uint32_t lr)
{
    char text[] = "HardFault at pc=0x########, lr=0x########";
    hexadecimal(&text[18], pc);
    hexadecimal(&text[33], lr);
    link_failed(text);
}

__attribute__((used)) _Noreturn static void overflowed(void)
{
    link_failed("HardFault: the stack is used up");
}

__attribute__((used)) _Noreturn static void expired(uint32_t pc)
{
    char text[] = "no request for 67108864 instructions, at pc=0x########";
    hexadecimal(&text[sizeof text - 9], pc);
    link_failed(text);
}

/* Takes the whole stack for itself, as there may be none left. A frame below the stack was never
 * written. */
__attribute__((naked)) static void hard_fault(void)
{
    __asm__ volatile("mrs r2, msp\n"
                     "ldr r3, =_stack_start\n"
                     "msr msp, r3\n"
                     "ldr r3, =_stack_end\n"
                     "cmp r2, r3\n"
                     "blo 1f\n"
                     "ldr r0, [r2, #24]\n"
                     "ldr r1, [r2, #20]\n"
                     "b faulted\n"
                     "1: b overflowed\n"
                     ".ltorg");
}

__attribute__((naked)) static void watchdog(void)
{
    __asm__ volatile("mrs r1, msp\n"
                     "ldr r0, [r1, #24]\n"
                     "b expired");
}

/* Values in RAM; the floating point unit, whose registers the compiler uses; the main loop. */
__attribute__((used)) _Noreturn static void begin(void)
{
    memcpy(&_data_start, &_data_load, (uintptr_t)&_data_end - (uintptr_t)&_data_start);
    memset(&_bss_start, 0, (uintptr_t)&_bss_end - (uintptr_t)&_bss_start);
    COPROCESSORS |= 0xFU << 20;
    __asm__ volatile("dsb\nisb");
    ecu_main();
}

/* Paints the stack before anything is on it. */
__attribute__((naked)) void reset(void)
{
    __asm__ volatile("ldr r0, =_stack_end\n"
                     "ldr r1, =_stack_start\n"
                     "ldr r2, =0xCCCCCCCC\n"
                     "1: cmp r0, r1\n"
                     "itt lo\n"
                     "strlo r2, [r0], #4\n"
                     "blo 1b\n"
                     "b begin\n"
                     ".ltorg");
}

typedef void (*vector)(void);

/* No interrupt is enabled. Each fault is a hard one. */
__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    (vector)&_stack_start, reset, watchdog, hard_fault, hard_fault, hard_fault, hard_fault,
};
