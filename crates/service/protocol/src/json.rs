//! The JSON form: one object a line, for scripts.
//!
//! Octets are hexadecimal digits, applications numbers, results and reports the names of their
//! standards, durations microseconds. A time is an object: `utc` as in ISO 8601, for readers, and
//! `tai`, the microseconds of TAI since 2004 that messages have, for programs. A field that the
//! operation does not know is refused.

mod request;
mod response;
mod value;
mod verdict;

use serde::{Deserialize, Serialize};

pub use verdict::{JsonVerdict, JsonVerdictEvent};

use super::bounds::too_long;
use super::{FRAME_BYTES_MAX, RefusedRequest, Request, Response, Status, Unreadable};

/// Decodes a request from a line.
///
/// # Errors
/// [`Unreadable`], which says what to answer.
pub fn decode_request(line: &[u8]) -> Result<Request, Unreadable> {
    let decoded = check_length(line).and_then(|()| request::read(line));
    decoded
        .and_then(|request| request.check().map(|()| request))
        .map_err(|refused| Unreadable {
            id: id_of(line),
            refused,
        })
}

/// Encodes a request as a line with its end.
///
/// # Errors
/// Those of [`Request::check`], and [`Status::TooLong`]: a line does not hold it.
pub fn encode_request(request: &Request) -> Result<Vec<u8>, RefusedRequest> {
    request.check()?;
    line_of(&request::RequestLine::of(request)?)
}

/// Decodes a response or an event from a line.
///
/// # Errors
/// [`Status::Malformed`]: it is none.
pub fn decode_response(line: &[u8]) -> Result<Response, RefusedRequest> {
    check_length(line)?;
    response::read(line)
}

/// Encodes a response or an event as a line with its end.
///
/// # Errors
/// [`Status::TooLong`]: a line does not hold it; [`Status::Internal`]: a report that should be JSON
/// is none.
pub fn encode_response(response: &Response) -> Result<Vec<u8>, RefusedRequest> {
    line_of(&response::ResponseLine::of(response)?)
}

fn line_of(value: &impl Serialize) -> Result<Vec<u8>, RefusedRequest> {
    let line = serde_json::to_vec(value);
    let mut line =
        line.map_err(|error| RefusedRequest::new(Status::Internal, error.to_string()))?;
    check_length(&line)?;
    line.push(b'\n');
    Ok(line)
}

fn check_length(line: &[u8]) -> Result<(), RefusedRequest> {
    match line.len() <= FRAME_BYTES_MAX {
        true => Ok(()),
        false => Err(too_long("the line", line.len(), FRAME_BYTES_MAX)),
    }
}

/// Reads a value of a line, which names what is wrong with it.
fn parse<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, RefusedRequest> {
    serde_json::from_slice(line)
        .map_err(|error| RefusedRequest::new(Status::Malformed, error.to_string()))
}

/// Returns the number of a request that is refused; 0 where it has none. What comes behind the
/// object does not count.
fn id_of(line: &[u8]) -> u64 {
    #[derive(Deserialize)]
    struct Id {
        #[serde(default)]
        id: u64,
    }
    // Deserialising what is too long would cost time for nothing.
    let is_short = line.len() <= FRAME_BYTES_MAX;
    let id = is_short.then(|| Id::deserialize(&mut serde_json::Deserializer::from_slice(line)));
    id.and_then(Result::ok).map_or(0, |one| one.id)
}
