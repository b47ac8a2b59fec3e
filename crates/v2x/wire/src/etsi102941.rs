//! The messages of ETSI's PKI \[TS 102 941 Annex A\]: trust lists, and the requests and responses
//! of stations and authorities for enrolment and authorization.
//!
//! A message is signed data, encrypted data, or signed data that is encrypted. What it carries is
//! [`EtsiTs102941Data`]. Reading checks what the ASN.1 says of one structure; which signature and
//! which encryption a message needs is for the roles in `waywarden-v2x-pki`.

mod authorization;
mod base;
mod enrolment;
mod message;
mod response;
mod trust_list;
mod validation;

pub use authorization::{
    AtResponseParts, AuthorizationResponseCode, InnerAtRequest, InnerAtResponse, SharedAtRequest,
};
pub use base::{CertificateFormat, CertificateSubjectAttributes, EcSignature, PublicKeys};
pub use enrolment::{EcResponseParts, EnrolmentResponseCode, InnerEcRequest, InnerEcResponse};
pub use message::{CaCertificateRequest, DataVersion1, EtsiTs102941Data, EtsiTs102941DataContent};
pub use response::{AuthorityResponse, ResponseParts};
pub use trust_list::{
    AaEntry, Boolean, CrlRequest, CtlCommand, CtlDelete, CtlEntry, CtlFormat, DcEntry,
    DeltaCtlRequest, EaEntry, HeaderExtension, ListVersion1, RootCaEntry, TlmEntry, ToBeSignedCrl,
    Url,
};
pub use validation::{
    AuthorizationValidationRequest, AuthorizationValidationResponse,
    AuthorizationValidationResponseCode, ValidationResponseParts,
};
