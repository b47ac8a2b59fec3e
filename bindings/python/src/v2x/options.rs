//! Options of a verifier.

use waywarden_v2x_security::MessageSource;
use waywarden_v2x_security::profile::AcceptedNonceForm;

use super::refusal::wrong;
use crate::error::Failure;

/// Most certificates or messages that may be remembered.
pub(super) const COUNT_MAX: usize = 1 << 26;
/// Most threads.
pub(super) const THREADS_MAX: usize = 1_024;
/// Most bytes of tables.
pub(super) const TABLES_MAX: usize = 1 << 36;

/// Takes a number from 1 to a bound.
pub(super) fn count(value: i64, most: usize, name: &str) -> Result<usize, Failure> {
    let count = usize::try_from(value).ok();
    count
        .filter(|count| (1..=most).contains(count))
        .ok_or_else(|| wrong(name, format_args!("{value}; give 1 to {most}")))
}

pub(super) fn nonce_form(name: &str) -> Result<AcceptedNonceForm, Failure> {
    match name {
        "any" => Ok(AcceptedNonceForm::Any),
        "point" => Ok(AcceptedNonceForm::Point),
        "x-only" => Ok(AcceptedNonceForm::XOnly),
        _ => Err(wrong(
            "nonce_form",
            format_args!("{name:?}; give any, point or x-only"),
        )),
    }
}

pub(super) fn source_of(name: &str) -> Result<MessageSource, Failure> {
    match name {
        "file" => Ok(MessageSource::File),
        "radio" => Ok(MessageSource::Radio),
        _ => Err(wrong(
            "source",
            format_args!("{name:?}; give file or radio"),
        )),
    }
}
