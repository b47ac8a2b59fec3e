//! Rules by which records are judged, apart from what a verifier learns of them.

use std::collections::BTreeMap;

use waywarden_v2x_input::certificates::{KnownKey, Trust};
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::time::{self, At};
use waywarden_v2x_security::verify_certificate_signature;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, IssuerIdentifier, Time64};

/// Rules by which records are judged, apart from what a verifier learns of them.
#[derive(Debug)]
pub struct Rules {
    /// Trusted certificates, with those that are not taken.
    pub trust: Trust,
    /// Keys of signers that are known otherwise, by the HashedId8 of their certificates.
    pub keys: BTreeMap<HashedId8, KnownKey>,
    /// Time at which messages are judged.
    pub at: At,
    /// UDP ports of captures that have messages; none: any may.
    pub udp_ports: Vec<u16>,
    /// True if payloads are compared with the certificate of their signer.
    pub checks_payloads: bool,
}

impl Rules {
    /// Returns true if the folder's issuer signed a certificate, whatever that may issue; `None` if
    /// the folder has no such issuer.
    pub(crate) fn is_signed(&self, certificate: &Certificate<'_>) -> Option<bool> {
        let issuer = match certificate.issuer {
            IssuerIdentifier::SelfIssued(_) => None,
            IssuerIdentifier::Sha256AndDigest(id) | IssuerIdentifier::Sha384AndDigest(id) => {
                Some(self.trust.by_id.get(&id)?)
            }
            IssuerIdentifier::Sm3AndDigest(_) => return None,
        };
        let issuer = issuer.map(|issuer| parse::<Certificate<'_>>(issuer));
        let issuer = issuer.transpose().ok()?;
        Some(verify_certificate_signature(certificate, issuer.as_ref()).is_ok())
    }

    /// Returns the time at which a message is judged; `None` if it lacks the time to judge it by.
    pub(crate) fn time(at: At, record: &InputRecord, made: Option<Time64>) -> Option<Time64> {
        match at {
            At::Now => Some(time::now()),
            At::Time(time) => Some(time),
            At::Capture => record.captured,
            At::Generation => made,
        }
    }
}
