//! Misbehaviour reports decided in the folder of a PKI.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_misbehaviour_authority::{
    Counted, Decision, MisbehaviourAuthority, Outcome, VehicleId,
};
pub use waywarden_misbehaviour_authority::{NotCounted, Policy, PolicyError, ReportFault};
use waywarden_pki_folder::credential::Held;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole};
use waywarden_pki_folder::key_store::MemoryKeys;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::pseudonyms::certificates::known;
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_security::{Capacity, Verifier};
use waywarden_v2x_signing::DecryptionKeys;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::clock::Clock;
use crate::error::PkiError;
use crate::pseudonyms::FolderResolver;

/// A report to decide on.
#[derive(Clone, Debug)]
pub struct SubmittedReport {
    /// Name of the report, such as that of its file.
    pub name: String,
    /// Encoded report.
    pub bytes: Vec<u8>,
}

/// Outcome of one stream of evidence of a report, with names of vehicles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedReport {
    /// Name of the report.
    pub report: String,
    /// Name of the vehicle that reports, if it is known.
    pub reporter: Option<String>,
    /// Name of the accused vehicle, if it is known.
    pub accused: Option<String>,
    /// Number of reporters and messages of the case so far, or why the report counts nothing.
    pub counted: Result<(usize, usize), ReportFault>,
}

/// A vehicle that the rule revokes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedVehicle {
    /// Name of the vehicle.
    pub name: String,
    /// Names of the vehicles that reported it.
    pub reporters: Vec<String>,
    /// Number of its messages that were reported.
    pub messages: usize,
    /// Time of the first of them.
    pub first: Time64,
    /// Time of the last of them.
    pub last: Time64,
}

/// Answer of [`decide`].
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Outcomes in the order of the reports.
    pub reports: Vec<CountedReport>,
    /// Vehicles that are to be revoked.
    pub vehicles: Vec<DecidedVehicle>,
}

/// Decides on reports that are encrypted to a certificate of the PKI. It revokes nothing:
/// [`revoke`](crate::revoke()) does.
///
/// # Errors
/// [`PkiError`] for a PKI of another shape, a certificate without an encryption key, a rule that
/// decides nothing, a wrong passphrase, and for what the operating system refuses. A report that
/// counts nothing is no error.
pub fn decide(
    folder: &Path,
    authority: &str,
    reports: &[SubmittedReport],
    policy: Policy,
    clock: Clock,
    passphrases: &mut Passphrases<'_>,
) -> Result<Decisions, PkiError> {
    let directory = PkiDirectory::open(folder)?;
    if directory.index.shape != CertificateShape::Us {
        return Err(PkiError::new(format_args!(
            "{}: pseudonyms of a European PKI have no linkage values, so reporters cannot be told \
             apart; give a PKI made with `pki init --us`",
            folder.display()
        )));
    }
    let mut store = MemoryKeys::new();
    let held = Held::of(&directory, directory.entry(authority)?)?;
    let (recipient, key) = held.recipient(&mut store, passphrases)?;
    let keys = DecryptionKeys::new().with_private_key(recipient, key);
    let mut decider = MisbehaviourAuthority::new(keys, verifier(&directory)?, policy)
        .map_err(|error| Failure::new(format_args!("rule: {error}")))?;
    let mut resolver = FolderResolver::open(&directory, passphrases, clock.now())?;
    for revoked in &directory.index.revoked_vehicles {
        if let Some(vehicle) = resolver.find(&revoked.name) {
            decider.note_revoked(vehicle);
        }
    }
    let mut decisions = Decisions::default();
    for report in reports {
        let received = decider.receive(&mut store, &mut resolver, &report.bytes, clock.now())?;
        match received {
            Ok(received) => {
                for outcome in received.streams {
                    decisions.add(&resolver, &report.name, received.reporter, outcome);
                }
            }
            Err(fault) => decisions.reports.push(CountedReport {
                report: report.name.clone(),
                reporter: None,
                accused: None,
                counted: Err(fault),
            }),
        }
    }
    Ok(decisions)
}

/// A verifier that knows the pseudonym CAs, the renewed ones as well.
fn verifier(directory: &PkiDirectory) -> Result<Verifier, Failure> {
    let mut verifier = Verifier::new(Capacity::MINIMAL).with_borders(CountryBorders::new());
    let entries = directory.index.entries.iter();
    for issuer in entries.filter(|one| one.role == HolderRole::Authorization) {
        known(&mut verifier, &directory.chain(issuer)?)?;
    }
    Ok(verifier)
}

impl Decisions {
    fn add(
        &mut self,
        resolver: &FolderResolver,
        report: &str,
        reporter: VehicleId,
        outcome: Outcome,
    ) {
        let name = |vehicle: VehicleId| resolver.name(vehicle).to_owned();
        let counted = outcome.counted.map(|counted| match counted {
            Counted::Open {
                reporters,
                messages,
            } => (reporters, messages),
            Counted::Decided(Decision {
                accused,
                reporters,
                messages,
                first,
                last,
            }) => {
                let count = (reporters.len(), messages);
                self.vehicles.push(DecidedVehicle {
                    name: name(accused),
                    reporters: reporters.into_iter().map(name).collect(),
                    messages,
                    first,
                    last,
                });
                count
            }
        });
        self.reports.push(CountedReport {
            report: report.to_owned(),
            reporter: Some(name(reporter)),
            accused: outcome.accused.map(name),
            counted,
        });
    }
}
