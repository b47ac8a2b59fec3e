//! Batches of pseudonym certificates by butterfly keys, as IEEE 1609.2.1 and the American SCMS have
//! them: one request, many certificates a week, and no authority that links them alone.
//!
//! ```text
//! Holder --request--> RegistrationAuthority --period, indices--> LinkageAuthority (two of them)
//!                            |   ^                                     |
//!                            |   '------- encrypted prelinkage values -'
//!                            '--one request a certificate, mixed--> PseudonymAuthority
//! Holder <---one file a certificate--- RegistrationAuthority <--encrypted, signed---'
//! ```
//!
//! | role | knows | does not know |
//! |---|---|---|
//! | [`PseudonymHolder`] | its keys and certificates | the seeds of its linkage values |
//! | [`RegistrationAuthority`] | who asks, whose each cocoon key is | certificates, private keys |
//! | [`LinkageAuthority`] | half of a chain's linkage values | whose chain it is, certificates |
//! | [`PseudonymAuthority`] | certificates, cocoon keys | which of them are one holder's |
//!
//! Who links certificates: the pseudonym authority with the registration authority, by cocoon keys;
//! both linkage authorities, by the values in certificates that anybody saw. One linkage authority
//! cannot, and neither can it with a pseudonym authority that forgets the prelinkage values, as the
//! one here does: its memory has no vehicle. A pseudonym authority that writes down every
//! prelinkage value that it opens, against its rules, needs one linkage authority only: the
//! standard's messages show it both halves.
//!
//! Messages between authorities are encoded as in the standard, and neither signed nor encrypted
//! for the way: that is for what carries them. What linkage authorities are asked is not in the
//! standard. Explicit, unified and compact unified butterfly keys are not covered, nor are group
//! linkage values.

mod error;
mod holder;
mod issuing;
mod linkage;
mod message;
mod period;
mod received;
mod registration;

pub use error::{OpenResponseError, PseudonymError};
pub use holder::{Pseudonym, PseudonymHolder};
pub use issuing::{CHECKED_MAX, PseudonymAuthority};
pub use linkage::{LinkageAuthority, LinkageChain, LinkageRequest};
pub use period::{CertificatePosition, Period};
pub use registration::{
    CollectedCertificate, PENDING_MAX, PseudonymOrder, REGISTERED_MAX, Registration,
    RegistrationAuthority,
};

/// The application under which authorities sign what they say to stations \[1609.2.1\].
pub const SECURITY_MANAGEMENT: waywarden_v2x_wire::ieee1609dot2::Psid =
    waywarden_v2x_wire::ieee1609dot2::Psid(35);
