//! The vehicles behind pseudonyms: what the registration and both linkage authorities know.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use waywarden_command_line::exit::Failure;
use waywarden_misbehaviour_authority::{LinkageIndex, VehicleId, VehicleResolver};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::pseudonyms::marks::Marks;
use waywarden_pki_folder::pseudonyms::{data_key, database};
use waywarden_v2x_keys::SoftwareStore;
use waywarden_v2x_pki::pseudonym::{LinkageAuthority, LinkageChain, Period};
use waywarden_v2x_pki_service::database::{DATABASE, DataKey, Database};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, IValue, LaId, LinkageSeed, Time64,
};

use super::linkage;
use super::target::Target;
use super::{KnownVehicles, PER_WEEK_MAX};

/// Weeks before this one of which pseudonyms are always resolved: those of messages that count.
const WEEKS_BEFORE: u16 = 5;

/// Maximum number of other weeks: a message may be signed with a certificate that has long expired.
/// Reporters with certificates of many weeks use up these, and no others.
const OTHER_WEEKS_MAX: usize = 16;

/// Room for a vehicle's keys.
type Store = SoftwareStore<8>;

/// Resolves pseudonyms of a PKI, week by week: the values of a week are computed when its first
/// certificate comes.
pub(crate) struct FolderResolver {
    names: Vec<String>,
    database: Database,
    key: DataKey,
    marks: Marks,
    linkage: [LinkageAuthority; 2],
    index: LinkageIndex,
    /// Weeks that are always resolved.
    near: RangeInclusive<u16>,
    weeks: BTreeSet<u16>,
}

impl FolderResolver {
    /// Loads the secrets of the linkage authorities.
    pub(crate) fn open(
        directory: &PkiDirectory,
        passphrases: &mut Passphrases<'_>,
        now: Time64,
    ) -> Result<Self, Failure> {
        let this = Period::at(now).unwrap_or(Period::LAST).0;
        let mut database = database(directory)?.ok_or_else(|| {
            let path = directory.path.join(DATABASE);
            Failure::new(format_args!(
                "{}: is missing, and knows which vehicle a pseudonym belongs to; issue pseudonyms \
                 with `waywarden pki pseudonyms`, or restore it with `waywarden pki restore`",
                path.display()
            ))
        })?;
        let key = data_key(directory, &mut database, passphrases)?;
        let [one, other] = linkage::entries(directory)?;
        let linkage = [
            linkage::load(directory, one, &database, &key)?.0,
            linkage::load(directory, other, &database, &key)?.0,
        ];
        Ok(Self {
            names: KnownVehicles::open_to_read(directory)?.names()?,
            database,
            key,
            marks: Marks::read(&directory.path)?,
            linkage,
            index: LinkageIndex::new(),
            // The next week's certificates are valid one hour early.
            near: this.saturating_sub(WEEKS_BEFORE)..=this.saturating_add(1),
            weeks: BTreeSet::new(),
        })
    }

    /// Returns the name of a vehicle.
    pub(crate) fn name(&self, vehicle: VehicleId) -> &str {
        let name = self.names.get(vehicle.0 as usize);
        name.map_or("", String::as_str)
    }

    /// Finds the vehicle of a name.
    pub(crate) fn find(&self, name: &str) -> Option<VehicleId> {
        let at = self.names.iter().position(|one| one == name)?;
        u32::try_from(at).ok().map(VehicleId)
    }

    /// Adds the values of a week.
    fn add_week(&mut self, week: Period) -> Result<(), Failure> {
        for (number, name) in (0_u32..).zip(&self.names) {
            let mut store = Store::new();
            let vehicle = (&self.database, &self.key);
            for target in Target::all(vehicle, &self.marks, &mut store, name)? {
                if target.first > week {
                    continue;
                }
                let seed = |authority: &LinkageAuthority| {
                    let chain = LinkageChain::of(target.id, authority.id());
                    let seed = authority.seed(chain, target.first, week);
                    Ok::<(LaId, LinkageSeed), Failure>((
                        authority.id(),
                        seed.map_err(Failure::new)?,
                    ))
                };
                let [one, other] = &self.linkage;
                let seeds = [seed(one)?, seed(other)?];
                // A value more than there are certificates finds nothing.
                let last = PER_WEEK_MAX - 1;
                self.index
                    .add(VehicleId(number), IValue(week.0), &seeds, last);
            }
        }
        Ok(())
    }
}

impl VehicleResolver for FolderResolver {
    type Error = Failure;

    fn vehicle(&mut self, certificate: &Certificate<'_>) -> Result<Option<VehicleId>, Failure> {
        let CertificateId::LinkageData(linkage) = &certificate.to_be_signed.id else {
            return Ok(None);
        };
        let week = linkage.period.0;
        if !self.weeks.contains(&week) {
            let others = self.weeks.iter().filter(|one| !self.near.contains(one));
            if !self.near.contains(&week) && others.count() == OTHER_WEEKS_MAX {
                return Ok(None);
            }
            self.add_week(Period(week))?;
            self.weeks.insert(week);
        }
        Ok(self.index.find(certificate))
    }
}
