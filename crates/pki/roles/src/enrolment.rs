//! Enrolment and authorization of ETSI's PKI, as messages in and out \[TS 102 941 §6.2.3\].
//!
//! A station asks the enrolment authority (EA) for an enrolment credential (EC), and with it the
//! authorization authority (AA) for authorization tickets (AT). The AA asks the EA whether the
//! station may have them, and learns nothing of the credential where the station wants that.
//!
//! - A station calls [`request_enrolment`] and [`PendingEnrolment::open`], then
//!   [`request_authorization`] and [`PendingAuthorization::open`].
//! - The EA calls [`EnrolmentAuthority::answer_enrolment`] and
//!   [`EnrolmentAuthority::answer_validation`].
//! - The AA calls [`AuthorizationAuthority::receive`], sends what that returns to the EA, and hands
//!   the response to [`AuthorizationAuthority::finish`].
//!
//! No clock, socket or random generator: times and [`Seeds`](crate::Seeds) come from the caller.
//! What an authority remembers stands behind [`AnswerStore`] and [`StationRegistry`];
//! [`MemoryRegistry`] keeps it in memory. The requester of a refused request gets the standard's
//! response code; the local [`RequestRefusal`] says all.

mod attributes;
mod authorization_authority;
mod authorization_request;
mod authorization_step;
mod enrolment_authority;
mod enrolment_request;
mod key_tag;
mod memory;
mod message;
mod refusal;
mod registry;
mod respond;
mod responder;
mod response;
pub mod ssp;
mod validation;

pub use authorization_authority::AuthorizationAuthority;
pub use authorization_request::{PendingAuthorization, TicketRequest, request_authorization};
pub use authorization_step::{AuthorizationStep, IssuedTicket, PendingValidation};
pub use enrolment_authority::{EnrolmentAuthority, IssuedCredential};
pub use enrolment_request::{PendingEnrolment, Requester, request_enrolment};
pub use memory::MemoryRegistry;
pub use message::{EnrolmentLimits, MessageError, MessageFault, RequestHashOf};
pub use refusal::RequestRefusal;
pub use registry::{
    AnswerRecord, AnswerStore, CertificateGrant, Granted, RecordError, RegisteredStation,
    StationProfile, StationRegistry, StationStatus, StorageFailure,
};
pub use respond::RequestAnswer;
pub use response::ResponseRefusal;
pub use validation::ValidatedTicket;
