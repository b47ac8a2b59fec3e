//! Trust lists that several electors sign \[1609.2.1 §7.3\], and what travels with them: the chain
//! file (CCF) and the composite revocation list.
//!
//! An [`ElectorGroup`] is what a receiver holds: the electors whose signatures count, how many have
//! to sign, and the number of the last list. [`ElectorGroup::check`] judges the next list and says
//! of each entry, signature and rule how it stands; a list that is refused can still be shown.
//! [`ElectorGroup::take`] moves to a list that was accepted: the electors that it approves sign the
//! list after it, as many as its `quorum` says.
//!
//! Cheap rules come first, then signatures of known electors, at most [`SIGNATURES_MAX`]. The
//! certificates in `unsigned` cost nothing before a quorum has signed.
//!
//! `Choice:` The standard leaves these open, and the safe side is taken:
//! - An elector that a list removes (`electorRemove`) does not count for that list; one that the
//!   list merely leaves out does, so that all electors can be renewed at once.
//! - Two certificates of one key are one elector.
//! - The certificate of an elector has to be valid now, and when the elector signed: a holder of
//!   the key of an expired one could date a signature back.
//! - A list is refused if fewer electors than the next quorum are approved with a certificate that
//!   is known: no later list could be verified.
//! - HashedId48 and the hash of a list are SHA-384, also of electors with keys of 256 bits, as
//!   deployed lists have it: SHA-256 has too few bytes.
//! - Sequence numbers do not begin again after 65,535.

mod chain_file;
mod composite;
mod electors;
mod entries;
mod fault;
mod group;
mod making;
mod report;
mod signature;

pub use chain_file::{AuthorityFault, AuthorityReport, check_chain_file};
pub use composite::{CrlFault, CrlReport, CrlSummary, check_crls};
pub use fault::{CtlFault, ElectorRefusal, EntryList, SignatureFault};
pub use group::{CheckedCtl, ElectorGroup, LatestCtl};
pub use making::{Ctl, CtlError, certificate_chain, composite_crl, elector_permission};
pub use report::{CtlReport, ListedCertificate, ListedHash, SignatureOutcome, SignatureReport};

use waywarden_v2x_wire::ieee1609dot2::Psid;

/// The application of messages between the parties of a PKI: SecurityMgmtPsid \[1609.2.1\].
pub const MANAGEMENT_PSID: Psid = Psid(35);

/// The most signatures of a list that are looked at; a list with more is refused.
pub const SIGNATURES_MAX: usize = 64;

/// The most hashes that a list may have, of electors and roots together.
pub const ENTRIES_MAX: usize = 4_096;
