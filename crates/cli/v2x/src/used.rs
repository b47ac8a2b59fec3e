//! Certificates that a station has used, in a file that outlives the program: a station that starts
//! again, after a crash too, is another station and takes another certificate.
//!
//! A certificate is written down before the first message that it signs. So whatever ends the
//! program, no certificate signs under two sets of identifiers while another one is left.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_pki_folder::transaction;
use waywarden_v2x_input::records::show;

/// Maximum number of remembered certificates: those of a vehicle for four weeks and more.
const CERTIFICATES_MAX: usize = 1_024;
/// The longest file: so many certificates take 22 bytes each.
const BYTES_MAX: usize = 1 << 16;

/// The certificates that a station has used.
pub(crate) struct UsedCertificates {
    path: PathBuf,
    content: Content,
    /// Another station would use the same certificates at the same time.
    _lock: File,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Content {
    /// Their HashedId8, the one that was used last at the end.
    used_certificates: Vec<String>,
}

impl UsedCertificates {
    /// Reads the file, if there is one.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let lock = lock(path)?;
        let content = match path.exists() {
            true => read(path)?,
            false => Content::default(),
        };
        Ok(Self {
            path: path.to_owned(),
            content,
            _lock: lock,
        })
    }

    /// Finds why the file could not be opened, without making or locking it: another process may
    /// have it open.
    #[cfg(unix)]
    pub(crate) fn check(path: &Path) -> Result<(), Failure> {
        use rustix::fs::{Access, access};
        let folder = transaction::parent(path);
        access(folder, Access::WRITE_OK | Access::EXEC_OK)
            .map_err(|error| failed(path, &error.into()))?;
        match path.exists() {
            true => read(path).map(drop),
            false => Ok(()),
        }
    }

    /// Returns how long ago a certificate was used: 0 for the last one, 1 for the one before;
    /// `None` if it was not.
    pub(crate) fn age(&self, id: HashedId8) -> Option<usize> {
        let name = name_of(id);
        let mut newest = self.content.used_certificates.iter().rev();
        newest.position(|used| *used == name)
    }

    /// Writes down that a certificate is used from now on; to the medium, before this returns.
    pub(crate) fn add(&mut self, id: HashedId8) -> Result<(), Failure> {
        let name = name_of(id);
        let all = &mut self.content.used_certificates;
        all.retain(|used| *used != name);
        all.push(name);
        let excess = all.len().saturating_sub(CERTIFICATES_MAX);
        all.drain(..excess);
        let text = serde_json::to_vec(&self.content).map_err(Failure::new)?;
        transaction::replace(&self.path, &text, true)
            .and_then(|()| transaction::sync(transaction::parent(&self.path)))
            .map_err(|error| failed(&self.path, &error))
    }
}

/// The name of a certificate: 16 hexadecimal digits.
fn name_of(id: HashedId8) -> String {
    show(&id.0).replace(' ', "")
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format_args!(
        "{}: {error}; the used certificates are written down there: give another place (--state; \
         [pseudonyms] used)",
        path.display()
    ))
}

fn lock(path: &Path) -> Result<File, Failure> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".lock");
    let place = path.with_file_name(name);
    let mut options = File::options();
    let options = options.write(true).create(true).truncate(false);
    let file = options.open(&place).map_err(|error| failed(path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::new(format_args!(
            "{}: another station uses these certificates now",
            path.display()
        ))),
        Err(TryLockError::Error(error)) => Err(failed(path, &error)),
    }
}

fn read(path: &Path) -> Result<Content, Failure> {
    let bytes = files::bytes(path, BYTES_MAX)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Failure::new(format_args!(
            "{}: not the list of a station's used certificates: {error}; without it, the station \
             may take one that it used before",
            path.display()
        ))
    })
}

#[cfg(unix)]
impl waywarden_v2x_service::materials::UsedCertificates for UsedCertificates {
    fn age(&self, id: HashedId8) -> Option<usize> {
        Self::age(self, id)
    }

    fn add(&mut self, id: HashedId8) -> Result<(), String> {
        Self::add(self, id).map_err(|failure| failure.lines().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> HashedId8 {
        HashedId8(number.to_be_bytes())
    }

    #[test]
    fn list_is_kept_in_order_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("car.used.json");
        let mut used = UsedCertificates::open(&path).unwrap();
        assert_eq!(used.age(id(1)), None);
        for number in [1, 2, 3, 1] {
            used.add(id(number)).unwrap();
        }
        drop(used);
        let mut used = UsedCertificates::open(&path).unwrap();
        let ages = [1, 3, 2, 4].map(|number| used.age(id(number)));
        assert_eq!(ages, [Some(0), Some(1), Some(2), None]);
        used.content.used_certificates = vec![String::new(); CERTIFICATES_MAX];
        used.add(id(5)).unwrap();
        assert_eq!(used.content.used_certificates.len(), CERTIFICATES_MAX);
        drop(used);
        assert!(path.metadata().unwrap().len() < BYTES_MAX as u64);
    }

    #[test]
    fn second_station_and_damaged_file_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("car.used.json");
        let first = UsedCertificates::open(&path).unwrap();
        let refused = |expected: &str| {
            let failure = UsedCertificates::open(&path).err().unwrap();
            let text = failure.lines().join("; ");
            assert!(text.contains(expected), "{text}");
        };
        refused("another station uses these certificates");
        drop(first);
        std::fs::write(&path, "{\"usedCertificates\": [").unwrap();
        refused("not the list of a station's used certificates");
    }
}
