//! The parts of a trust list, each with how it stands.

use waywarden_v2x_security::Refusal;
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, HashedId8, Time32, Time64, ToBeSignedCertificate,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{CtlSequenceNumber, ElectorGroupId};

use super::fault::{CtlFault, EntryList, SignatureFault};

/// A trust list, and how it stands.
#[derive(Clone, Debug)]
pub struct CtlReport {
    /// The group of electors.
    pub group: ElectorGroupId,
    /// The number of the list.
    pub sequence: CtlSequenceNumber,
    /// Time from which it counts.
    pub effective: Time32,
    /// Number of electors that have to sign the next list, if the list says so.
    pub quorum: Option<i64>,
    /// The hashes in it.
    pub entries: Vec<ListedHash>,
    /// The certificates beside it that no entry names, by their number.
    pub unnamed: Vec<usize>,
    /// Reports on the signatures.
    pub signatures: Vec<SignatureReport>,
    /// Number of electors that signed, each counted once.
    pub counted: usize,
    /// Number of electors that have to sign.
    pub required: usize,
    /// Number of lists of the group that were missed before this one.
    pub missed: u16,
    /// True if it is the list that the group holds already.
    pub is_known: bool,
    /// Everything that is wrong.
    pub faults: Vec<CtlFault>,
}

impl CtlReport {
    /// Returns true if nothing is wrong.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.faults.is_empty()
    }
}

/// The hash of a certificate in a trust list.
#[derive(Clone, Debug)]
pub struct ListedHash {
    /// The list that it stands in.
    pub list: EntryList,
    /// Its number there, from 0.
    pub index: usize,
    /// Offset, in bytes from the beginning of `tbsCtl`.
    pub offset: usize,
    /// The hash: 48 bytes of an elector, 32 of a root.
    pub hash: Vec<u8>,
    /// The certificate with this hash, if it is known.
    pub certificate: Option<ListedCertificate>,
    /// True for bytes in the form of a program's memory: hashes have no such form.
    pub is_memory: bool,
}

/// A certificate that a trust list names.
#[derive(Clone, Debug)]
pub struct ListedCertificate {
    /// Its HashedId8.
    pub id: HashedId8,
    /// The name in it.
    pub name: Option<String>,
    /// The period in which it is valid.
    pub validity: (Time64, Time64),
    /// Its number in `unsigned`; `None` for an elector that was known before.
    pub index: Option<usize>,
    /// Result of verifying its own signature; `None` without a quorum, which skips the
    /// verification.
    pub verified: Option<Result<(), Refusal>>,
}

impl ListedCertificate {
    pub(super) fn of(view: &Certificate<'_>, index: Option<usize>) -> Option<Self> {
        let own = &view.to_be_signed;
        Some(Self {
            id: certificate_digest(view)?.id_8(),
            name: name(own),
            validity: (own.validity_period.start(), own.validity_period.end()),
            index,
            verified: None,
        })
    }
}

fn name(own: &ToBeSignedCertificate<'_>) -> Option<String> {
    match &own.id {
        CertificateId::Name(name) => Some(name.as_str().to_owned()),
        _ => None,
    }
}

/// A signature of a trust list.
#[derive(Clone, Debug)]
pub struct SignatureReport {
    /// The signer that it names, by its HashedId8.
    pub signer: Option<HashedId8>,
    /// The name in the signer's certificate.
    pub name: Option<String>,
    /// Result: counted or not.
    pub outcome: SignatureOutcome,
}

/// Result of checking a signature: counted or not.
#[derive(Clone, Debug, PartialEq)]
pub enum SignatureOutcome {
    /// It counts.
    Counted,
    /// The elector has signed already.
    Repeated,
    /// Its signer is no elector whose signature counts.
    UnknownElector,
    /// Its signer is an elector that the list removes.
    RemovedElector,
    /// It is wrong, for these reasons.
    Wrong(Vec<SignatureFault>),
}
