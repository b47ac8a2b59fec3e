//! The protocol between clients and the service: requests, responses and events, as values and in
//! two [`ProtocolForm`]s.
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

pub use form::{Frames, ProtocolForm};
pub use kind::OperationKind;
pub use request::{
    CertificateQuery, ClientToken, DecryptRequest, EncryptRequest, EncryptionKeyOf, Request,
    RequestedOperation, SignRequest, VerifyRequest,
};
pub use response::{CertificateStatus, CertificateValidity, Response, ResponseBody, Unreadable};
pub use status::{ExhaustedShare, RefusedRequest, Status};

/// Most messages of one `verifyMany` request.
pub const MESSAGES_MAX: usize = 256;
/// Most bytes of a request or response, without its length or line end.
pub const FRAME_BYTES_MAX: usize = 1 << 20;
/// Most bytes of a payload, of data to encrypt, or of a certificate.
pub const MESSAGE_BYTES_MAX: usize = 1 << 16;
/// Most bytes of a message to verify or decrypt: the longest payload, with a signature and a chain
/// of certificates, or a key for each of [`RECIPIENTS_MAX`].
pub const SECURED_BYTES_MAX: usize = MESSAGE_BYTES_MAX + (16 << 10);
/// Most bytes of the service specific permissions of a `sign` request.
pub const PERMISSIONS_BYTES_MAX: usize = 256;
/// Most recipients of an `encrypt` request.
pub const RECIPIENTS_MAX: usize = 64;
/// Most bytes of a token.
pub const TOKEN_BYTES_MAX: usize = 256;
/// Most bytes of a reason; a longer one is cut.
pub const REASON_BYTES_MAX: usize = 1024;
