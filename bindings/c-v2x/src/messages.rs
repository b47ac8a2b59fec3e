//! Messages of ETSI ITS and SAE J2735, read into JSON and written from it.

use std::ffi::c_char;

use serde_json::{Value, json};
use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_v2x_messages::{Message, MessageError, decode, encode, parse_json};

use crate::buffer::{Buffer, hand_over};
use crate::error::{Error, Failure, answer};
use crate::handle::{MESSAGE_MAX, checked, copied, text};

fn not_done(argument: &str, error: &MessageError) -> Failure {
    let place = error.place().unwrap_or_else(|| argument.to_owned());
    let message = format!("{argument}: {error}");
    Failure::new(Status::Argument, error.code(), message).at(&place)
}

/// Takes a release; 0 is none.
fn asked(release: u8) -> Option<u8> {
    (release != 0).then_some(release)
}

/// Reads a message that stands alone, without IEEE 1609.2 and packet headers around it, and writes
/// it in JSON: an object of `kind`, `release` (not of SAE J2735), `standard` (not of a content that
/// the layout keeps as bytes), `remark` (what other releases make of the bytes, and faults that do
/// not keep them from being read; not where there is nothing to say) and `value`, the message
/// itself after ITU-T X.697. `kind` is one of `waywarden_message_kinds`, or null for the one that
/// the header names; `release` is that of ETSI ITS, or 0 for the one that can read the bytes.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT, also where several releases read the bytes in different
/// ways and `release` is 0. The place of such an error is one in the bytes, as `byte 7`.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_message_decode(
    message: Bytes,
    kind: *const c_char,
    release: u8,
    json: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(json)?;
            let kind = match kind.is_null() {
                true => None,
                false => Some(text("kind", kind)?),
            };
            let bytes = copied("message", message, MESSAGE_MAX)?;
            let decoded = decode(&bytes, kind, asked(release));
            let decoded = decoded.map_err(|error| not_done("message", &error))?;
            hand_over(json, decoded.to_json().to_string().into_bytes())
        })
    }
}

/// Writes a message from the JSON of its value, as `value` of `waywarden_message_decode` has it.
/// `kind` is one of `waywarden_message_kinds`; `release` is that of ETSI ITS, or 0 for the one that
/// has such a value.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a value that the message cannot have, also for one
/// with the number of another kind in its header; the place of the error is one in the value, as
/// `header.stationID`. An object with a key twice is refused, too.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_message_encode(
    kind: *const c_char,
    release: u8,
    json: Bytes,
    message: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(message)?;
            let kind = text("kind", kind)?;
            let json = copied("json", json, MESSAGE_MAX)?;
            let value = parse_json(&json).map_err(|why| Failure::argument("json", why))?;
            let written = encode(kind, asked(release), &value);
            let (_, bytes) = written.map_err(|error| not_done("json", &error))?;
            hand_over(message, bytes)
        })
    }
}

/// Writes the messages that have a layout in JSON: a list of objects of `kind`, `release` (null for
/// SAE J2735), `standard` and `port` (of BTP; null without one).
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_message_kinds(
    json: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            let all = Message::all().map(|message| {
                json!({
                    "kind": message.kind(),
                    "release": message.release(),
                    "standard": message.standard(),
                    "port": message.port(),
                })
            });
            hand_over(json, Value::Array(all.collect()).to_string().into_bytes())
        })
    }
}
