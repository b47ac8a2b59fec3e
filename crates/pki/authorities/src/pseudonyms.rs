//! Batches of pseudonym certificates for vehicles, by butterfly keys \[1609.2.1\].

mod authorities;
mod known;
mod linkage;
mod resolver;
mod revocation;
mod target;
mod weeks;

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::interruption;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{self, CertificateShape};
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::pseudonyms::database_to_read;
use waywarden_pki_folder::pseudonyms::vehicle::RequestingVehicle;
use waywarden_v2x_pki::pseudonym::{CertificatePosition, Period};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use self::authorities::Authorities;
pub(crate) use self::known::KnownVehicles;
pub(crate) use self::resolver::FolderResolver;
pub(crate) use self::revocation::holders;
use self::weeks::Weeks;
use crate::clock::Clock;
use crate::error::PkiError;
use crate::note::{Note, Notes};

/// Certificates that are recorded together: what a killed process does again at most.
const TOGETHER: usize = 400;

/// Maximum number of certificates of a vehicle for a week.
pub const PER_WEEK_MAX: u8 = 100;

/// Maximum number of weeks of one call.
pub const WEEKS_MAX: u16 = 1_000;

/// Maximum number of vehicles of one call.
pub const VEHICLES_MAX: u32 = 100_000;

/// Pseudonyms to be issued.
#[derive(Clone, Debug)]
pub struct NewPseudonyms {
    /// Name of the vehicle in commands; of several NAME-1, NAME-2 and so on.
    pub name: String,
    /// Number of weeks: 1 to 1,000.
    pub weeks: u16,
    /// Number of certificates a week: 1 to 100.
    pub per_week: u8,
    /// A time in the first week; now by default.
    pub start: Option<Time64>,
    /// Number of vehicles, 1 to 100,000; one with the name itself by default.
    pub vehicles: Option<u32>,
}

/// Pseudonyms that vehicles have after a call.
#[derive(Clone, Debug)]
pub struct IssuedPseudonyms {
    /// Names of the vehicles.
    pub vehicles: Vec<String>,
    /// Number of certificates that are there.
    pub certificates: usize,
    /// Number of those that this call issued; a call before may have issued the others.
    pub issued: usize,
    /// The first certificate of each vehicle.
    pub first: CertificatePosition,
    /// The last one.
    pub last: CertificatePosition,
}

/// Issues pseudonym certificates to vehicles of an American PKI. A call that was killed is made
/// again: it issues what is missing.
///
/// # Errors
/// [`PkiError`] for a PKI of another shape, a name that is another holder's, weeks in which the
/// pseudonym CA is not valid, a wrong passphrase, and for what the operating system refuses.
pub fn issue(
    folder: &Path,
    new: &NewPseudonyms,
    clock: Clock,
    passphrases: &mut Passphrases<'_>,
    notes: Notes<'_>,
) -> Result<IssuedPseudonyms, PkiError> {
    new.check()?;
    let directory = PkiDirectory::open_to_change(folder)?;
    let now = clock.now();
    let first = Period::at(new.start.unwrap_or(now));
    let first = first.filter(|first| first.0 <= Period::LAST.0 - new.weeks);
    let first = first.ok_or_else(|| {
        Failure::new("--start, --weeks: certificates end before 2140; give earlier weeks")
    })?;
    let vehicles = new.names(&directory)?;
    // Before anything is written: the name of a vehicle without certificates would be taken.
    let weeks = Weeks {
        first,
        count: new.weeks,
    };
    weeks.check(&directory, &vehicles)?;
    let mut authorities = Authorities::load(&directory, passphrases, now)?;
    let last = CertificatePosition {
        i: Period(first.0 + new.weeks - 1),
        j: new.per_week - 1,
    };
    let per_week = usize::from(new.per_week);
    let all = vehicles.len() * usize::from(new.weeks) * per_week;
    let (mut done, mut issued) = (0, 0);
    notes(Note::Progress { done, all });
    // The more vehicles are mixed, the better; so many as one transaction takes.
    for names in vehicles.chunks((TOGETHER / per_week).max(1)) {
        let group = names.iter().map(|name| authorities.vehicle(name, first));
        let group = group.collect::<Result<Vec<RequestingVehicle>, Failure>>()?;
        authorities.mark(names, &group, last)?;
        for week in 0..new.weeks {
            interruption::check()?;
            let i = Period(first.0 + week);
            issued += authorities.issue(&group, i, new.per_week)?;
            done += group.len() * per_week;
            notes(Note::Progress { done, all });
        }
        authorities.forget(&group);
    }
    Ok(IssuedPseudonyms {
        vehicles,
        certificates: done,
        issued,
        first: CertificatePosition { i: first, j: 0 },
        last,
    })
}

impl NewPseudonyms {
    fn check(&self) -> Result<(), Failure> {
        index::name(&self.name).map_err(|why| Failure::new(format_args!("--for: {why}")))?;
        let vehicles = self.vehicles.unwrap_or(1);
        for (option, value, most) in [
            ("--weeks", u32::from(self.weeks), u32::from(WEEKS_MAX)),
            ("--per-week", self.per_week.into(), PER_WEEK_MAX.into()),
            ("--vehicles", vehicles, VEHICLES_MAX),
        ] {
            if !(1..=most).contains(&value) {
                let wrong = format_args!("{option}: {value}; give 1 to {most}");
                return Err(Failure::new(wrong));
            }
        }
        Ok(())
    }

    /// The names of the vehicles, which are no names of other holders.
    fn names(&self, directory: &PkiDirectory) -> Result<Vec<String>, Failure> {
        if directory.index.shape != CertificateShape::Us {
            return Err(Failure::new(format_args!(
                "{}: pseudonyms by butterfly keys are of a PKI made with `pki init --us`",
                directory.path.display()
            )));
        }
        let names: Vec<String> = match self.vehicles {
            None => vec![self.name.clone()],
            Some(count) => {
                let names = (1..=count).map(|number| format!("{}-{number}", self.name));
                names.collect()
            }
        };
        if let Some(revoked) = names
            .iter()
            .find(|one| directory.index.has_revoked_vehicle(one))
        {
            return Err(Failure::new(format_args!(
                "--for {revoked}: its pseudonyms are revoked; give another name"
            )));
        }
        let other = names.iter().find_map(|name| directory.index.find(name));
        match other {
            None => Ok(names),
            Some(other) => Err(Failure::new(format_args!(
                "--for {}: is the name of {} {}; give another name",
                other.name,
                other.role.show(directory.index.shape),
                other.id
            ))),
        }
    }
}

/// Returns the reason for which no list can have the vehicles of a PKI by their linkage values.
///
/// # Errors
/// [`PkiError`] for a database that cannot be read.
pub fn unlistable(directory: &PkiDirectory) -> Result<Option<PkiError>, PkiError> {
    let Some(database) = database_to_read(directory)? else {
        return Ok(None);
    };
    let missing = linkage::missing_secret(directory, &database)?;
    Ok(missing.map(PkiError::from))
}

/// Returns the names of the vehicles of a PKI, from the oldest to the newest.
///
/// # Errors
/// [`PkiError`] for a database that cannot be read.
pub fn vehicles(directory: &PkiDirectory) -> Result<Vec<String>, PkiError> {
    Ok(KnownVehicles::open_to_read(directory)?.names()?)
}
