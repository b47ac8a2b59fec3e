//! A registry in memory.

use std::collections::BTreeMap;

use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, Time64};

use super::registry::{
    AnswerRecord, AnswerStore, Granted, RecordError, RegisteredStation, StationRegistry,
    StorageFailure,
};

/// Keeps stations and answers in memory, for tests and short-lived authorities. Bounded: so many
/// answers, and what they granted.
#[derive(Debug, Default)]
pub struct MemoryRegistry {
    stations: BTreeMap<Vec<u8>, RegisteredStation>,
    /// By the hash of the credential: whose it is, and its bytes.
    credentials: BTreeMap<HashedId8, (Vec<u8>, Vec<u8>)>,
    /// The periods of tickets, by station.
    tickets: BTreeMap<Vec<u8>, Vec<(Time64, Time64)>>,
    answers: BTreeMap<[u8; 32], Kept>,
    answers_max: usize,
    /// Latest generation time of a request whose answer was forgotten.
    forgotten_until: Option<Time64>,
}

/// An answer in memory.
#[derive(Debug)]
struct Kept {
    received: Time64,
    /// Generation time of the request.
    generated: Option<Time64>,
    response: Vec<u8>,
}

impl MemoryRegistry {
    /// Remembers so many answers at most.
    #[must_use]
    pub fn new(answers_max: usize) -> Self {
        Self {
            answers_max,
            ..Self::default()
        }
    }

    /// Registers a station, or changes a registered one.
    pub fn register(&mut self, station: RegisteredStation) {
        self.stations.insert(station.canonical_id.clone(), station);
    }

    /// Returns how many answers it remembers.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// Forgets answers to requests that came before a time. Requests that were made as early are
    /// refused from then on.
    pub fn forget_before(&mut self, time: Time64) {
        let until = &mut self.forgotten_until;
        self.answers.retain(|_, kept| {
            let is_kept = kept.received >= time;
            if !is_kept {
                *until = (*until).max(kept.generated);
            }
            is_kept
        });
    }
}

impl AnswerStore for MemoryRegistry {
    fn answer(&self, hash: &[u8; 32]) -> Result<Option<Vec<u8>>, StorageFailure> {
        Ok(self.answers.get(hash).map(|kept| kept.response.clone()))
    }

    fn forgotten_until(&self) -> Result<Option<Time64>, StorageFailure> {
        Ok(self.forgotten_until)
    }

    fn record(&mut self, record: &AnswerRecord<'_>) -> Result<(), RecordError> {
        if self.answers.contains_key(record.hash) {
            return Err(RecordError::AlreadyAnswered);
        }
        if record.generated.is_some() && record.generated <= self.forgotten_until {
            return Err(RecordError::Forgotten);
        }
        if self.answers.len() >= self.answers_max {
            return Err(RecordError::Full);
        }
        match record.granted {
            Granted::Credential {
                station,
                certificate,
            } => {
                let id = id_of(certificate).map_err(RecordError::Storage)?;
                let held = (station.to_vec(), certificate.to_vec());
                self.credentials.insert(id, held);
            }
            Granted::Validation {
                station,
                start,
                end,
            } => {
                let periods = self.tickets.entry(station.to_vec()).or_default();
                periods.push((start, end));
            }
            Granted::Ticket { .. } => {}
        }
        let kept = Kept {
            received: record.received,
            generated: record.generated,
            response: record.response.to_vec(),
        };
        self.answers.insert(*record.hash, kept);
        Ok(())
    }
}

fn id_of(certificate: &[u8]) -> Result<HashedId8, StorageFailure> {
    let view = parse::<Certificate<'_>>(certificate).ok();
    let digest = view.and_then(|view| certificate_digest(&view));
    let digest = digest.ok_or_else(|| StorageFailure("not a certificate".to_owned()))?;
    Ok(digest.id_8())
}

impl StationRegistry for MemoryRegistry {
    fn station(&self, canonical_id: &[u8]) -> Result<Option<RegisteredStation>, StorageFailure> {
        Ok(self.stations.get(canonical_id).cloned())
    }

    fn credential(
        &self,
        id: HashedId8,
    ) -> Result<Option<(RegisteredStation, Vec<u8>)>, StorageFailure> {
        let held = self.credentials.get(&id);
        Ok(held.and_then(|(station, bytes)| {
            let station = self.stations.get(station)?;
            Some((station.clone(), bytes.clone()))
        }))
    }

    fn tickets(
        &self,
        canonical_id: &[u8],
        start: Time64,
        end: Time64,
    ) -> Result<u32, StorageFailure> {
        let periods = self.tickets.get(canonical_id);
        let valid = periods
            .into_iter()
            .flatten()
            .filter(|(own_start, own_end)| {
                // Both are valid at some moment.
                *own_start < end && start < *own_end
            });
        Ok(u32::try_from(valid.count()).unwrap_or(u32::MAX))
    }
}
