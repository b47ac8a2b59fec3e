//! Code that the proof writes around a crate: a static library, an allocator, a program in C.

/// The static library that contains a crate.
pub(super) const LIBRARY: &str = "\
#![no_std]
use subject as _;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
";

/// The addition for a crate with an allocator.
pub(super) const ALLOCATOR: &str = "
extern crate alloc;

unsafe extern \"C\" {
    fn aligned_alloc(align: usize, size: usize) -> *mut u8;
    fn free(pointer: *mut u8);
}

struct Heap;

unsafe impl core::alloc::GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: core::alloc::Layout) -> *mut u8 {
        let size = layout.pad_to_align().size();
        unsafe { aligned_alloc(layout.align().max(8), size.next_multiple_of(8)) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, _: core::alloc::Layout) {
        unsafe { free(pointer) }
    }
}

#[global_allocator]
static HEAP: Heap = Heap;
";

/// A C program around it. The precompiled `core` of a desktop target names two pieces of unwinding
/// that code built to abort never calls.
pub(super) const PROGRAM: &str = "\
void rust_eh_personality(void) {}
#pragma weak _Unwind_Resume
void _Unwind_Resume(void) {}
int main(void) { return 0; }
";
