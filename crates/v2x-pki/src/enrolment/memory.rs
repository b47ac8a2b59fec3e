//! A registry in memory.

use std::collections::BTreeMap;

use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, Time64};

use super::registry::{
    AnswerStore, Granted, Record, RecordError, Station, StationRegistry, StorageFailure,
};

/// Keeps stations and answers in memory, for tests and short-lived authorities. Bounded: so many
/// answers, and what they granted.
#[derive(Debug, Default)]
pub struct MemoryRegistry {
    stations: BTreeMap<Vec<u8>, Station>,
    /// By the hash of the credential: whose it is, and its bytes.
    credentials: BTreeMap<HashedId8, (Vec<u8>, Vec<u8>)>,
    /// The periods of tickets, by station.
    tickets: BTreeMap<Vec<u8>, Vec<(Time64, Time64)>>,
    answers: BTreeMap<[u8; 32], (Time64, Vec<u8>)>,
    answers_max: usize,
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
    pub fn register(&mut self, station: Station) {
        self.stations.insert(station.canonical_id.clone(), station);
    }

    /// Returns how many answers it remembers.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// Forgets answers to requests that came before a time.
    pub fn forget_before(&mut self, time: Time64) {
        self.answers.retain(|_, (received, _)| *received >= time);
    }
}

impl AnswerStore for MemoryRegistry {
    fn answer(&self, hash: &[u8; 32]) -> Result<Option<Vec<u8>>, StorageFailure> {
        Ok(self.answers.get(hash).map(|(_, response)| response.clone()))
    }

    fn record(&mut self, record: &Record<'_>) -> Result<(), RecordError> {
        if self.answers.contains_key(record.hash) {
            return Err(RecordError::AlreadyAnswered);
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
        let answer = (record.received, record.response.to_vec());
        self.answers.insert(*record.hash, answer);
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
    fn station(&self, canonical_id: &[u8]) -> Result<Option<Station>, StorageFailure> {
        Ok(self.stations.get(canonical_id).cloned())
    }

    fn credential(&self, id: HashedId8) -> Result<Option<(Station, Vec<u8>)>, StorageFailure> {
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
