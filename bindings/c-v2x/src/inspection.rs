//! Contents of messages, field by field.

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_inspect::{Inspection, Issuer};

use crate::buffer::{Buffer, hand_over};
use crate::error::{Error, Failure, answer};
use crate::handle::{MESSAGE_MAX, checked, copied};

/// Writes what is in a message, a certificate or a list in JSON, as a row of
/// `waywarden inspect --format json`. Nothing is verified. `issuer` is the certificate of an
/// implicit certificate's issuer, whose public key is then rebuilt; no bytes if there is none.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for an issuer that is not that of the certificate. A
/// message that cannot be read to its end is no error: `error` in the JSON says why.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_inspect(
    message: Bytes,
    issuer: Bytes,
    json: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(json)?;
            let wrong = |why| Failure::argument("issuer", why);
            let issuer = match copied("issuer", issuer, MESSAGE_MAX)? {
                none if none.is_empty() => None,
                bytes => Some(Issuer::of_certificate(&bytes).map_err(wrong)?),
            };
            let bytes = copied("message", message, MESSAGE_MAX)?;
            let record = InputRecord::of("message".to_owned(), bytes);
            let inspected = Inspection::new(&record, issuer.as_ref(), &[]).map_err(wrong)?;
            let inspected = inspected.ok_or_else(|| Failure::argument("message", "no message"))?;
            let written = serde_json::to_vec(&inspected);
            let written = written.map_err(|error| Failure::new(Status::Fault, "json", error))?;
            hand_over(json, written)
        })
    }
}
