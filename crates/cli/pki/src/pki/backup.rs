//! `waywarden pki backup` and `restore`: the database of a PKI as one file.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use waywarden_v2x_pki::enrolment::EnrolmentLimits;
use waywarden_v2x_pki_service::database::{DATABASE, Database, restore};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::{clock, revoke};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::places::{check_unlinked, is_standard};
use waywarden_pki_authorities::pseudonyms::unlistable;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole};
use waywarden_pki_folder::pseudonyms::marks::Marks;
use waywarden_pki_folder::{recorded, transaction};
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
/// The back-up does not know what happened since. So requests that were made before now are
/// refused; a revoked vehicle that it has is listed for all certificates that could have been
/// issued to it; later vehicles are in `pseudonyms.marks` in the folder, and can be revoked; and
/// the next lists leave numbers out. Give this command for a folder that is itself a copy, too:
/// with a copy of its pki.sqlite.
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
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let database = recorded::open_to_read(&directory.path, &directory.index)?;
        database.back_up(&self.output).map_err(Failure::new)?;
        let mut out = super::stdout();
        writeln!(
            out,
            "wrote {}: {}",
            self.output.display(),
            counts(&database)?
        )?;
        Ok(Answer::Yes)
    }
}

impl Restore {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let root = directory.index.of_role(HolderRole::Root);
        let root = root.and_then(|root| records::hex(&root.id)?.try_into().ok());
        // Before the database is replaced: what is marked without a restore does no harm.
        let mut index = directory.index.clone();
        index.set_restored();
        transaction::commit(&directory.path, &[], &index)?;
        let (path, now) = (directory.path.join(DATABASE), clock::now());
        let kept = restore(&path, &self.file, root.map(HashedId8), now).map_err(Failure::new)?;
        if directory.index.shape == CertificateShape::Etsi {
            // Requests of the next moment are refused, too, since clocks differ: stations are
            // served once this command has ended.
            clock::sleep(Duration::from_micros(EnrolmentLimits::DEFAULT.future));
        }
        let database = recorded::open(&directory.path, &directory.index);
        let database = database.map_err(|failure| recorded::decided(&failure))?;
        let mut out = super::stdout();
        writeln!(out, "restored {}: {}", path.display(), counts(&database)?)?;
        if let Some(kept) = kept {
            writeln!(out, "kept what it replaces as {}", kept.display())?;
        }
        if let Some(until) = database.forgotten_until().map_err(Failure::new)? {
            let until = time::show(until);
            writeln!(out, "requests that were made until {until} are refused")?;
        }
        if !Marks::read(&directory.path)?.is_empty()
            && let Some(why) = unlistable(&directory)?
        {
            revoke::warn(
                "vehicles have pseudonyms that no list can revoke",
                why.lines(),
            );
        }
        Ok(Answer::Yes)
    }
}

/// Describes what a database has.
fn counts(database: &Database) -> Result<String, Failure> {
    let certificates = database.issued_ids().map_err(Failure::new)?.len();
    let stations = database.stations().map_err(Failure::new)?.len();
    Ok(format!("{certificates} certificates, {stations} stations"))
}
