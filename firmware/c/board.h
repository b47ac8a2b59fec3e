/* The emulated board of an image in C: QEMU's mps2-an386, a Cortex-M4F, as firmware/port has it in Rust.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/* Opens the pipe to the host, and starts counter and watchdog. */
void board_open(void);
/* Writes all of the bytes to the host. */
void board_write(const void *bytes, size_t length);
/* Reads at least one byte from the host, and waits for it. */
size_t board_read(void *into, size_t length);
/* Counts no instruction until board_resume, which returns the count, and feeds the watchdog. */
void board_pause(void);
uint64_t board_resume(void);
uint64_t board_instructions(void);
/* Bytes of the stack that were ever written. */
uint32_t board_stack(void);
_Noreturn void board_exit(int code);

#endif
