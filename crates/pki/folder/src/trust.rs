//! Trust of receivers by signed lists in a folder.

pub mod folder;
mod sources;

use std::path::Path;

use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_security::trust::{DocumentKind, StoredCertificate, TrustReport, TrustState};
use waywarden_v2x_security::{Capacity, Reason, Refusal, ResultCode, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use self::folder::Folder;
pub use self::sources::{SourceFault, TrustSources};
use super::index::show_id;
use waywarden_command_line::exit::Failure;
use waywarden_v2x_input::certificates::Trust;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::time;

/// Makes a verifier that trusts no certificate, as `verify` has it.
pub fn verifier() -> Verifier {
    Verifier::new(Capacity::MINIMAL).with_borders(CountryBorders::new())
}

/// Names a list by its kind and issuer.
pub fn list_name(kind: DocumentKind, issuer: HashedId8) -> String {
    format!("{} of {}", kind.name(), show_id(issuer))
}

/// Makes a verifier trust what a store trusts at this time. Returns its certificates, with those
/// that are not trusted and why, and what is to be said of its lists.
pub fn load(
    path: &Path,
    verifier: &mut Verifier,
    now: Time64,
) -> Result<(Trust, Vec<String>), Failure> {
    let folder = Folder::open(path)?;
    let report = folder.store.install(verifier, now);
    let mut trust = Trust::default();
    for one in &report.certificates {
        // Of what was withdrawn or revoked the certificate itself may be gone.
        let Some(bytes) = folder.store.certificate(one.id) else {
            continue;
        };
        let place = format!(
            "{}: {} {}",
            path.display(),
            one.role.name(),
            show_id(one.id)
        );
        let record = InputRecord::of(place, bytes.to_vec());
        trust.insert(record, refusal(one), one.issuer.is_none());
    }
    Ok((trust, overdue(path, &report)))
}

fn overdue(path: &Path, report: &TrustReport) -> Vec<String> {
    let overdue = report.lists.iter().filter(|one| one.is_overdue);
    let words = overdue.map(|one| {
        let (path, list) = (path.display(), list_name(one.kind, one.issuer));
        let due = time::show(one.next_update);
        format!("{path}: {list} is overdue since {due}: import the next one")
    });
    words.collect()
}

/// Returns the refusal of an untrusted certificate, as `verify` reports it.
fn refusal(one: &StoredCertificate) -> Option<Refusal> {
    let (code, field, words) = match one.state {
        TrustState::Trusted => return None,
        TrustState::Refused(refusal) => return Some(refusal),
        TrustState::NotYetValid => (
            ResultCode::ChainInconsistentStartTimes,
            "validityPeriod",
            "not valid yet",
        ),
        TrustState::Expired => (ResultCode::CertificateExpired, "validityPeriod", "expired"),
        TrustState::Overdue(..) => (
            ResultCode::ChainEndedAtUntrustedRoot,
            "nextUpdate",
            "the trust list that names it is overdue",
        ),
        TrustState::Withdrawn(..) => (
            ResultCode::ChainEndedAtUntrustedRoot,
            "ctlCommands",
            "withdrawn by a trust list",
        ),
        TrustState::Revoked(_) => (
            ResultCode::ChainCertificateRevoked,
            "entries",
            "revoked by the list of its root",
        ),
    };
    Some(Refusal {
        code,
        certificate: Some(one.id),
        field,
        reason: Reason::Words(words),
    })
}
