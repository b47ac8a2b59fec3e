//! Certificates that the user has: a folder of trusted ones, and keys that are known otherwise.

mod found;
mod known_keys;

use std::collections::BTreeMap;
use std::path::Path;

use waywarden_input_files::Problem;
use waywarden_input_files::plain::plain;
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::store::CHAIN_MAX;
use waywarden_v2x_security::{Refusal, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8};

use super::record::InputRecord;

pub use found::FoundCertificates;
pub use known_keys::{KnownKey, SignerKeys};

/// The certificates of a folder.
#[derive(Debug, Default)]
pub struct Trust {
    /// Encoded certificates by their HashedId8.
    pub by_id: BTreeMap<HashedId8, Vec<u8>>,
    /// Certificates that are not taken.
    refused: Vec<RefusedCertificate>,
    /// Index in `refused` of each certificate, by its HashedId8.
    refused_by_id: BTreeMap<HashedId8, usize>,
    /// Files that are no certificates though they should be, and why.
    broken: Vec<String>,
    /// Number of trust anchors.
    pub anchors: usize,
}

/// A certificate of the folder that is not taken.
#[derive(Debug)]
pub struct RefusedCertificate {
    /// The file and the place in it.
    pub place: String,
    /// HashedId8 of the certificate.
    id: Option<HashedId8>,
    /// Reason why it is not taken.
    pub refusal: Refusal,
}

impl RefusedCertificate {
    fn new(record: InputRecord, refusal: Refusal) -> Self {
        let certificate = parse::<Certificate<'_>>(&record.bytes);
        Self {
            id: certificate.ok().and_then(|certificate| id_of(&certificate)),
            place: record.place,
            refusal,
        }
    }
}

/// Returns the HashedId8 of a certificate.
pub fn id_of(certificate: &Certificate<'_>) -> Option<HashedId8> {
    certificate_digest(certificate).map(|digest| digest.id_8())
}

impl Trust {
    /// Reads the certificates of a folder into a verifier: those that issued themselves are
    /// trusted, the others are taken if their chain ends at one of those. Other files in it are
    /// passed over.
    ///
    /// # Errors
    /// As [`FoundCertificates::read`] has them.
    pub fn load(folder: &Path, verifier: &mut Verifier) -> Result<Self, Problem> {
        // A file is no folder for the command, which says so in the words of the system.
        if folder.is_file()
            && let Err(error) = std::fs::read_dir(folder)
        {
            return Err(Problem::file(plain(&folder.display().to_string()), &error));
        }
        Ok(FoundCertificates::read(folder)?.install(verifier))
    }

    /// Says what of the folder is not taken, and why: of so many the place and the reason.
    pub fn warnings(&self, most: usize) -> Vec<String> {
        let broken = self
            .broken
            .iter()
            .map(|one| format!("{one}; it is passed over"));
        at_most(most, broken.chain(self.not_taken(|_| true)))
    }

    /// The same for a receiver that runs on with what it has rather than with a part of a folder:
    /// what is damaged or refused is a failure. A certificate whose issuer is not there is none,
    /// for the issuer may have been taken away on purpose.
    pub fn warnings_if_sound(&self, most: usize) -> Result<Vec<String>, Problem> {
        let broken = self
            .broken
            .iter()
            .map(|one| format!("{one}; copy it again, or remove it"));
        let faults = broken.chain(self.not_taken(|refusal| !is_missing(refusal)));
        let faults = at_most(most, faults);
        match faults.is_empty() {
            true => Ok(at_most(most, self.not_taken(is_missing))),
            false => Err(Problem::all("trust-damaged", faults)),
        }
    }

    /// Names the certificates that are refused for such reasons.
    fn not_taken(&self, which: impl Fn(&Refusal) -> bool) -> impl Iterator<Item = String> {
        let refused = self.refused.iter().filter(move |one| which(&one.refusal));
        refused.map(|one| {
            let why = self.explain(&one.refusal);
            format!("{} is not taken: {why}", one.place)
        })
    }

    /// Takes a certificate that was judged elsewhere: why it is not taken, and whether it issued
    /// itself.
    pub fn insert(&mut self, record: InputRecord, refusal: Option<Refusal>, is_anchor: bool) {
        let view = parse::<Certificate<'_>>(&record.bytes);
        if let Some(id) = view.ok().and_then(|view| id_of(&view)) {
            self.by_id.insert(id, record.bytes.clone());
        }
        match refusal {
            Some(refusal) => self.refuse(record, refusal),
            None => self.anchors += usize::from(is_anchor),
        }
    }

    /// Takes those of another one, too.
    pub fn merge(&mut self, other: Self) {
        self.by_id.extend(other.by_id);
        let before = self.refused.len();
        let refused = other.refused_by_id.into_iter();
        self.refused_by_id
            .extend(refused.map(|(id, at)| (id, before + at)));
        self.refused.extend(other.refused);
        self.broken.extend(other.broken);
        self.anchors += other.anchors;
    }

    fn refuse(&mut self, record: InputRecord, refusal: Refusal) {
        let refused = RefusedCertificate::new(record, refusal);
        if let Some(id) = refused.id {
            self.refused_by_id.insert(id, self.refused.len());
        }
        self.refused.push(refused);
    }

    fn refused_as(&self, id: HashedId8) -> Option<&RefusedCertificate> {
        self.refused.get(*self.refused_by_id.get(&id)?)
    }

    /// Returns the refusal by its own name where a certificate is missing only because the folder's
    /// chain to it is too long already: that what stands under it is too long as well.
    pub fn settled(&self, refusal: &Refusal) -> Refusal {
        let above = refusal.reason.missing();
        let above = above.and_then(|id| self.refused_as(id).map(|one| &one.refusal));
        match above {
            Some(above) if is_too_long(above) => Refusal {
                certificate: refusal.certificate,
                ..*above
            },
            _ => *refusal,
        }
    }

    /// Says what is wrong: where a certificate is missing that the folder has and that is refused
    /// itself, also that.
    pub fn reason(&self, refusal: &Refusal) -> String {
        refusal.reason.to_string() + &self.behind(refusal)
    }

    /// Says which check failed, and what is wrong.
    pub fn explain(&self, refusal: &Refusal) -> String {
        refusal.to_string() + &self.behind(refusal)
    }

    /// Returns the reason why a certificate of the folder counts as missing.
    fn behind(&self, refusal: &Refusal) -> String {
        let mut words = String::new();
        let mut reason = refusal.reason;
        // Each names the issuer of the one before.
        for _ in 0..CHAIN_MAX {
            let Some(one) = reason.missing().and_then(|id| self.refused_as(id)) else {
                break;
            };
            reason = one.refusal.reason;
            words += &format!("; it is in {}, and not taken: {}", one.place, one.refusal);
        }
        words
    }

    /// Refuses what no issuer was found for: by its own name what stands under a chain that is too
    /// long.
    fn give_up(&mut self, waiting: Vec<(InputRecord, Refusal)>) {
        let mut under: BTreeMap<HashedId8, Vec<(InputRecord, Refusal)>> = BTreeMap::new();
        let mut next = Vec::new();
        for (record, refusal) in waiting {
            match refusal.reason.missing() {
                Some(id) if self.settled(&refusal) == refusal => {
                    under.entry(id).or_default().push((record, refusal));
                }
                _ => next.push((record, refusal)),
            }
        }
        while let Some((record, refusal)) = next.pop() {
            let refusal = self.settled(&refusal);
            self.refuse(record, refusal);
            let id = self.refused.last().and_then(|one| one.id);
            next.extend(id.and_then(|id| under.remove(&id)).unwrap_or_default());
        }
        for (record, refusal) in under.into_values().flatten() {
            self.refuse(record, refusal);
        }
    }

    /// Adds certificates, issuers before those whom they issued to, until no more can be.
    fn add(&mut self, mut waiting: Vec<InputRecord>, verifier: &mut Verifier) {
        loop {
            let before = waiting.len();
            let mut later = Vec::new();
            for record in waiting {
                match verifier.add_certificate(&record.bytes) {
                    Ok(_) => {}
                    Err(refusal) if is_missing(&refusal) => later.push((record, refusal)),
                    Err(refusal) => self.refuse(record, refusal),
                }
            }
            if later.len() == before {
                return self.give_up(later);
            }
            waiting = later.into_iter().map(|(record, _)| record).collect();
        }
    }
}

/// The first lines, and how many more there are.
fn at_most(most: usize, mut lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = lines.by_ref().take(most).collect();
    let more = lines.count();
    if more > 0 {
        all.push(format!("nor are {more} more"));
    }
    all
}

fn is_missing(refusal: &Refusal) -> bool {
    refusal.code == ResultCode::ChainNotEnoughInformationToConstructChain
}

fn is_too_long(refusal: &Refusal) -> bool {
    refusal.code == ResultCode::ChainWasTooLongForImplementation
}
