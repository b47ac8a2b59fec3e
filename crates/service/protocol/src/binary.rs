//! The binary form: frames of fixed big-endian fields.
//!
//! | field | request | response, event |
//! |---|---|---|
//! | length of what follows | `u32` | `u32` |
//! | version, 1 | `u8` | `u8` |
//! | operation | `u8` | `u8`: operation + 0x80, [`REFUSED`] or [`EVENT`] |
//! | number of the request | `u64` | `u64` |
//! | deadline in µs, 0: default | `u32` | |
//! | status | | `u16` |
//! | body | | |
//!
//! The places of version, operation and number stay the same in every version. No length is
//! trusted: a field is copied after its bytes have come, and each byte of a frame belongs to a
//! field.

mod field;
mod request;
mod response;
mod verification;

use super::{FRAME_BYTES_MAX, RefusedRequest, Request, Response, Status, Unreadable};
use field::{Reader, Writer};

/// The version of the form.
pub const VERSION: u8 = 1;
/// The operation of a response that refuses.
pub const REFUSED: u8 = 0x80;
/// Difference between the operation of a response and that of its request.
pub const RESPONSE: u8 = 0x80;
/// The operation of an event.
pub const EVENT: u8 = 0xC0;
/// The bytes of the length before each frame.
pub const LENGTH_BYTES: usize = 4;
/// The bytes of version, operation and number, which every frame has.
pub const HEADER_BYTES: usize = 1 + 1 + 8;

/// Decodes a request from a frame without its length.
///
/// # Errors
/// [`Unreadable`], which says what to answer.
pub fn decode_request(frame: &[u8]) -> Result<Request, Unreadable> {
    let mut reader = Reader::new(frame);
    let header = header(&mut reader);
    let id = header.as_ref().map_or(0, |header| header.id);
    let decoded = header.and_then(|header| {
        check_version(header.version)?;
        let request = request::read(&mut reader, header.operation, id)?;
        reader.end()?;
        request.check().map(|()| request)
    });
    decoded.map_err(|refused| Unreadable { id, refused })
}

/// Encodes a request as a frame with its length.
///
/// # Errors
/// Those of [`Request::check`], and [`Status::TooLong`]: a frame does not hold it.
pub fn encode_request(request: &Request) -> Result<Vec<u8>, RefusedRequest> {
    request.check()?;
    let mut writer = Writer::new(LENGTH_BYTES);
    write_header(&mut writer, request.operation.kind() as u8, request.id);
    request::write(&mut writer, request);
    frame(writer)
}

/// Decodes a response or an event from a frame without its length.
///
/// # Errors
/// [`Status::Malformed`] or [`Status::Unsupported`]: it is none.
pub fn decode_response(frame: &[u8]) -> Result<Response, RefusedRequest> {
    let mut reader = Reader::new(frame);
    let header = header(&mut reader)?;
    check_version(header.version)?;
    let body = response::read(&mut reader, header.operation)?;
    reader.end()?;
    let id = header.id;
    Ok(Response { id, body })
}

/// Encodes a response or an event as a frame with its length.
///
/// # Errors
/// [`Status::TooLong`]: a frame does not hold it.
pub fn encode_response(response: &Response) -> Result<Vec<u8>, RefusedRequest> {
    let mut writer = Writer::new(LENGTH_BYTES);
    let operation = match &response.body {
        Err(_) => REFUSED,
        Ok(body) => body.kind().map_or(EVENT, |kind| kind as u8 | RESPONSE),
    };
    write_header(&mut writer, operation, response.id);
    response::write(&mut writer, &response.body);
    frame(writer)
}

/// The header of every frame.
struct Header {
    version: u8,
    operation: u8,
    id: u64,
}

fn header(reader: &mut Reader<'_>) -> Result<Header, RefusedRequest> {
    Ok(Header {
        version: reader.u8("version")?,
        operation: reader.u8("operation")?,
        id: reader.u64("id")?,
    })
}

fn check_version(version: u8) -> Result<(), RefusedRequest> {
    match version {
        VERSION => Ok(()),
        _ => Err(RefusedRequest::new(
            Status::Unsupported,
            format!("version: {version} is not known; {VERSION} is expected"),
        )),
    }
}

fn unknown_operation(operation: u8) -> RefusedRequest {
    let reason = format!("operation: {operation} is not known");
    RefusedRequest::new(Status::Unsupported, reason)
}

fn write_header(writer: &mut Writer, operation: u8, id: u64) {
    writer.u8(VERSION);
    writer.u8(operation);
    writer.u64(id);
}

/// Ends a frame: its length stands at its front.
fn frame(writer: Writer) -> Result<Vec<u8>, RefusedRequest> {
    let mut bytes = writer.finish()?;
    let length = bytes.len() - LENGTH_BYTES;
    match u32::try_from(length) {
        Ok(number) if length <= FRAME_BYTES_MAX => {
            bytes[..LENGTH_BYTES].copy_from_slice(&number.to_be_bytes());
            Ok(bytes)
        }
        _ => Err(super::bounds::too_long(
            "the frame",
            length,
            FRAME_BYTES_MAX,
        )),
    }
}
