//! `waywarden pki backup` and `restore`: the database of a PKI as one file.

use std::path::PathBuf;

use waywarden_v2x_pki_service::database::{DATABASE, restore};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::directory::Directory;
use super::index::Role;
use super::recorded;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::places::{check_unlinked, is_standard};
use waywarden_v2x_input::{records, time};

/// Write a back-up of a PKI's database, also while `pki serve` runs.
///
/// The file is for its owner alone (0600), appears once it is complete and checked, and takes the
/// place of one that is there. It has what was issued to whom, the registered stations, the
/// answered requests and the encrypted secrets. The certificates and keys of the authorities are
/// files: copy the folder for them. A folder that is read-only is read as it is.
///
/// Exit code 0 if it was written, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Backup {
    /// The folder of the PKI.
    dir: PathBuf,
    /// The file to write. One that is there is replaced; a symbolic link is refused.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Replace a PKI's database by a back-up.
///
/// The back-up is checked first, also that it is of this PKI; what was there stays as
/// `pki.sqlite.replaced`, and after further restores as `pki.sqlite.replaced.2` up to `.100`.
/// Certificates of the folder that the back-up does not have are recorded again. What `pki serve`
/// issued after the back-up is in the replaced database alone.
///
/// Exit code 0 if it was replaced, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Restore {
    /// The folder of the PKI.
    dir: PathBuf,
    /// The back-up.
    file: PathBuf,
}

impl Backup {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        if is_standard(&self.output) {
            return Err(Failure::new("-o: a back-up is a file; give its name"));
        }
        check_unlinked(&self.output)?;
        let directory = Directory::open_to_change(&self.dir)?;
        let database = recorded::open_to_read(&directory.path, &directory.index)?;
        database.back_up(&self.output).map_err(Failure::new)?;
        println!(
            "wrote {}: {} certificates, {} stations",
            self.output.display(),
            database.issued_ids().map_err(Failure::new)?.len(),
            database.stations().map_err(Failure::new)?.len()
        );
        Ok(Answer::Yes)
    }
}

impl Restore {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let directory = Directory::open_to_change(&self.dir)?;
        let root = directory.index.of_role(Role::Root);
        let root = root.and_then(|root| records::hex(&root.id)?.try_into().ok());
        let kept = restore(
            &directory.path.join(DATABASE),
            &self.file,
            root.map(HashedId8),
            time::now(),
        )
        .map_err(Failure::new)?;
        let database = recorded::open(&directory.path, &directory.index)?;
        println!(
            "restored {}: {} certificates, {} stations",
            database.path().display(),
            database.issued_ids().map_err(Failure::new)?.len(),
            database.stations().map_err(Failure::new)?.len()
        );
        if let Some(kept) = kept {
            println!("kept what it replaces as {}", kept.display());
        }
        Ok(Answer::Yes)
    }
}
