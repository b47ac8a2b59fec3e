//! Common parts of a European root's lists: their signer, and their destination.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use waywarden_v2x_signing::Credential;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::places::Readers;
use waywarden_pki_folder::credential::Held;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, Index, IndexEntry, TRUST};
use waywarden_pki_folder::key_store::Keys;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::transaction;

/// Returns the root of a European PKI.
pub(crate) fn root(directory: &PkiDirectory) -> Result<&IndexEntry, Failure> {
    let path = directory.path.display();
    if directory.index.shape == CertificateShape::Us {
        return Err(Failure::new(format_args!(
            "{path}: was made with --us, and lists of ETSI TS 102 941 are of a European PKI"
        )));
    }
    let root = directory.index.of_role(HolderRole::Root);
    root.ok_or_else(|| Failure::new(format_args!("{path}: has no root CA")))
}

/// Returns true if an authority can be on the lists of a root: it is right below it.
pub(crate) fn is_below(entry: &IndexEntry, root: &IndexEntry) -> bool {
    entry.role.is_authority() && entry.issuer.as_ref() == Some(&root.id)
}

/// Returns a certificate that signs lists, with its key in a file or in the token.
pub(crate) fn credential(
    directory: &PkiDirectory,
    signer: &IndexEntry,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
) -> Result<(Keys, Credential), Failure> {
    let mut store = Keys::default();
    let held = Held::of(directory, signer)?;
    let credential = match token.key(&mut store, signer)? {
        Some((_, key)) => held.credential_of(&store, key)?,
        None => held.credential_in(&mut store, passphrases)?,
    };
    Ok((store, credential))
}

/// Returns the path from which `pki serve` gives out a list of a root.
pub(crate) fn place(directory: &PkiDirectory, root: &IndexEntry, ending: &str) -> PathBuf {
    let name = format!("{}.{ending}", root.id);
    directory.path.join(TRUST).join(name)
}

/// Writes a list to a file that is not in its place yet.
pub(crate) fn written(path: &Path, list: &[u8]) -> Result<OutputFile, Failure> {
    let mut output = OutputFile::create_unlinked(path, Readers::Usual)?;
    output.write_all(list).map_err(Failure::writing)?;
    output.flush().map_err(Failure::writing)?;
    Ok(output)
}

/// Writes lists to files, and the one that is served to its place, which comes last.
///
/// The index is committed once all files could be written, and before they are in place: better a
/// number without a list than two lists with one number.
pub(crate) fn publish(
    directory: &PkiDirectory,
    index: &Index,
    files: &[(&Path, &[u8])],
    served: (&Path, &[u8]),
) -> Result<(), Failure> {
    let mut outputs = Vec::new();
    for (path, list) in files {
        outputs.push(written(path, list)?);
    }
    transaction::commit(&directory.path, &[], index)?;
    for output in outputs {
        output.finish_durably()?;
    }
    let (path, list) = served;
    let folder = transaction::parent(path);
    // The folder may be from elsewhere: nothing is written outside of it.
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    if !is_folder {
        let folder = folder.display();
        return Err(Failure::new(format_args!("{folder}: is not a folder")));
    }
    let replaced = transaction::replace(path, list, false).and_then(|()| transaction::sync(folder));
    replaced.map_err(|error| Failure::file(path.display(), &error))
}
