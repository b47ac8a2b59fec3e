//! What clients and the service say to each other: requests, responses and events, as values and in
//! two [`Form`]s.
//!
//! The services are those of IEEE 1609.2 and ETSI TS 102 723-8 (SN-SIGN, SN-VERIFY, SN-ENCRYPT,
//! SN-DECRYPT). `docs/service-protocol.md` has both forms by the byte and the field. Programs that
//! only ask need this crate and no server: [`client`] is one for Rust.
#![forbid(unsafe_code)]

pub mod binary;
mod bounds;
pub mod client;
mod form;
pub mod json;
mod kind;
mod request;
mod response;
mod status;
pub mod verdict;

pub use form::{Form, Frames};
pub use kind::OperationKind;
pub use request::{
    CertificateQuery, Decrypt, Encrypt, EncryptionKeyOf, Operation, Request, Sign, Token, Verify,
};
pub use response::{CertificateStatus, Response, ResponseBody, Unreadable, Validity};
pub use status::{ExhaustedShare, Refused, Status};

/// How many messages one `verifyMany` request may have.
pub const MESSAGES_MAX: usize = 256;
/// How many bytes a request or response may have, without its length or line end.
pub const FRAME_BYTES_MAX: usize = 1 << 20;
/// How many bytes a payload, data to encrypt or a certificate may have.
pub const MESSAGE_BYTES_MAX: usize = 1 << 16;
/// How many bytes a message to verify or decrypt may have: the longest payload, with a signature
/// and a chain of certificates, or a key for each of [`RECIPIENTS_MAX`].
pub const SECURED_BYTES_MAX: usize = MESSAGE_BYTES_MAX + (16 << 10);
/// How many bytes the service specific permissions of a `sign` request may have.
pub const PERMISSIONS_BYTES_MAX: usize = 256;
/// How many recipients an `encrypt` request may have.
pub const RECIPIENTS_MAX: usize = 64;
/// How many bytes a token may have.
pub const TOKEN_BYTES_MAX: usize = 256;
/// How many bytes a reason may have; a longer one is cut.
pub const REASON_BYTES_MAX: usize = 1024;
