//! What clients and the service say to each other: requests, responses and events, as values.
//!
//! The services are those of IEEE 1609.2 and ETSI TS 102 723-8 (SN-SIGN, SN-VERIFY, SN-ENCRYPT,
//! SN-DECRYPT).

mod request;
mod response;
mod status;

pub use request::{
    CertificateQuery, Decrypt, Encrypt, EncryptionKeyOf, Operation, Request, Sign, Token, Verify,
};
pub use response::{CertificateStatus, Response, ResponseBody, Validity};
pub use status::{Refused, Status};

/// How many messages one `verify-many` request may have.
pub const MESSAGES_MAX: usize = 256;
/// How many bytes a request or response may have.
pub const FRAME_BYTES_MAX: usize = 1 << 20;
/// How many bytes a message or payload may have.
pub const MESSAGE_BYTES_MAX: usize = 1 << 16;
/// How many bytes a token may have.
pub const TOKEN_BYTES_MAX: usize = 256;
