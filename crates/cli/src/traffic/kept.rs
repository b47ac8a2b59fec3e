//! A folder that keeps a run, and knows whether it has it already.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
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
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    version: String,
    /// SHA-256 of all options and all files that went in.
    input: String,
    /// SHA-256 of each file that came out.
    files: BTreeMap<String, String>,
}

/// The folder of a run.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    input: String,
    /// Files that are written, and get their names when the run is whole.
    partial: Vec<String>,
}

impl Kept {
    /// Takes all that a run depends on, and makes the folder.
    pub(super) fn new(
        folder: &Path,
        inputs: impl Iterator<Item = PathBuf>,
        options: &str,
    ) -> Result<Self, Failure> {
        make(folder)?;
        let mut hash = Sha256::new();
        hash.update(options);
        for path in inputs {
            hash.update(
                digest(files::open(&path)?)
                    .map_err(|error| Failure::file(path.display(), &error))?,
            );
        }
        Ok(Self {
            folder: folder.to_owned(),
            input: hex(&hash.finalize()),
            partial: Vec::new(),
        })
    }

    /// Returns the figures of the run, if the folder has it whole, from this release.
    pub(super) fn figures(&self) -> Result<Option<Figures>, Failure> {
        let Ok(text) = fs::read_to_string(self.folder.join(MANIFEST)) else {
            return Ok(None);
        };
        let Ok(manifest) = serde_json::from_str::<Manifest>(&text) else {
            return Ok(None);
        };
        let is_same = |(name, hash): (&String, &String)| {
            let file = File::open(self.folder.join(name));
            file.and_then(digest)
                .is_ok_and(|digest| hex(&digest) == *hash)
        };
        if manifest.version != env!("CARGO_PKG_VERSION")
            || manifest.input != self.input
            || !manifest.files.iter().all(is_same)
        {
            return Ok(None);
        }
        let summary = files::text(&self.folder.join(SUMMARY))?;
        Ok(serde_json::from_str(&summary).ok())
    }

    fn partial(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.partial"))
    }

    /// Begins a file of the run.
    pub(super) fn create(&mut self, name: &str) -> Result<File, Failure> {
        let path = self.partial(name);
        let file = File::create(&path);
        self.partial.push(name.to_owned());
        file.map_err(|error| Failure::file(path.display(), &error))
    }

    /// Writes a file of the run.
    pub(super) fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let mut file = self.create(name)?;
        let written = io::Write::write_all(&mut file, bytes);
        written.map_err(|error| self.failed(name, &error))
    }

    /// Says that a file could not be written.
    pub(super) fn failed(&self, name: &str, error: &io::Error) -> Failure {
        Failure::file(self.folder.join(name).display(), error)
    }

    /// Writes the summary, gives all files their names, and writes the manifest that says that they
    /// are whole.
    pub(super) fn finish(mut self, figures: &Figures) -> Result<(), Failure> {
        self.write(SUMMARY, &json(figures)?)?;
        let _ = fs::remove_file(self.folder.join(MANIFEST));
        let mut manifest = Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input: self.input.clone(),
            files: BTreeMap::new(),
        };
        for name in std::mem::take(&mut self.partial) {
            let (partial, path) = (self.partial(&name), self.folder.join(&name));
            let renamed = fs::rename(partial, &path).and_then(|()| File::open(&path));
            let digest = renamed
                .and_then(digest)
                .map_err(|error| self.failed(&name, &error))?;
            manifest.files.insert(name, hex(&digest));
        }
        let (partial, path) = (self.partial(MANIFEST), self.folder.join(MANIFEST));
        let written =
            fs::write(&partial, json(&manifest)?).and_then(|()| fs::rename(&partial, path));
        written.map_err(|error| self.failed(MANIFEST, &error))
    }
}

/// Makes a folder, with those around it.
pub(super) fn make(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::file(path.display(), &error))
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let bytes = serde_json::to_vec_pretty(value);
    let mut bytes = bytes.map_err(|error| Failure::writing(error.into()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Returns the SHA-256 of a file, read as a stream.
fn digest(mut file: File) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().into()),
            read => hash.update(&buffer[..read]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
