//! Vehicles with pseudonyms by their names: those of the database, and those of the marks alone.

use waywarden_v2x_pki_service::database::{DATABASE, Database};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole};
use waywarden_pki_folder::pseudonyms::marks::Marks;
use waywarden_pki_folder::pseudonyms::vehicle::{self, is_known};
use waywarden_pki_folder::pseudonyms::{database, database_to_read};
use waywarden_v2x_input::time;

/// The vehicles of a PKI.
pub(crate) struct KnownVehicles {
    database: Option<Database>,
    marks: Option<Marks>,
}

impl KnownVehicles {
    /// Opens what a PKI has of vehicles: nothing, if it is not American.
    pub(crate) fn open(directory: &PkiDirectory) -> Result<Self, Failure> {
        Self::with(directory, database(directory)?)
    }

    /// The same, also where the folder is read-only.
    pub(crate) fn open_to_read(directory: &PkiDirectory) -> Result<Self, Failure> {
        Self::with(directory, database_to_read(directory)?)
    }

    fn with(directory: &PkiDirectory, database: Option<Database>) -> Result<Self, Failure> {
        let marks = match directory.index.shape {
            CertificateShape::Us => Some(Marks::read(&directory.path)?),
            CertificateShape::Etsi => None,
        };
        Ok(Self { database, marks })
    }

    /// Returns true if there is a vehicle of this name. Needs no key.
    pub(crate) fn has(&self, name: &str) -> Result<bool, Failure> {
        let is_recorded = match &self.database {
            Some(database) => is_known(database, name)?,
            None => false,
        };
        let is_marked = |marks: &Marks| !marks.of(name).is_empty();
        Ok(is_recorded || self.marks.as_ref().is_some_and(is_marked))
    }

    /// Returns the names of all vehicles: those of the database from the oldest to the newest, and
    /// those that it does not have.
    pub(crate) fn names(&self) -> Result<Vec<String>, Failure> {
        let mut names = match &self.database {
            Some(database) => vehicle::names(database)?,
            None => Vec::new(),
        };
        let marked = self.marks.iter().flat_map(Marks::names);
        let known: std::collections::HashSet<String> = names.iter().cloned().collect();
        names.extend(
            marked
                .filter(|name| !known.contains(*name))
                .map(str::to_owned),
        );
        Ok(names)
    }

    /// Says that there is no certificate of a name, and what to do if a restored database is why.
    pub(crate) fn unknown(&self, directory: &PkiDirectory, name: &str) -> Result<Failure, Failure> {
        let failure = directory.unknown(name, &self.names()?);
        let restored = match &self.database {
            Some(database) => database.restored().map_err(Failure::new)?,
            None => None,
        };
        let Some(restored) = restored else {
            return Ok(failure);
        };
        let time = time::show(Time64(u64::from(restored.0) * 1_000_000));
        let folder = directory.path.display();
        let pca = directory.index.in_force(HolderRole::Authorization);
        let (pca, id) = pca.map_or(("pca", "HASHEDID8"), |one| (&*one.name, &*one.id));
        let remedy = format!(
            "{folder}/{DATABASE} was restored from a back-up on {time}, and does not know vehicles \
             that got their first certificates after that back-up; restore a later database if \
             there is one, such as {folder}/{DATABASE}.replaced; if there is none, revoke the \
             pseudonym CA, which takes all that it issued with it: `waywarden pki renew {folder} \
             {pca}`, then `waywarden pki revoke {folder} {id}`, and issue pseudonyms to the other \
             vehicles again"
        );
        let lines = failure.lines().iter().cloned();
        Ok(Failure::all(lines.chain([remedy])))
    }
}
