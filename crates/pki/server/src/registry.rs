//! The database as the memory of the authorities.

use waywarden_v2x_pki::enrolment::{
    AnswerRecord, AnswerStore, Granted, RecordError, RegisteredStation, StationProfile,
    StationRegistry, StationStatus, StorageFailure,
};
use waywarden_v2x_security::verification_point;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, PublicVerificationKey, Time32, Time64};

use crate::database::{
    self, AnsweredRequest, CertificatePurpose, Consent, Database, DatabaseError, IssuedCertificate,
    Status, whole_seconds,
};

/// Reads what a station may ask for from the text that was registered.
pub type ReadProfile = fn(&str) -> Result<StationProfile, String>;

/// The bounds of the memory.
#[derive(Clone, Copy, Debug)]
pub struct RegistryLimits {
    /// Maximum number of answers in the database. A response has less than 1 KiB.
    pub answers: u64,
    /// Time, in seconds, for which answers are remembered at least. It is counted by the clock: one
    /// that jumps ahead has them forgotten sooner, and their requests are refused for good then.
    pub seconds: u32,
}

impl Default for RegistryLimits {
    /// A million answers, less than 1.2 GB of the database, and twice the ten minutes of
    /// [`EnrolmentLimits::DEFAULT`](waywarden_v2x_pki::enrolment::EnrolmentLimits::DEFAULT).
    fn default() -> Self {
        Self {
            answers: 1_000_000,
            seconds: 1_200,
        }
    }
}

/// The memory of one authority.
pub struct Registry {
    database: Database,
    read_profile: ReadProfile,
    limits: RegistryLimits,
    /// As of the last count, and those since.
    answers: u64,
    /// Time at which old answers were forgotten last.
    forgot: Time32,
}

impl Registry {
    /// Takes the database.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn new(
        database: Database,
        read_profile: ReadProfile,
        limits: RegistryLimits,
    ) -> Result<Self, DatabaseError> {
        Ok(Self {
            answers: database.answers()?,
            database,
            read_profile,
            limits,
            forgot: Time32(0),
        })
    }

    /// Returns the database.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Forgets old answers, if it did not for as long as they are remembered, or if the clock was
    /// set back since.
    fn forget(&mut self, now: Time32) -> Result<(), DatabaseError> {
        let before = now.0.saturating_sub(self.limits.seconds);
        let is_recent = (before.saturating_add(1)..=now.0).contains(&self.forgot.0);
        if is_recent && self.answers < self.limits.answers {
            return Ok(());
        }
        self.forgot = now;
        self.database.forget_requests(Time32(before))?;
        self.answers = self.database.answers()?;
        Ok(())
    }

    fn read(&self, station: database::StationRecord) -> Result<RegisteredStation, StorageFailure> {
        let wrong = |why: &str| {
            let id = String::from_utf8_lossy(&station.canonical_id);
            StorageFailure(format!("station {id:?}: {why}"))
        };
        let key: Option<PublicVerificationKey<'_>> = parse(&station.public_key).ok();
        let key = key.and_then(|key| verification_point(&key));
        let key = key.ok_or_else(|| wrong("its public key cannot be read"))?;
        let profile = (self.read_profile)(&station.profile).map_err(|why| wrong(&why))?;
        Ok(RegisteredStation {
            key,
            profile,
            status: match station.status {
                Status::Active => StationStatus::Active,
                Status::Blocked => StationStatus::Blocked,
            },
            canonical_id: station.canonical_id,
        })
    }
}

impl From<DatabaseError> for StorageFailure {
    fn from(error: DatabaseError) -> Self {
        Self(error.to_string())
    }
}

impl AnswerStore for Registry {
    fn answer(&self, hash: &[u8; 32]) -> Result<Option<Vec<u8>>, StorageFailure> {
        let answer = self.database.answer(hash)?;
        Ok(answer.map(|answer| answer.response))
    }

    fn forgotten_until(&self) -> Result<Option<Time64>, StorageFailure> {
        Ok(self.database.forgotten_until()?)
    }

    fn record(&mut self, record: &AnswerRecord<'_>) -> Result<(), RecordError> {
        let failed = |error: DatabaseError| RecordError::Storage(error.into());
        let received = whole_seconds(record.received);
        self.forget(received).map_err(failed)?;
        if self.answers >= self.limits.answers {
            return Err(RecordError::Full);
        }
        let answer = AnsweredRequest {
            hash: *record.hash,
            generated: record.generated.unwrap_or(Time64(0)),
            received,
            response: record.response.to_vec(),
        };
        let certificate = |kind, station: Option<&[u8]>, bytes| {
            let wrong = || StorageFailure("what was issued cannot be read".to_owned());
            let issued = IssuedCertificate::of(kind, bytes).ok_or_else(wrong);
            let issued = issued.map_err(RecordError::Storage)?;
            Ok(IssuedCertificate {
                station: station.map(<[u8]>::to_vec),
                ..issued
            })
        };
        let recorded = match record.granted {
            Granted::Credential {
                station,
                certificate: bytes,
            } => {
                let one = certificate(
                    CertificatePurpose::EnrolmentCredential,
                    Some(station),
                    bytes,
                )?;
                self.database.record_answer(&answer, &[one], &[])
            }
            Granted::Ticket { certificate: bytes } => {
                let one = certificate(CertificatePurpose::AuthorizationTicket, None, bytes)?;
                self.database.record_answer(&answer, &[one], &[])
            }
            Granted::Validation {
                station,
                start,
                end,
            } => {
                let station = station.to_vec();
                let one = Consent {
                    station,
                    start,
                    end,
                };
                self.database.record_answer(&answer, &[], &[one])
            }
        };
        match recorded {
            Ok(()) => {
                self.answers += 1;
                Ok(())
            }
            Err(DatabaseError::AlreadyAnswered) => Err(RecordError::AlreadyAnswered),
            Err(DatabaseError::Forgotten) => Err(RecordError::Forgotten),
            Err(error) => Err(failed(error)),
        }
    }
}

impl StationRegistry for Registry {
    fn station(&self, canonical_id: &[u8]) -> Result<Option<RegisteredStation>, StorageFailure> {
        let found = self.database.station(canonical_id)?;
        found.map(|station| self.read(station)).transpose()
    }

    fn credential(
        &self,
        id: HashedId8,
    ) -> Result<Option<(RegisteredStation, Vec<u8>)>, StorageFailure> {
        let found = self.database.issued(id)?;
        let credential = found.filter(|one| one.kind == CertificatePurpose::EnrolmentCredential);
        let Some(IssuedCertificate {
            station: Some(canonical_id),
            certificate,
            ..
        }) = credential
        else {
            return Ok(None);
        };
        let station = self.station(&canonical_id)?;
        Ok(station.map(|station| (station, certificate)))
    }

    fn tickets(
        &self,
        canonical_id: &[u8],
        start: Time64,
        end: Time64,
    ) -> Result<u32, StorageFailure> {
        Ok(self.database.consents(canonical_id, start, end)?)
    }
}
