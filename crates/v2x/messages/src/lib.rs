//! Messages of ETSI ITS and SAE J2735, read and written by layouts, without I/O.
//!
//! A layout is data: the fields of a message, their types and bounds, in text files of this crate
//! (`layouts/`), whose heads name the standards and where their ASN.1 is public. One reader and one
//! writer of UNALIGNED PER \[X.691\] serve all of them. Values are JSON after the JSON encoding
//! rules \[X.697\]: objects by field names, the alternative of a CHOICE as an object with one
//! member, OCTET STRING and BIT STRING as hexadecimal digits (a BIT STRING without a fixed length
//! as `{"value": .., "length": ..}`), enumerations by name. Parts that a later version added and no
//! layout names are kept: `"#3"` for a value or an alternative, the member `"..."` of an object for
//! additions of a sequence; so a message that was read is written again byte for byte.
//!
//! Messages that stations send and check at speed have types of their own in `waywarden-v2x-wire`;
//! this crate is for everything that people look at, and for every message that they send by hand.
//!
//! ```
//! use waywarden_v2x_messages::Message;
//!
//! let cam = Message::of_kind("CAM").next().expect("a layout");
//! let error = cam.write(&serde_json::json!({ "header": 5 })).expect_err("no header");
//! assert_eq!(error.to_string(), "header: an object is expected, not 5");
//! ```
#![forbid(unsafe_code)]

mod catalogue;
mod coding;
mod document;
mod error;
mod example;
mod json;
mod layout;
mod message_error;
mod notation;
mod read;
mod readings;
mod write;

pub use catalogue::Message;
pub use coding::{Decoded, decode, encode};
pub use document::MessageDocument;
pub use error::ValueError;
pub use json::{JsonError, parse_json};
pub use message_error::MessageError;
pub use readings::{OtherReading, Reading, Readings, is_version};

#[cfg(test)]
mod tests;
