//! Certificates in folders, files and bytes, before any is judged.

use std::path::Path;

use waywarden_input_files::Problem;
use waywarden_input_files::plain::plain;
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, IssuerIdentifier};

use super::super::record::{InputRecord, begins_as_certificate};
use super::super::records;
use super::super::unread::StopReason;
use super::{Trust, id_of};

/// Maximum number of certificates in a folder.
const CERTIFICATES_MAX: usize = 100_000;

/// Certificates that a user has, read and not yet judged.
#[derive(Clone, Debug, Default)]
pub struct FoundCertificates {
    records: Vec<InputRecord>,
    /// Files that are no certificates though they should be, and why.
    broken: Vec<String>,
}

impl FoundCertificates {
    /// Reads the certificates of a folder, or of one file. Other files of a folder are passed over.
    ///
    /// # Errors
    /// A folder or file that cannot be read, or has no certificate; more than 100,000.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let failed = |error| Problem::file(plain(&path.display().to_string()), &error);
        let mut found = Self::default();
        if path.is_file() {
            found.add_file(path)?;
            return found.checked(path);
        }
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(path).map_err(failed)? {
            paths.push(entry.map_err(failed)?.path());
        }
        paths.sort();
        for path in &paths {
            match path.is_file() {
                true => found.add_file(path)?,
                false => found.pass_over(path),
            }
        }
        found.checked(path)
    }

    /// Takes a certificate in bytes; `place` names it in messages.
    ///
    /// # Errors
    /// It is no certificate.
    pub fn add(&mut self, place: &str, bytes: &[u8]) -> Result<(), Problem> {
        match parse::<Certificate<'_>>(bytes) {
            Ok(_) => {
                let record = InputRecord::of(place.to_owned(), bytes.to_vec());
                self.records.push(record);
                Ok(())
            }
            Err(error) => Err(Problem::new(
                "certificate-not-read",
                format_args!(
                    "{place}: no certificate of IEEE 1609.2: {error}; give its bytes in COER"
                ),
            )
            .at(place)),
        }
    }

    /// Takes those of another one, too.
    pub fn extend(&mut self, other: Self) {
        self.records.extend(other.records);
        self.broken.extend(other.broken);
    }

    /// Returns the number of certificates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns true if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Gives them to a verifier: those that issued themselves are trusted, the others are taken if
    /// their chain ends at one of those.
    pub fn install(self, verifier: &mut Verifier) -> Trust {
        let mut trust = Trust {
            broken: self.broken,
            ..Trust::default()
        };
        let mut waiting: Vec<InputRecord> = Vec::new();
        for record in self.records {
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
        trust.add(waiting, verifier);
        trust
    }

    /// Refuses a folder or file without a certificate that has a name by its hash.
    fn checked(self, path: &Path) -> Result<Self, Problem> {
        let is_named = |record: &InputRecord| {
            let certificate = parse::<Certificate<'_>>(&record.bytes);
            certificate.is_ok_and(|certificate| id_of(&certificate).is_some())
        };
        if self.records.iter().any(is_named) {
            return Ok(self);
        }
        let path = path.display().to_string();
        let broken = self.broken.iter().map(|one| format!("; {one}"));
        let line = format!(
            "{}: has no certificate of IEEE 1609.2; a folder of trusted certificates has each in a \
             file of its own or in lines of hexadecimal digits{}",
            plain(&path),
            broken.collect::<String>()
        );
        Err(Problem::new("trust-without-certificates", line).at(path))
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
    fn add_file(&mut self, path: &Path) -> Result<(), Problem> {
        let mut is_ours = is_named_as_certificate(path);
        let read = records::each(path, |record| {
            if self.records.len() == CERTIFICATES_MAX {
                let place = plain(&record.place).into_owned();
                let line = format!(
                    "{place}: more than {CERTIFICATES_MAX} certificates in the folder; take some \
                     out of it"
                );
                return Err(StopReason::Failed(
                    Problem::new("trust-too-large", line).at(place),
                ));
            }
            match parse::<Certificate<'_>>(&record.bytes) {
                Ok(_) => {
                    is_ours = true;
                    self.records.push(record);
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
}

/// Returns true if a file's name says that it is a certificate.
fn is_named_as_certificate(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".oer", ".coer", ".cert", ".crt"]
        .iter()
        .any(|end| name.ends_with(end))
}
