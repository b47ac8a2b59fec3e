//! A folder that keeps a run, and knows whether it has it already.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::failed;
use super::figures::Figures;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;

/// The summary of a run in its folder.
pub(super) const SUMMARY: &str = "summary.json";
const MANIFEST: &str = "manifest.json";
/// A process that writes into the folder has it locked.
const LOCK: &str = "lock";
const PARTIAL: &str = ".partial";

/// Contents of a folder, and their origin.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
pub(super) struct Manifest {
    version: String,
    /// All options, those by default too.
    pub(super) options: serde_json::Value,
    /// SHA-256 of each file that went in.
    inputs: BTreeMap<String, String>,
    /// SHA-256 of each file that came out.
    files: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads the manifest of a folder; `None` if there is none from this release or of this form.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let text = fs::read_to_string(folder.join(MANIFEST)).ok()?;
        let manifest: Self = serde_json::from_str(&text).ok()?;
        (manifest.version == env!("CARGO_PKG_VERSION")).then_some(manifest)
    }
}

/// The folder of a run, which no other run writes into meanwhile.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    options: serde_json::Value,
    inputs: BTreeMap<String, String>,
    /// Files that are written, and get their names when the run is whole.
    partial: Vec<String>,
    _lock: File,
}

impl Kept {
    /// Takes all that a run depends on, and makes the folder.
    pub(super) fn new(
        folder: &Path,
        inputs: impl Iterator<Item = PathBuf>,
        options: serde_json::Value,
    ) -> Result<Self, Failure> {
        let lock = lock(folder)?;
        let mut hashes = BTreeMap::new();
        for path in inputs {
            let digest = digest(files::open(&path)?);
            let digest = digest.map_err(|error| Failure::file(path.display(), &error))?;
            let is_inside = |whole: PathBuf| {
                fs::canonicalize(folder).is_ok_and(|folder| whole.parent() == Some(&folder))
            };
            if fs::canonicalize(&path).is_ok_and(is_inside) {
                let what =
                    "it is in the folder of --out, where files are replaced; keep it elsewhere";
                return Err(failed(&path, what));
            }
            hashes.insert(path.display().to_string(), hex(&digest));
        }
        Ok(Self {
            folder: folder.to_owned(),
            options,
            inputs: hashes,
            partial: Vec::new(),
            _lock: lock,
        })
    }

    /// Returns the figures of the run, if the folder has it whole, from this release.
    pub(super) fn figures(&self) -> Result<Option<Figures>, Failure> {
        let Some(manifest) = Manifest::read(&self.folder) else {
            return Ok(None);
        };
        let is_same = |(name, hash): (&String, &String)| {
            let file = File::open(self.folder.join(name));
            file.and_then(digest)
                .is_ok_and(|digest| hex(&digest) == *hash)
        };
        // Inputs may have moved: what is in them counts.
        let hashes = |inputs: &BTreeMap<String, String>| {
            let mut hashes: Vec<_> = inputs.values().cloned().collect();
            hashes.sort_unstable();
            hashes
        };
        if manifest.options != self.options
            || hashes(&manifest.inputs) != hashes(&self.inputs)
            || !manifest.files.iter().all(is_same)
        {
            return Ok(None);
        }
        let summary = files::text(&self.folder.join(SUMMARY))?;
        Ok(serde_json::from_str(&summary).ok())
    }

    fn partial(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{PARTIAL}"))
    }

    /// Begins a file of the run.
    pub(super) fn create(&mut self, name: &str) -> Result<File, Failure> {
        let path = self.partial(name);
        // What stands there is left over, or a link to somewhere else.
        let _ = fs::remove_file(&path);
        let file = File::create_new(&path);
        self.partial.push(name.to_owned());
        file.map_err(|error| Failure::file(path.display(), &error))
    }

    /// Writes a file of the run.
    pub(super) fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let mut file = self.create(name)?;
        let written = file.write_all(bytes);
        written.map_err(|error| self.failed(name, &error))
    }

    /// Says that a file could not be written.
    pub(super) fn failed(&self, name: &str, error: &io::Error) -> Failure {
        Failure::file(self.folder.join(name).display(), error)
    }

    /// Writes the summary, gives all files their names, and writes the manifest that says that they
    /// are whole. Files of another run that was here before go.
    pub(super) fn finish(mut self, figures: &Figures) -> Result<(), Failure> {
        self.write(SUMMARY, &json(figures)?)?;
        let before = Manifest::read(&self.folder).map_or_else(BTreeMap::new, |before| before.files);
        let _ = fs::remove_file(self.folder.join(MANIFEST));
        let mut manifest = Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: std::mem::take(&mut self.options),
            inputs: std::mem::take(&mut self.inputs),
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
        let is_plain = |name: &&String| !name.contains(['/', '\\']);
        for name in before.keys().filter(is_plain) {
            if !manifest.files.contains_key(name) {
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
        let (partial, path) = (self.partial(MANIFEST), self.folder.join(MANIFEST));
        let written =
            fs::write(&partial, json(&manifest)?).and_then(|()| fs::rename(&partial, path));
        written.map_err(|error| self.failed(MANIFEST, &error))
    }
}

impl Drop for Kept {
    /// Takes away what a run that failed has begun.
    fn drop(&mut self) {
        for name in &self.partial {
            let _ = fs::remove_file(self.partial(name));
        }
    }
}

/// Makes a folder, and keeps others from writing into it until the file is dropped. Waits for
/// another command that does.
pub(super) fn lock(folder: &Path) -> Result<File, Failure> {
    make(folder)?;
    let path = folder.join(LOCK);
    let wrong = |error: &io::Error| Failure::file(path.display(), error);
    let file = File::create(&path).map_err(|error| wrong(&error))?;
    if let Err(fs::TryLockError::WouldBlock) = file.try_lock() {
        // Such as the run of a worker that was killed: its result serves both.
        let folder = folder.display().to_string();
        messages::note(format_args!(
            "{}: waiting for another command that writes here",
            plain(&folder)
        ));
        file.lock().map_err(|error| wrong(&error))?;
    }
    Ok(file)
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
