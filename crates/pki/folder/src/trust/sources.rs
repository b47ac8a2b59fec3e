//! Trust of a receiver from several places at once: folders, files, trust stores, bytes.

use std::path::{Path, PathBuf};

use waywarden_command_line::exit::Failure;
use waywarden_input_files::Problem;
use waywarden_v2x_input::certificates::{FoundCertificates, Trust};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::folder;

/// Certificates as they were found, which a receiver is to trust. Nothing is judged before
/// [`TrustSources::install`].
#[derive(Clone, Debug, Default)]
pub struct TrustSources {
    found: FoundCertificates,
    /// Trust stores, which are judged by time.
    stores: Vec<PathBuf>,
}

/// Reason why a source cannot be used.
#[derive(Debug)]
pub enum SourceFault {
    /// Certificates of a file, a folder or bytes.
    Certificates(Problem),
    /// A trust store.
    Store(Failure),
}

impl std::fmt::Display for SourceFault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Certificates(problem) => problem.fmt(formatter),
            Self::Store(failure) => formatter.write_str(&failure.lines().join("\n")),
        }
    }
}

impl std::error::Error for SourceFault {}

impl TrustSources {
    /// Adds the certificates of a folder or a file, or a trust store (see `waywarden pki trust`).
    ///
    /// # Errors
    /// [`SourceFault::Certificates`] if it cannot be read, or has none; nothing is added then.
    pub fn add_path(&mut self, path: &Path) -> Result<(), SourceFault> {
        if folder::is_store(path) {
            self.stores.push(path.to_owned());
            return Ok(());
        }
        let found = FoundCertificates::read(path).map_err(SourceFault::Certificates)?;
        self.found.extend(found);
        Ok(())
    }

    /// Adds the certificate in bytes that came from this place.
    ///
    /// # Errors
    /// [`SourceFault::Certificates`] if it is none; nothing is added then.
    pub fn add_certificate(&mut self, place: &str, bytes: &[u8]) -> Result<(), SourceFault> {
        let added = self.found.add(place, bytes);
        added.map_err(SourceFault::Certificates)
    }

    /// Makes a verifier trust what is to be trusted at this time. Returns the certificates, and
    /// notes on lists of trust stores.
    ///
    /// # Errors
    /// [`SourceFault::Store`] if a trust store cannot be read.
    pub fn install(
        &self,
        verifier: &mut Verifier,
        now: Time64,
    ) -> Result<(Trust, Vec<String>), SourceFault> {
        let mut loaded = self.found.clone().install(verifier);
        let mut notes = Vec::new();
        for store in &self.stores {
            let (more, said) = super::load(store, verifier, now).map_err(SourceFault::Store)?;
            loaded.merge(more);
            notes.extend(said);
        }
        Ok((loaded, notes))
    }
}
