//! A folder that keeps a run, and knows whether it has it already.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::figures::Figures;
use crate::exit::Failure;
use crate::files;

/// The summary of a run in its folder.
pub(super) const SUMMARY: &str = "summary.json";
const MANIFEST: &str = "manifest.json";

/// What a folder has, and what it was made from.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    version: String,
    /// SHA-256 of all options and all files that went in.
    input: String,
    /// SHA-256 of the summary.
    summary: String,
}

/// The folder of a run.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    input: String,
}

impl Kept {
    /// Takes all that a run depends on.
    pub(super) fn new(
        folder: &Path,
        inputs: impl Iterator<Item = PathBuf>,
        options: &str,
    ) -> Result<Self, Failure> {
        let mut hash = Sha256::new();
        hash.update(options);
        let mut buffer = vec![0; 1 << 16];
        for path in inputs {
            let mut file = files::open(&path)?;
            let mut own = Sha256::new();
            loop {
                let read = file.read(&mut buffer);
                let read = read.map_err(|error| Failure::file(path.display(), &error))?;
                if read == 0 {
                    break;
                }
                own.update(&buffer[..read]);
            }
            hash.update(own.finalize());
        }
        Ok(Self {
            folder: folder.to_owned(),
            input: hex(&hash.finalize()),
        })
    }

    /// Returns the summary of the run, if the folder has it whole, from this release.
    pub(super) fn summary(&self) -> Result<Option<Vec<u8>>, Failure> {
        let Ok(text) = fs::read_to_string(self.folder.join(MANIFEST)) else {
            return Ok(None);
        };
        let Ok(summary) = fs::read(self.folder.join(SUMMARY)) else {
            return Ok(None);
        };
        let manifest: Option<Manifest> = serde_json::from_str(&text).ok();
        let is_same = manifest == Some(self.manifest(&summary));
        Ok(is_same.then_some(summary))
    }

    fn manifest(&self, summary: &[u8]) -> Manifest {
        Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input: self.input.clone(),
            summary: hex(&Sha256::digest(summary)),
        }
    }

    /// Writes the summary, then the manifest that says that it is whole.
    pub(super) fn write(&self, figures: &Figures) -> Result<(), Failure> {
        let json = |value: Result<Vec<u8>, serde_json::Error>| {
            let mut bytes = value.map_err(|error| Failure::writing(error.into()))?;
            bytes.push(b'\n');
            Ok::<_, Failure>(bytes)
        };
        let summary = json(serde_json::to_vec_pretty(figures))?;
        let manifest = json(serde_json::to_vec_pretty(&self.manifest(&summary)))?;
        for (name, bytes) in [(SUMMARY, summary), (MANIFEST, manifest)] {
            let path = self.folder.join(name);
            let partial = self.folder.join(format!("{name}.partial"));
            let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, &path));
            written.map_err(|error| Failure::file(path.display(), &error))?;
        }
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
