//! The authority: opens reports, verifies reporter and evidence, and counts.

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_misbehaviour_report::layout::{AidSpecificReport, AsrBsm, V2xPduStream};
use waywarden_v2x_misbehaviour_report::{
    Evidence, ObservationKind, Shown, VerifiedReport, open_report, verify_report,
};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_security::hash::{HashFunction, hash_canonical};
use waywarden_v2x_signing::DecryptionKeys;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::cases::{Accusation, Cases, Counted};
use crate::policy::{Policy, PolicyError};
use crate::refusal::ReportFault;
use crate::vehicles::{VehicleId, VehicleResolver};

/// Maximum number of streams of a report that are looked at.
const STREAMS_MAX: usize = 4;

/// Outcome of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The reporter.
    pub reporter: VehicleId,
    /// Outcome of each stream of evidence: at most four.
    pub streams: Vec<Outcome>,
}

/// Outcome of a stream of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The accused; `None` if the evidence names none.
    pub accused: Option<VehicleId>,
    /// Effect, or why there is none.
    pub counted: Result<Counted<VehicleId>, ReportFault>,
}

/// Collects reports and decides.
#[expect(missing_debug_implementations, reason = "keys are not shown")]
pub struct MisbehaviourAuthority {
    keys: DecryptionKeys,
    verifier: Verifier,
    cases: Cases<VehicleId>,
}

impl MisbehaviourAuthority {
    /// Takes the keys that reports are encrypted to, and a verifier that knows the authorities that
    /// issue pseudonyms. Its borders decide about countries.
    ///
    /// # Errors
    /// [`PolicyError`].
    pub fn new(
        keys: DecryptionKeys,
        verifier: Verifier,
        policy: Policy,
    ) -> Result<Self, PolicyError> {
        Ok(Self {
            keys,
            verifier,
            cases: Cases::new(policy)?,
        })
    }

    /// Returns the open cases.
    #[must_use]
    pub fn cases(&self) -> &Cases<VehicleId> {
        &self.cases
    }

    /// Notes a vehicle that is revoked.
    pub fn note_revoked(&mut self, vehicle: VehicleId) {
        self.cases.note_revoked(vehicle);
    }

    /// Takes a report. `now` is the time of reception.
    ///
    /// # Errors
    /// The resolver's. A report that counts nothing is no error.
    pub fn receive<S: KeyStore + ?Sized, R: VehicleResolver>(
        &mut self,
        store: &mut S,
        resolver: &mut R,
        report: &[u8],
        now: Time64,
    ) -> Result<Result<Received, ReportFault>, R::Error> {
        let signed = match open_report(store, &self.keys, report) {
            Ok(signed) => signed,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        let verified = match verify_report(&self.verifier, &signed) {
            Ok(verified) => verified,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        self.count(resolver, &verified, now)
    }

    /// Counts a report whose reporter was verified.
    fn count<R: VehicleResolver>(
        &mut self,
        resolver: &mut R,
        verified: &VerifiedReport<'_>,
        now: Time64,
    ) -> Result<Result<Received, ReportFault>, R::Error> {
        let reporter = match verified.reporter.view() {
            Ok(view) => resolver.vehicle(&view)?,
            Err(_) => None,
        };
        let Some(reporter) = reporter else {
            return Ok(Err(ReportFault::UnknownReporter));
        };
        // Before signatures of the evidence are verified.
        if let Err(reason) = self.cases.check_reporter(reporter) {
            return Ok(Err(reason.into()));
        }
        let AidSpecificReport::Bsm(content) = &verified.report.report else {
            return Ok(Err(ReportFault::OtherApplication));
        };
        let mut streams = Vec::new();
        for stream in content.v2x_pdu_evidence.iter().flatten().take(STREAMS_MAX) {
            let time = verified.report.generation_time;
            streams.push(self.stream(resolver, content, &stream, (reporter, time), now)?);
        }
        Ok(Ok(Received { reporter, streams }))
    }

    /// Counts one stream of evidence.
    fn stream<R: VehicleResolver>(
        &mut self,
        resolver: &mut R,
        content: &AsrBsm<'_>,
        stream: &V2xPduStream<'_>,
        (reporter, reported): (VehicleId, Time64),
        now: Time64,
    ) -> Result<Outcome, R::Error> {
        let refused = |accused, fault| Outcome {
            accused,
            counted: Err(fault),
        };
        let evidence = match Evidence::verify(&self.verifier, stream) {
            Ok(evidence) => evidence,
            Err(fault) => return Ok(refused(None, fault.into())),
        };
        let accused = match evidence.accused.view() {
            Ok(view) => resolver.vehicle(&view)?,
            Err(_) => None,
        };
        let Some(accused) = accused else {
            return Ok(refused(None, ReportFault::UnknownAccused));
        };
        if let Some(kind) = self.contradicted(content, &evidence) {
            return Ok(refused(Some(accused), ReportFault::Contradicted(kind)));
        }
        let Ok(hash) = hash_canonical(HashFunction::Sha256, &*evidence.message.tbs_data) else {
            let fault = waywarden_v2x_misbehaviour_report::EvidenceFault::NotSigned;
            return Ok(refused(Some(accused), fault.into()));
        };
        let mut message = [0; 32];
        message.copy_from_slice(hash.as_bytes());
        let accusation = Accusation {
            accused,
            reporter,
            // A message without a time has that of the report.
            made: evidence.made.unwrap_or(reported),
            message,
        };
        let counted = self.cases.record(&accusation, now);
        Ok(Outcome {
            accused: Some(accused),
            counted: counted.map_err(ReportFault::from),
        })
    }

    /// Returns an observation that the message contradicts. All have to hold: a reporter that lies
    /// in one is not believed in another.
    fn contradicted(
        &self,
        content: &AsrBsm<'_>,
        evidence: &Evidence<'_>,
    ) -> Option<ObservationKind> {
        let targets = content.observations.iter().flatten();
        let mut kinds = targets.flat_map(|group| {
            let target = group.target;
            let all = group.observations.iter().flatten();
            all.filter_map(move |one| ObservationKind::of(target, one.id))
        });
        kinds.find(|kind| evidence.shows(*kind, self.verifier.borders()) == Shown::No)
    }
}
