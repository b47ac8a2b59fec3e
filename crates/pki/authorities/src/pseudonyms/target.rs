//! A vehicle as a revocation list has to name it: how far it may have certificates.
//!
//! Choice: a vehicle that a database had when it was restored is revoked for every number of a week
//! and until the root ends. The back-up does not know what was issued after it. The marks beside
//! the database do, where the folder is the one that it was; of a folder that is a copy, from the
//! same day as the back-up, they are as old, and nothing tells one case from the other. Such a
//! holder has 100 values a week instead of 20, so that a list has room for 41,943 of them, and it
//! stays on the lists. Vehicles that are made after the restore are known to their last
//! certificate.

use waywarden_v2x_keys::SoftwareStore;
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_pki_service::database::{DataKey, Database, SecretKind};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::PER_WEEK_MAX;
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::pseudonyms::marks::{Mark, Marks};
use waywarden_pki_folder::pseudonyms::vehicle::{RequestingVehicle, secret_name};

/// A vehicle that is revoked.
pub(super) struct Target {
    pub(super) id: HashedId8,
    pub(super) first: Period,
    /// Its keys; none for one that the database does not have.
    pub(super) vehicle: Option<RequestingVehicle>,
    mark: Option<Mark>,
    /// True if it may have certificates that neither the database nor the mark knows.
    is_restored: bool,
}

/// Last week and last number of a vehicle's certificates, at least.
pub(super) type Last = (u32, u32);

impl Target {
    /// Finds the vehicles of a name: that of the database, and those of marks.
    pub(super) fn all<const KEYS: usize>(
        (database, key): (&Database, &DataKey),
        marks: &Marks,
        store: &mut SoftwareStore<KEYS>,
        name: &str,
    ) -> Result<Vec<Self>, Failure> {
        let vehicle = RequestingVehicle::load(database, key, store, name)?;
        let is_old = database.is_restored_secret(SecretKind::PrivateKey, &secret_name(name));
        let is_old = is_old.map_err(Failure::new)?;
        let is_restored = database.restored().map_err(Failure::new)?.is_some();
        let mut marks = marks.of(name).to_vec();
        let mut targets = Vec::new();
        if let Some(vehicle) = vehicle {
            let own = marks.iter().position(|mark| mark.id == vehicle.id);
            targets.push(Self {
                id: vehicle.id,
                first: vehicle.first,
                mark: own.map(|at| marks.remove(at)),
                is_restored: is_old,
                vehicle: Some(vehicle),
            });
        }
        targets.extend(marks.into_iter().map(|mark| Self {
            id: mark.id,
            first: mark.first,
            vehicle: None,
            mark: Some(mark),
            is_restored,
        }));
        Ok(targets)
    }

    /// Returns how far it may have certificates from a week on, of which the database has those up
    /// to `recorded`; `None` if it has none. `end` is the last week of all certificates of the PKI.
    pub(super) fn last(&self, week: Period, recorded: Option<Last>, end: Period) -> Option<Last> {
        let marked = self.mark.filter(|mark| mark.i_max >= week.0);
        let marked = marked.map(|mark| (u32::from(mark.i_max), u32::from(mark.j_max)));
        let possible = (u32::from(end.0), u32::from(PER_WEEK_MAX) - 1);
        let possible = (self.is_restored && end >= week).then_some(possible);
        let all = [recorded, marked, possible].into_iter().flatten();
        all.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)))
    }
}
