//! Certificates that the user has: a folder of trusted ones, and keys that are known otherwise.

mod known_keys;

use std::collections::BTreeMap;
use std::path::Path;

use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::store::CHAIN_MAX;
use waywarden_v2x_security::{Refusal, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, IssuerIdentifier};

use super::record::{InputRecord, begins_as_certificate};
use super::records;
use super::unread::StopReason;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::terminal::plain;

pub use known_keys::{KnownKey, SignerKeys};

/// Maximum number of certificates in a folder.
const CERTIFICATES_MAX: usize = 100_000;

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
    pub fn load(folder: &Path, verifier: &mut Verifier) -> Result<Self, Failure> {
        let failed = |error| Failure::file(plain(&folder.display().to_string()), &error);
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            paths.push(entry.map_err(failed)?.path());
        }
        paths.sort();
        let mut trust = Self::default();
        let mut records = Vec::new();
        for path in &paths {
            match path.is_file() {
                true => trust.read(path, &mut records)?,
                false => trust.pass_over(path),
            }
        }
        let mut waiting: Vec<InputRecord> = Vec::new();
        for record in records {
            let Ok(certificate) = parse::<Certificate<'_>>(&record.bytes) else {
                continue;
            };
            if let Some(id) = id_of(&certificate) {
                trust.by_id.insert(id, record.bytes.clone());
            }
            if !matches!(certificate.issuer, IssuerIdentifier::SelfIssued(_)) {
                waiting.push(record);
                continue;
            }
            match verifier.add_trust_anchor(&record.bytes) {
                Ok(_) => trust.anchors += 1,
                Err(refusal) => trust.refuse(record, refusal),
            }
        }
        if trust.by_id.is_empty() {
            return Err(Failure::new(format_args!(
                "{}: has no certificate of IEEE 1609.2; a folder of trusted certificates has each \
                 in a file of its own or in lines of hexadecimal digits{}",
                plain(&folder.display().to_string()),
                trust
                    .broken
                    .iter()
                    .map(|one| format!("; {one}"))
                    .collect::<String>()
            )));
        }
        trust.add(waiting, verifier);
        Ok(trust)
    }

    /// Takes note of what is no file, though its name says that it is a certificate.
    fn pass_over(&mut self, path: &Path) {
        if is_named_as_certificate(path) {
            let place = plain(&path.display().to_string()).into_owned();
            self.broken.push(format!("{place} is no regular file"));
        }
    }

    /// Reads a file of the folder. A key or a licence beside certificates is no mistake: only what
    /// is named or begins as a certificate is reported if it is none.
    fn read(&mut self, path: &Path, records: &mut Vec<InputRecord>) -> Result<(), Failure> {
        let mut is_ours = is_named_as_certificate(path);
        let read = records::each(path, |record| {
            if records.len() == CERTIFICATES_MAX {
                let place = plain(&record.place).into_owned();
                return Err(StopReason::Failed(Failure::new(format_args!(
                    "{place}: more than {CERTIFICATES_MAX} certificates in the folder"
                ))));
            }
            match parse::<Certificate<'_>>(&record.bytes) {
                Ok(_) => {
                    is_ours = true;
                    records.push(record);
                }
                // A list or a message is whole, and no certificate.
                Err(_) if record.find().is_ok() => {}
                Err(error) if is_ours || begins_as_certificate(&record.bytes) => {
                    let place = &record.place;
                    self.broken
                        .push(format!("{place} is no certificate: {error}"));
                }
                Err(_) => {}
            }
            Ok(())
        });
        match read {
            Ok(file) => {
                let wrong = file.wrong.iter().filter(|_| is_ours);
                let wrong = wrong.map(|unread| format!("not read: {unread}"));
                self.broken.extend(wrong);
                self.broken.extend(file.note.filter(|_| is_ours));
                Ok(())
            }
            Err(StopReason::Failed(failure)) => Err(failure),
            Err(StopReason::Unread(unread)) if records::is_capture(path) => Err(unread.into()),
            Err(StopReason::Unread(unread)) => {
                if is_ours {
                    self.broken.push(format!("not read: {unread}"));
                }
                Ok(())
            }
        }
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
    pub fn warnings_if_sound(&self, most: usize) -> Result<Vec<String>, Failure> {
        let broken = self
            .broken
            .iter()
            .map(|one| format!("{one}; copy it again, or remove it"));
        let faults = broken.chain(self.not_taken(|refusal| !is_missing(refusal)));
        let faults = at_most(most, faults);
        match faults.is_empty() {
            true => Ok(at_most(most, self.not_taken(is_missing))),
            false => Err(Failure::all(faults)),
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

/// Returns true if a file's name says that it is a certificate.
fn is_named_as_certificate(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".oer", ".coer", ".cert", ".crt"]
        .iter()
        .any(|end| name.ends_with(end))
}
