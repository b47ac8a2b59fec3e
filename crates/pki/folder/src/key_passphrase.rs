//! The passphrase that the keys of a PKI have, proved by one of them.

use super::directory::PkiDirectory;
use super::index::IndexEntry;
use super::index::KeyForm;
use super::key_file;
use super::passphrase::{Passphrase, Passphrases};
use waywarden_command_line::exit::Failure;

/// Returns the passphrase of a PKI whose keys are encrypted. New keys have the same one, which the
/// issuer's key proves; a key that is not encrypted proves none, and is refused.
pub fn passphrase(
    directory: &PkiDirectory,
    issuer: &IndexEntry,
    passphrases: &mut Passphrases<'_>,
) -> Result<Option<Passphrase>, Failure> {
    if directory.index.keys != KeyForm::Encrypted {
        return Ok(None);
    }
    let key = match (&issuer.key, &issuer.token) {
        // Another key file of the PKI proves the passphrase instead.
        (None, Some(_)) => return proved(directory, passphrases),
        // Without a key the issuer is refused when it is loaded.
        (None, None) => return Ok(None),
        (Some(key), _) => key,
    };
    let file = directory.file(key);
    if !key_file::is_encrypted(&file)? {
        return Err(Failure::new(format_args!(
            "{}: is not encrypted, though pki.toml says `keys = \"encrypted\"`; encrypt it under \
             the passphrase of the PKI",
            file.display()
        )));
    }
    passphrases.existing(&file).map(|one| Some(one.copy()))
}

/// Returns the passphrase of a PKI whose issuer has its key in a token, if it is that of the newest
/// key file.
fn proved(
    directory: &PkiDirectory,
    passphrases: &mut Passphrases<'_>,
) -> Result<Option<Passphrase>, Failure> {
    let entries = directory.index.entries.iter().rev();
    let mut keys = entries.flat_map(|one| one.key.iter().chain(&one.encryption_key));
    let file = match keys.next() {
        Some(key) => directory.file(key),
        None => directory.path.clone(),
    };
    if file.is_file() {
        key_file::read(&file, None, passphrases)?;
    }
    passphrases.existing(&file).map(|one| Some(one.copy()))
}
