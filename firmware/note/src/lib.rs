//! The note of an image: the section `.note.waywarden`, which says what the image is without
//! running it. It is an ELF note by `Waywarden` of type 1; its description is words in ASCII.
//!
//! The section is not loaded, so that it takes no memory of the part. Linkers keep notes that
//! nothing refers to.
#![no_std]

/// Writes the note of an image: its words, with constants in the place of their names in braces.
#[macro_export]
macro_rules! note {
    ($words:expr $(, $name:ident = $value:expr)* $(,)?) => {
        ::core::arch::global_asm!(
            ".pushsection .note.waywarden, \"\", %note",
            ".balign 4",
            ".long 2f - 1f",
            ".long 4f - 3f",
            ".long 1",
            "1: .asciz \"Waywarden\"",
            "2: .balign 4",
            ::core::concat!("3: .ascii \"", $words, "\""),
            "4: .balign 4",
            ".popsection",
            $($name = const $value),*
        );
    };
}
