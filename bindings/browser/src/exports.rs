//! The functions of the module: texts in, answers out, each in memory of the module.

use std::{iter, ptr};

use crate::answer::Answer;
use crate::{host, messages, vehicle};

/// Reserves memory for a text; null if there is none. It is freed by `waywarden_free`.
#[unsafe(no_mangle)]
pub extern "C" fn waywarden_allocate(length: usize) -> *mut u8 {
    host::tell_panics();
    let mut bytes = Vec::<u8>::new();
    match bytes.try_reserve_exact(length.max(1)) {
        Ok(()) => {
            bytes.extend(iter::repeat_n(0, length.max(1)));
            Box::into_raw(bytes.into_boxed_slice()).cast()
        }
        Err(_) => ptr::null_mut(),
    }
}

/// Frees memory of `waywarden_allocate`, of the same length.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_free(text: *mut u8, length: usize) {
    if !text.is_null() {
        let bytes = ptr::slice_from_raw_parts_mut(text, length.max(1));
        // SAFETY: by the caller; it was made of a boxed slice of this length.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

/// Checks a vehicle file, as [`vehicle::check`] does.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_check(
    file: *const u8,
    file_length: usize,
    options: *const u8,
    options_length: usize,
) -> *mut Answer {
    // SAFETY: by the caller.
    let (file, options) = unsafe { (text(file, file_length), text(options, options_length)) };
    give(vehicle::check(&file, &options))
}

/// Runs a vehicle file, as [`vehicle::run`] does; the page's `progress` is told how far it is.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_run(
    file: *const u8,
    file_length: usize,
    options: *const u8,
    options_length: usize,
) -> *mut Answer {
    // SAFETY: by the caller.
    let (file, options) = unsafe { (text(file, file_length), text(options, options_length)) };
    give(vehicle::run(&file, &options, &mut host::progress))
}

/// Makes the JSON Schema of vehicle files.
#[unsafe(no_mangle)]
pub extern "C" fn waywarden_schema() -> *mut Answer {
    give(vehicle::schema())
}

/// Shows the fields of pasted messages and certificates, as [`messages::inspect`] does.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_inspect(pasted: *const u8, length: usize) -> *mut Answer {
    // SAFETY: by the caller.
    let pasted = unsafe { text(pasted, length) };
    give(messages::inspect(&pasted))
}

/// Verifies pasted messages and certificates, as [`messages::verify`] does.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verify(
    pasted: *const u8,
    pasted_length: usize,
    trusted: *const u8,
    trusted_length: usize,
    options: *const u8,
    options_length: usize,
) -> *mut Answer {
    // SAFETY: by the caller.
    let (pasted, trusted, options) = unsafe {
        (
            text(pasted, pasted_length),
            text(trusted, trusted_length),
            text(options, options_length),
        )
    };
    give(messages::verify(&pasted, &trusted, &options))
}

/// Returns 1 if an answer has what was asked for, 0 if it has faults.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_answer_is_given(answer: *const Answer) -> u32 {
    // SAFETY: by the caller.
    unsafe { answer.as_ref() }.map_or(0, |answer| u32::from(answer.is_given))
}

/// Returns where a part of an answer is; null if it has no such part.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_answer_part(answer: *const Answer, at: usize) -> *const u8 {
    // SAFETY: by the caller.
    unsafe { part(answer, at) }.map_or(ptr::null(), <[u8]>::as_ptr)
}

/// Returns the length of a part of an answer, in bytes.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_answer_length(answer: *const Answer, at: usize) -> usize {
    // SAFETY: by the caller.
    unsafe { part(answer, at) }.map_or(0, <[u8]>::len)
}

/// Frees an answer.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_answer_free(answer: *mut Answer) {
    if !answer.is_null() {
        // SAFETY: by the caller; `give` made it of a box.
        drop(unsafe { Box::from_raw(answer) });
    }
}

fn give(answer: Answer) -> *mut Answer {
    Box::into_raw(Box::new(answer))
}

/// # Safety
/// See [the rules on pointers](crate).
unsafe fn part<'a>(answer: *const Answer, at: usize) -> Option<&'a [u8]> {
    // SAFETY: by the caller.
    let answer = unsafe { answer.as_ref() }?;
    answer.parts.get(at).map(Vec::as_slice)
}

/// Copies a text; a page's texts are UTF-8, and other bytes become marks that a parser refuses.
///
/// # Safety
/// See [the rules on pointers](crate).
unsafe fn text(text: *const u8, length: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(text, length) };
    String::from_utf8_lossy(bytes).into_owned()
}
