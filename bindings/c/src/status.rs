//! Answers of all functions.

use core::ffi::c_char;

use waywarden_can_auth::error::ProtectError;
use waywarden_can_auth::key_store::KeyStoreError;

/// The answer of a function. Only `WAYWARDEN_STATUS_OK` is a success; after any other nothing
/// changed unless the function says so.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is done.
    Ok = 0,
    /// A pointer is null that may not be.
    NullPointer = 1,
    /// The object was not initialised, was cleared, or is one of another type.
    NotInitialised = 2,
    /// The object is in use: by another thread, or by the call that called back.
    Busy = 3,
    /// The memory of an object is not aligned to 8 bytes.
    Alignment = 4,
    /// A number, or a bit of flags, is out of its range.
    Argument = 5,
    /// An identifier has more than 11 bits, with WAYWARDEN_EXTENDED more than 29.
    Identifier = 6,
    /// The stream has no payloads of this length.
    Length = 7,
    /// The parameters of a profile contradict each other.
    Profile = 8,
    /// Payload, freshness and code do not fit the frame.
    Stream = 9,
    /// No announcement of the freshness master was heard yet.
    Unsynchronised = 10,
    /// The counter goes on once what was asked for is retained.
    Unretained = 11,
    /// The counter is at its end: another key, or the next announcement.
    Exhausted = 12,
    /// The call-back that retains reported a failure.
    Retention = 13,
    /// The key may not be used for that, or the call-back of the code reported a failure.
    Key = 14,
    /// The frame is none: a length or flags that no frame has.
    Frame = 15,
    /// The signature is not that of the key over the digest.
    Signature = 16,
    /// A public key, or a point of a signature or certificate, is no point of the curve.
    Point = 17,
    /// The memory for a result is too small.
    Space = 18,
    /// A fault in the library: please report it. The object must not be used again.
    Fault = 19,
    /// A file, a folder, trust or a list cannot be used: the error says why.
    Input = 20,
    /// A message is not signed or not decrypted: the error says why.
    Refused = 21,
    /// There is no key yet, or no longer.
    NoKey = 22,
}

impl Status {
    /// Returns one sentence about it: text that ends with a zero byte.
    const fn text(self) -> &'static core::ffi::CStr {
        match self {
            Self::Ok => c"success",
            Self::NullPointer => c"a pointer is null",
            Self::NotInitialised => c"the object is not initialised, or is one of another type",
            Self::Busy => c"the object is in use: by another thread or by the calling call-back",
            Self::Alignment => c"the memory of an object is not aligned to 8 bytes",
            Self::Argument => c"a number or a flag is out of range",
            Self::Identifier => {
                c"the identifier has more than 11 bits, or with WAYWARDEN_EXTENDED more than 29"
            }
            Self::Length => c"the stream has no payloads of this length",
            Self::Profile => c"the parameters of the profile contradict each other",
            Self::Stream => {
                c"payload, freshness and code do not fit: a shorter payload, or WAYWARDEN_FD"
            }
            Self::Unsynchronised => c"no announcement of the freshness master was heard yet",
            Self::Unretained => c"the counter is not retained yet",
            Self::Exhausted => c"the counter is at its end: use another key",
            Self::Retention => c"the call-back that retains reported a failure",
            Self::Key => c"the key or its call-back refused",
            Self::Frame => c"no CAN frame has this length or these flags",
            Self::Signature => c"the signature is not that of the key over the digest",
            Self::Point => c"a point is not on the curve, or not in a form that is known",
            Self::Space => c"the memory for the result is too small",
            Self::Fault => c"a fault in the library; do not use the object again",
            Self::Input => c"a file, a folder, trust or a list cannot be used",
            Self::Refused => c"the message is not signed or not decrypted",
            Self::NoKey => c"there is no key yet, or no longer",
        }
    }

    /// Returns the same sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        self.text().to_str().unwrap_or_default()
    }

    /// Returns the answer of this number.
    fn of(number: i32) -> Option<Self> {
        ALL.into_iter().find(|status| *status as i32 == number)
    }
}

/// Every answer.
const ALL: [Status; 23] = [
    Status::Ok,
    Status::NullPointer,
    Status::NotInitialised,
    Status::Busy,
    Status::Alignment,
    Status::Argument,
    Status::Identifier,
    Status::Length,
    Status::Profile,
    Status::Stream,
    Status::Unsynchronised,
    Status::Unretained,
    Status::Exhausted,
    Status::Retention,
    Status::Key,
    Status::Frame,
    Status::Signature,
    Status::Point,
    Status::Space,
    Status::Fault,
    Status::Input,
    Status::Refused,
    Status::NoKey,
];

impl From<KeyStoreError> for Status {
    fn from(_: KeyStoreError) -> Self {
        Status::Key
    }
}

impl From<ProtectError> for Status {
    fn from(error: ProtectError) -> Self {
        match error {
            ProtectError::Length(_) => Status::Length,
            ProtectError::Unsynchronised => Status::Unsynchronised,
            ProtectError::Unretained => Status::Unretained,
            ProtectError::Exhausted => Status::Exhausted,
            _ => Status::Key,
        }
    }
}

/// Returns one sentence about an answer, in English, that ends with a zero byte and is never freed;
/// of a number that is no answer, a sentence that says so.
#[unsafe(no_mangle)]
pub extern "C" fn waywarden_status_text(status: i32) -> *const c_char {
    let text = Status::of(status).map_or(c"no answer of this library", Status::text);
    text.as_ptr()
}

/// Version of the library: major * 65536 + minor * 256 + patch. Objects of one major version (of
/// one minor version while it is 0) keep their size.
#[unsafe(no_mangle)]
pub extern "C" fn waywarden_version() -> u32 {
    const {
        number(env!("CARGO_PKG_VERSION_MAJOR")) << 16
            | number(env!("CARGO_PKG_VERSION_MINOR")) << 8
            | number(env!("CARGO_PKG_VERSION_PATCH"))
    }
}

/// Reads decimal digits.
const fn number(text: &str) -> u32 {
    let (mut value, mut at) = (0, 0);
    while at < text.len() {
        value = value * 10 + (text.as_bytes()[at] - b'0') as u32;
        at += 1;
    }
    value
}

/// Does the work of a function, and makes an answer of what came of it. A panic ends here.
pub(crate) fn answer(work: impl FnOnce() -> Result<(), Status>) -> Status {
    #[cfg(feature = "std")]
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    #[cfg(not(feature = "std"))]
    let done = Ok::<_, core::convert::Infallible>(work());
    match done {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::Fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_has_its_number_and_a_sentence_of_its_own() {
        for (at, status) in (0..).zip(ALL) {
            assert_eq!(status as i32, at);
            assert_eq!(Status::of(at), Some(status));
            let same = ALL.iter().filter(|other| other.text() == status.text());
            assert_eq!(same.count(), 1, "{status:?}");
        }
        assert_eq!(Status::of(-1), None);
        assert_eq!(waywarden_version(), 0x0000_0100);
    }
}
