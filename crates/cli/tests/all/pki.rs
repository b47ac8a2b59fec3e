//! `waywarden pki`: what it makes, what it refuses, and what it keeps secret.

mod certificates;
mod keys;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::waywarden;

/// A folder with PKIs, and the command in it.
pub(crate) struct World {
    folder: TempDir,
}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) complaint: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file that its owner alone may read, as those with secrets have to be.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
        #[cfg(unix)]
        self.set_mode(name, 0o600);
    }

    #[cfg(unix)]
    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.path(name), mode).unwrap();
    }

    /// Runs a command whose words are separated by blanks.
    pub(crate) fn run(&self, words: &str) -> Ended {
        let mut command = waywarden();
        command.current_dir(self.folder.path());
        let output = command.args(words.split_whitespace()).output().unwrap();
        Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            complaint: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn works(&self, words: &str) -> String {
        let ended = self.run(words);
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.complaint);
        ended.out
    }

    /// Runs a command that is refused, and for these reasons.
    pub(crate) fn refused(&self, words: &str, reasons: &[&str]) {
        let ended = self.run(words);
        assert_eq!(ended.code, Some(2), "{words}: {}", ended.complaint);
        for reason in reasons {
            let complaint = &ended.complaint;
            assert!(complaint.contains(reason), "{words}: {reason}: {complaint}");
        }
    }

    /// The values of a field of the index, of the certificates with a name.
    pub(crate) fn indexed(&self, pki: &str, name: &str, field: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(pki).join("pki.toml")).unwrap();
        let tables = text.split("[[certificate]]");
        let named = tables.filter(|table| table.contains(&format!("name = \"{name}\"\n")));
        let start = format!("\n{field} = \"");
        let values = named.filter_map(|table| {
            let (_, rest) = table.split_once(&start)?;
            Some(format!("{pki}/{}", rest.split_once('"')?.0))
        });
        values.collect()
    }

    /// The newest of them.
    pub(crate) fn newest(&self, pki: &str, name: &str, field: &str) -> String {
        self.indexed(pki, name, field).pop().expect(name)
    }
}

/// Every file below a folder, with its bytes.
pub(crate) fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(snapshot(&path)),
            false => {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    found
}
