//! Errors with file, place and remedy.

use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use waywarden_c::status::Status;

/// An error: a sentence, a stable name of the cause, the place in the input.
pub struct Error {
    message: CString,
    code: CString,
    place: Option<CString>,
}

/// An error on its way to the caller.
#[derive(Debug)]
pub(crate) struct Failure {
    status: Status,
    message: String,
    code: &'static str,
    place: Option<String>,
}

impl Failure {
    pub(crate) fn new(status: Status, code: &'static str, message: impl Display) -> Self {
        Failure {
            status,
            message: message.to_string(),
            code,
            place: None,
        }
    }

    /// Returns the failure of an argument that cannot be used.
    pub(crate) fn argument(place: &str, why: impl Display) -> Self {
        Failure {
            place: Some(place.to_owned()),
            ..Self::new(Status::Argument, "argument", format_args!("{place}: {why}"))
        }
    }

    /// Adds the place in the input.
    pub(crate) fn at(mut self, place: &str) -> Self {
        self.place = Some(place.to_owned());
        self
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let code = match status {
            Status::NullPointer => "null-pointer",
            _ => "argument",
        };
        Failure::new(status, code, status.sentence())
    }
}

/// Returns text that ends with a zero byte; zero bytes in it are left out.
pub(crate) fn c_text(text: &str) -> CString {
    let bytes = text.bytes().filter(|byte| *byte != 0).collect::<Vec<u8>>();
    // There is none in it.
    CString::new(bytes).unwrap_or_default()
}

impl From<&Failure> for Error {
    fn from(failure: &Failure) -> Self {
        Error {
            message: c_text(&failure.message),
            code: c_text(failure.code),
            place: failure.place.as_deref().map(c_text),
        }
    }
}

/// Does the work of a function. Where it fails and `error` is not null, makes an error there; where
/// it succeeds, a null pointer. A panic ends here.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn answer(
    error: *mut *mut Error,
    work: impl FnOnce() -> Result<(), Failure>,
) -> Status {
    let done = catch_unwind(AssertUnwindSafe(work));
    let done = done.unwrap_or_else(|_| Err(Failure::from(Status::Fault)));
    let (status, made) = match &done {
        Ok(()) => (Status::Ok, ptr::null_mut()),
        Err(failure) if error.is_null() => (failure.status, ptr::null_mut()),
        Err(failure) => (
            failure.status,
            Box::into_raw(Box::new(Error::from(failure))),
        ),
    };
    if !error.is_null() {
        // SAFETY: by the caller a place for a pointer.
        unsafe { error.write(made) };
    }
    status
}

/// Returns the sentence of an error, with file, place and remedy, in UTF-8; an empty text for null.
/// It lives as long as the error.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_error_message(error: *const Error) -> *const c_char {
    // SAFETY: by the caller.
    let error = unsafe { error.as_ref() };
    error.map_or(c"".as_ptr(), |error| error.message.as_ptr())
}

/// Returns the stable name of the cause, for programs, such as `argument` or `trust`; an empty text
/// for null. It lives as long as the error.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_error_code(error: *const Error) -> *const c_char {
    // SAFETY: by the caller.
    let error = unsafe { error.as_ref() };
    error.map_or(c"".as_ptr(), |error| error.code.as_ptr())
}

/// Returns the place in the input, a file or an argument; null if there is none. It lives as long
/// as the error.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_error_place(error: *const Error) -> *const c_char {
    // SAFETY: by the caller.
    let place = unsafe { error.as_ref() }.and_then(|error| error.place.as_ref());
    place.map_or(ptr::null(), |place| place.as_ptr())
}

/// Frees an error; null is allowed.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_error_free(error: *mut Error) {
    if !error.is_null() {
        // SAFETY: made by `answer`, and not freed before, by the caller.
        drop(unsafe { Box::from_raw(error) });
    }
}
