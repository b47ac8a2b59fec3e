//! A folder with files and PKIs, and a program that is run in it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A temporary folder, and the program under test in it.
pub struct CommandWorld {
    program: PathBuf,
    others: Option<OtherCommands>,
    folder: TempDir,
}

/// Commands of another crate, which run in the process of the test.
#[derive(Clone, Copy)]
pub struct OtherCommands {
    /// Their names.
    pub names: &'static [&'static str],
    /// Runs one of them with these words.
    pub run: fn(Vec<OsString>) -> Ended,
}

/// The end of a command.
pub struct Ended {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub complaint: String,
}

impl CommandWorld {
    /// Makes an empty folder for a program.
    ///
    /// # Panics
    ///
    /// If no folder can be made.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            others: None,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Returns it with commands that the program does not have.
    #[must_use]
    pub fn with(self, others: OtherCommands) -> Self {
        Self {
            others: Some(others),
            ..self
        }
    }

    /// Returns the path of a file of the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file that its owner alone may read, as those with secrets have to be.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
        #[cfg(unix)]
        self.set_mode(name, 0o600);
    }

    /// Sets the permissions of a file.
    ///
    /// # Panics
    ///
    /// If they cannot be set.
    #[cfg(unix)]
    pub fn set_mode(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.path(name), mode).unwrap();
    }

    /// Runs a command whose words are separated by blanks; `@` before a word says that it names a
    /// file of the folder, as commands of another crate have to know.
    ///
    /// # Panics
    ///
    /// If it does not start, or prints what is not UTF-8.
    #[must_use]
    pub fn run(&self, words: &str) -> Ended {
        let words = words.split_whitespace();
        if let Some(others) = self.others
            && words
                .clone()
                .next()
                .is_some_and(|name| others.names.contains(&name))
        {
            let words = words.map(|word| match word.strip_prefix('@') {
                Some(name) => self.path(name).into_os_string(),
                None => word.into(),
            });
            return (others.run)(words.collect());
        }
        let mut command = Command::new(&self.program);
        command.current_dir(self.folder.path());
        let words = words.map(|word| word.strip_prefix('@').unwrap_or(word));
        let output = command.args(words).output().unwrap();
        Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            complaint: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a command that succeeds; returns standard output.
    ///
    /// # Panics
    ///
    /// If the command fails.
    pub fn works(&self, words: &str) -> String {
        let ended = self.run(words);
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.complaint);
        ended.out
    }

    /// Runs a command that is refused, and for these reasons.
    ///
    /// # Panics
    ///
    /// If the command is not refused, or for another reason.
    pub fn refused(&self, words: &str, reasons: &[&str]) {
        let ended = self.run(words);
        assert_eq!(ended.code, Some(2), "{words}: {}", ended.complaint);
        for reason in reasons {
            let complaint = &ended.complaint;
            assert!(complaint.contains(reason), "{words}: {reason}: {complaint}");
        }
    }

    /// Returns the values of a field of a PKI's index, of the certificates with a name.
    ///
    /// # Panics
    ///
    /// If there is no index.
    #[must_use]
    pub fn indexed(&self, pki: &str, name: &str, field: &str) -> Vec<String> {
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

    /// Returns the newest of them.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn newest(&self, pki: &str, name: &str, field: &str) -> String {
        self.indexed(pki, name, field).pop().expect(name)
    }
}

/// Returns every file below a folder, with its bytes.
///
/// # Panics
///
/// If one of them cannot be read.
#[must_use]
pub fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(snapshot(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}
