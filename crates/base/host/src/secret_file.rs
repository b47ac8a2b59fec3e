//! Files with a secret in their first line. One that others can read or change is refused.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::regular_file;

/// The longest secret, in bytes.
pub const SECRET_BYTES_MAX: usize = 1_024;
/// Permissions that a secret's file may not have: the group may not write, others may do nothing.
const TOO_OPEN: u32 = 0o027;

/// Reason why a secret is not read.
#[derive(Debug)]
pub struct SecretError {
    path: PathBuf,
    problem: String,
}

impl SecretError {
    /// Names the file and what is wrong with its secret.
    #[must_use]
    pub fn new(path: &Path, problem: String) -> Self {
        Self {
            path: path.to_owned(),
            problem,
        }
    }
}

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for SecretError {}

/// Checks that a file with a secret is one that only its owner, and perhaps a group, can read, and
/// that its owner is root, this process's user or `user`.
///
/// # Errors
/// [`SecretError`] names the file, what is too open, and the command that closes it.
pub fn check(path: &Path, user: Option<u32>) -> Result<(), SecretError> {
    open(path, user).map(|_| ())
}

/// Reads the first line of such a file.
///
/// # Errors
/// The same, and a line that is empty or too long.
pub fn read(path: &Path, user: Option<u32>) -> Result<Zeroizing<Vec<u8>>, SecretError> {
    let wrong = |problem: String| SecretError::new(path, problem);
    let mut file = open(path, user)?;
    // Of full length from the start, so that no copy stays behind when it grows.
    let mut bytes = Zeroizing::new(vec![0; SECRET_BYTES_MAX + 2]);
    let mut length = 0;
    while length < bytes.len() {
        match file.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(wrong(error.to_string())),
        }
    }
    let end = bytes[..length].iter().position(|byte| *byte == b'\n');
    let mut end = end.unwrap_or(length);
    if bytes[..end].last() == Some(&b'\r') {
        end -= 1;
    }
    if end == 0 {
        let problem = "its first line is empty; write the secret there".to_owned();
        return Err(wrong(problem));
    }
    if end > SECRET_BYTES_MAX {
        let problem = format!("its first line is longer than {SECRET_BYTES_MAX} bytes");
        return Err(wrong(problem));
    }
    bytes[end..].fill(0);
    bytes.truncate(end);
    Ok(bytes)
}

/// Opens the file and judges what was opened, so that it cannot be exchanged in between.
fn open(path: &Path, user: Option<u32>) -> Result<File, SecretError> {
    let wrong = |problem: String| SecretError::new(path, problem);
    let file = regular_file::open(path).map_err(|error| wrong(error.to_string()))?;
    let metadata = file.metadata().map_err(|error| wrong(error.to_string()))?;
    judge(path, &metadata, user)?;
    Ok(file)
}

/// Judges the file of this name with a secret by its mode and owner, as [`check`] does.
///
/// # Errors
/// [`SecretError`].
pub fn judge(path: &Path, metadata: &Metadata, user: Option<u32>) -> Result<(), SecretError> {
    let wrong = |problem: String| SecretError::new(path, problem);
    let mode = metadata.mode() & 0o777;
    if mode & TOO_OPEN != 0 {
        return Err(wrong(format!(
            "has a secret, and its mode {mode:04o} lets others read or change it; `chmod 0600` it, \
             or 0640 with a group of its own"
        )));
    }
    let (owner, own) = (metadata.uid(), rustix::process::geteuid().as_raw());
    if owner == 0 || owner == own || Some(owner) == user {
        return Ok(());
    }
    Err(wrong(format!(
        "has a secret, and belongs to user {owner}; `chown` it to root or to user {}",
        user.unwrap_or(own)
    )))
}
