//! The authorities that a station asks: their certificates, below a root that it trusts.

use std::path::Path;
use std::sync::Arc;

use waywarden_command_line::exit::Failure;
use waywarden_ecverify::Curve;
use waywarden_pki_folder::validity;
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_input::certificates::Trust;
use waywarden_v2x_input::time;
use waywarden_v2x_pki::enrolment::ssp;
use waywarden_v2x_security::{Capacity, Verified, Verifier};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Time32, Time64};

use super::requests::Requests;
use crate::note::Notes;

/// Certificates begin so long before now: the clocks of server and station differ.
const EARLIER: u64 = 60_000_000;

/// The authorities, as their certificates say.
pub(super) struct Authorities {
    pub(super) verifier: Verifier,
    pub(super) root: Arc<Verified>,
    pub(super) enrolment: Arc<Verified>,
    pub(super) authorization: Option<Arc<Verified>>,
}

/// Returns the start of a certificate: a little before now, and not before those that it rests on.
pub(super) fn start(below: &[&Verified]) -> Result<Time32, Failure> {
    let earlier = Time64(time::now().0.saturating_sub(EARLIER));
    let from = below.iter().map(|one| one.validity().0);
    validity::start(from.fold(earlier, Time64::max)).map_err(Failure::new)
}

impl Authorities {
    /// Returns true if the enrolment authority issued a credential.
    pub(super) fn issued(&self, credential: &Credential) -> bool {
        let issuer = credential.certificate().issuer();
        issuer.is_some_and(|issuer| issuer.id() == self.enrolment.id())
    }

    /// Returns the curve of new keys: that of the enrolment authority.
    pub(super) fn curve(&self) -> Result<Curve, Failure> {
        let key = self.enrolment.public_key();
        let key = key.ok_or_else(|| Failure::new("the enrolment authority has no key"))?;
        Ok(key.curve())
    }

    /// Gets the certificates of a server, and takes those below a trusted root.
    pub(super) fn ask(
        client: &Requests,
        url: &str,
        trust: &Path,
        notes: Notes<'_>,
    ) -> Result<Self, Failure> {
        let mut verifier = Verifier::new(Capacity {
            table_bytes: 0,
            ..Capacity::DEFAULT
        })
        .with_borders(CountryBorders::new());
        Trust::load(trust, &mut verifier)?;
        let list = client.get("/certificates", notes)?;
        let list: SequenceOf<'_, Certificate<'_>> = parse(&list)
            .map_err(|error| Failure::new(format_args!("{url}: /certificates: {error}")))?;
        let mut below = Vec::new();
        for certificate in &list {
            let certificate = certificate.map_err(Failure::new)?;
            let bytes = certificate.bytes().unwrap_or_default();
            // Certificates that do not verify are of another root, or of none.
            below.extend(verifier.add_certificate(bytes));
        }
        let now = time::now();
        let is_valid = |one: &&Arc<Verified>| {
            let (start, end) = one.validity();
            (start..end).contains(&now)
        };
        // The newest stands last.
        let newest = |bit| {
            let mut all = below.iter().rev().filter(is_valid);
            all.find(|one| ssp::permits(one, bit)).cloned()
        };
        let enrolment = newest(ssp::ENROLMENT_RESPONSE).ok_or_else(|| {
            Failure::new(format_args!(
                "{url}: has no enrolment authority below a root of {}",
                trust.display()
            ))
        })?;
        let root = enrolment.issuer().cloned().ok_or_else(|| {
            Failure::new(format_args!("{url}: the enrolment authority has no issuer"))
        })?;
        Ok(Self {
            authorization: newest(ssp::AUTHORIZATION_RESPONSE),
            verifier,
            root,
            enrolment,
        })
    }
}
