//! The verdict on a message or certificate.

use std::ffi::{CString, c_char};
use std::ptr;

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_v2x_receiver::Verdict as OwnedVerdict;

use crate::buffer::{Buffer, hand_over};
use crate::error::{Error, Failure, answer, c_text};
use crate::handle::{checked, free, object};

/// A verdict. Any number of threads may read it.
pub struct Verdict {
    verdict: OwnedVerdict,
    code: CString,
    reason: Option<CString>,
    signer: Option<CString>,
}

impl Verdict {
    /// Bytes that stand by themselves are judged in any case; only frames of captures may be other
    /// traffic.
    pub(crate) fn of(verdict: Option<OwnedVerdict>, place: &str) -> Result<Self, Failure> {
        let none = || Failure::argument(place, "no message");
        let verdict = verdict.ok_or_else(none)?;
        Ok(Self {
            code: c_text(verdict.verdict),
            reason: verdict.reason.as_deref().map(c_text),
            signer: verdict.signer.as_deref().map(c_text),
            verdict,
        })
    }
}

fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// Returns true if the message is accepted; false for null.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_accepted(verdict: *const Verdict) -> bool {
    // SAFETY: by the caller.
    unsafe { verdict.as_ref() }.is_some_and(|one| one.verdict.accepted)
}

/// Returns the standard's name for the result, such as `success` (IEEE 1609.2); null for null. It
/// lives as long as the verdict. A message whose payload contradicts its certificate has `success`
/// and is not accepted.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_code(verdict: *const Verdict) -> *const c_char {
    // SAFETY: by the caller.
    pointer(unsafe { verdict.as_ref() }.map(|one| &one.code))
}

/// Returns the reason in words; null if there is none. It lives as long as the verdict.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_reason(verdict: *const Verdict) -> *const c_char {
    // SAFETY: by the caller.
    pointer(unsafe { verdict.as_ref() }.and_then(|one| one.reason.as_ref()))
}

/// Returns the HashedId8 of the signer's certificate, in hexadecimal digits; null if there is none.
/// It lives as long as the verdict.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_signer(verdict: *const Verdict) -> *const c_char {
    // SAFETY: by the caller.
    pointer(unsafe { verdict.as_ref() }.and_then(|one| one.signer.as_ref()))
}

/// Writes the PSID (ITS-AID) of the application, and returns true; false if there is none.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_psid(verdict: *const Verdict, psid: *mut u64) -> bool {
    // SAFETY: by the caller.
    unsafe { number(verdict, psid, |one| one.psid) }
}

/// Writes the generation time in the header, in microseconds since 2004 (TAI), and returns true;
/// false if there is none.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_generation_time(
    verdict: *const Verdict,
    time: *mut u64,
) -> bool {
    // SAFETY: by the caller.
    unsafe { number(verdict, time, |one| one.generated.map(|time| time.0)) }
}

/// # Safety
/// See [the rules on pointers](crate).
unsafe fn number(
    verdict: *const Verdict,
    to: *mut u64,
    of: impl Fn(&OwnedVerdict) -> Option<u64>,
) -> bool {
    // SAFETY: by the caller.
    let value = unsafe { verdict.as_ref() }.and_then(|one| of(&one.verdict));
    match value {
        Some(value) if checked(to).is_ok() => {
            // SAFETY: not null, by the caller a number.
            unsafe { to.write(value) };
            true
        }
        _ => false,
    }
}

/// Returns the payload of an accepted message, which lives as long as the verdict; no bytes of a
/// refused one, whose payload may be anybody's: `waywarden_inspect` shows it.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_payload(verdict: *const Verdict) -> Bytes {
    // SAFETY: by the caller.
    let payload = unsafe { verdict.as_ref() }.and_then(|one| one.verdict.payload.as_deref());
    Bytes {
        data: payload.map_or(ptr::null(), <[u8]>::as_ptr),
        length: payload.map_or(0, <[u8]>::len),
    }
}

/// Writes the verdict in JSON on one line, as `waywarden verify --format jsonl` prints it.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_json(
    verdict: *const Verdict,
    json: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            let written = object(verdict)?.verdict.to_json();
            let written = written.map_err(|error| Failure::new(Status::Fault, "json", error))?;
            hand_over(json, written.into_bytes())
        })
    }
}

/// Frees a verdict; null is allowed.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verdict_free(verdict: *mut Verdict) {
    // SAFETY: by the caller.
    unsafe { free(verdict) }
}
