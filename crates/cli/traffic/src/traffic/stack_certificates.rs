//! Certificates of the vehicles of a run.

use waywarden_command_line::exit::Failure;
use waywarden_traffic_stations::{
    CertificateCondition, CertificateSource, NoCertificate, VehicleIdentity,
};
use waywarden_v2x_neighbourhood::{CertificateForm, Laboratory};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// Returns certificates of the authority of this seed; those of another party are others.
pub(super) fn certificates_of(
    seed: u64,
    party: u8,
    form: CertificateForm,
) -> Result<Certificates, Failure> {
    let mut stations = [0; 32];
    stations[..8].copy_from_slice(&seed.to_be_bytes());
    stations[8] = party;
    let laboratory = |number, stations| Laboratory::new(number, 1, stations).map_err(Failure::new);
    Ok(Certificates {
        known: laboratory(seed, stations)?,
        // Of another number: its root is another one.
        unknown: laboratory(!seed, stations.map(|byte| !byte))?,
        form,
    })
}

/// Certificates of an authority of a laboratory, and of one that no vehicle knows.
pub(super) struct Certificates {
    known: Laboratory,
    unknown: Laboratory,
    form: CertificateForm,
}

/// Certificates are issued for a week: one of eight days ago has expired.
const EXPIRED_BEFORE_US: u64 = 8 * 86_400_000_000;

impl CertificateSource for Certificates {
    fn next(
        &mut self,
        condition: CertificateCondition,
        now: Time64,
    ) -> Result<VehicleIdentity, NoCertificate> {
        let (laboratory, now) = match condition {
            CertificateCondition::Valid => (&mut self.known, now),
            CertificateCondition::Expired => (
                &mut self.known,
                Time64(now.0.saturating_sub(EXPIRED_BEFORE_US)),
            ),
            CertificateCondition::UnknownAuthority => (&mut self.unknown, now),
        };
        let issued = laboratory.issue(0, self.form, &[], None, now);
        let issued = issued.map_err(|error| NoCertificate(error.to_string()))?;
        Ok(VehicleIdentity {
            certificate: issued.credential.certificate().clone(),
            key: Some((issued.credential.key(), issued.store)),
        })
    }

    fn trust(&self, verifier: &mut Verifier) -> Result<(), NoCertificate> {
        let taught = self.known.teach(verifier, 1);
        taught.map_err(|refusal| NoCertificate(refusal.to_string()))
    }
}
