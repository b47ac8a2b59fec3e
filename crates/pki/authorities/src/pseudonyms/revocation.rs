//! The linkage seeds that revoke vehicles with pseudonyms.

use std::sync::Arc;

use waywarden_v2x_keys::{KeyStore as _, SoftwareStore};
use waywarden_v2x_pki::crl::{RevokedHolder, RevokedSeeds};
use waywarden_v2x_pki::pseudonym::{CertificatePosition, LinkageAuthority, LinkageChain, Period};
use waywarden_v2x_pki_service::database::{DATABASE, Database};
use waywarden_v2x_security::Verified;
use waywarden_v2x_security::linkage::{later_seed, value_of_seeds};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateId, LaId, LinkageSeed};

use super::linkage;
use super::target::Target;
use crate::note::{Note, Notes};
use crate::specification::CRL_SERIES;
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::HolderRole;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::pseudonyms::certificates::verified;
use waywarden_pki_folder::pseudonyms::marks::Marks;
use waywarden_pki_folder::pseudonyms::vehicle::RequestingVehicle;
use waywarden_pki_folder::pseudonyms::{data_key, database};

/// Room for a vehicle's keys, and those of its pseudonyms that are compared with the seeds.
type Store = SoftwareStore<8>;

/// Revoked vehicles in a list by linkage values.
pub(crate) struct Revoked {
    pub(crate) holders: Vec<RevokedHolder>,
    /// Number of them that have certificates that the list does not revoke.
    pub(crate) unconfirmed: usize,
    /// Names of the vehicles that need to be on no later delta list.
    pub(crate) names: Vec<String>,
}

/// Data and authorities that make seeds public.
struct Revocation {
    database: Database,
    linkage: Vec<LinkageAuthority>,
    /// The pseudonym CAs, the renewed ones as well.
    issuers: Vec<Arc<Verified>>,
    /// The first week that is revoked.
    week: Period,
    /// The last week for which the PKI can issue.
    end: Period,
}

/// A vehicle on a list.
struct Listed {
    holder: RevokedHolder,
    /// Last week of which the database has certificates.
    recorded: Option<Period>,
}

/// Place of a vehicle on a list by linkage values.
enum Listing {
    /// The vehicle is on it.
    Listed(Listed),
    /// The vehicle has no certificate from the week on.
    Past,
    /// The certificates of the vehicle begin later.
    Later,
}

/// Returns the seeds of all revoked vehicles for a week: both linkage authorities hand them out.
/// They reveal certificates of that week and later ones, and none before. With `only_new`, of those
/// vehicles alone that no list has.
///
/// A vehicle whose certificates are others than the list says is on it, and is not counted: a
/// warning says why. A vehicle without certificates from the week on is left out. So is one whose
/// certificates begin later, for there is no seed before; a note says so.
pub(crate) fn holders(
    directory: &PkiDirectory,
    passphrases: &mut Passphrases<'_>,
    week: Period,
    only_new: bool,
    notes: Notes<'_>,
) -> Result<Revoked, Failure> {
    let mut database = database(directory)?.ok_or_else(|| {
        let path = directory.path.join(DATABASE);
        Failure::new(format_args!(
            "{}: is missing, and has the linkage seeds of revoked vehicles; restore it with \
             `waywarden pki restore`",
            path.display()
        ))
    })?;
    let key = data_key(directory, &mut database, passphrases)?;
    let mut linkage = Vec::new();
    for entry in linkage::entries(directory)? {
        linkage.push(linkage::load(directory, entry, &database, &key)?.0);
    }
    let issuers = directory.index.entries.iter();
    let issuers = issuers.filter(|one| one.role == HolderRole::Authorization);
    let issuers = issuers.map(|one| verified(&directory.chain(one)?));
    let issuers: Vec<Arc<Verified>> = issuers.collect::<Result<_, Failure>>()?;
    let roots = issuers.iter().filter_map(|issuer| issuer.chain().last());
    let end = roots.map(|root| root.validity().1).max();
    let revocation = Revocation {
        database,
        linkage,
        issuers,
        week,
        end: end.and_then(Period::at).unwrap_or(Period::LAST),
    };
    let marks = Marks::read(&directory.path)?;
    let mut all = Revoked {
        holders: Vec::new(),
        unconfirmed: 0,
        names: Vec::new(),
    };
    let revoked = directory.index.revoked_vehicles.iter();
    for revoked in revoked.filter(|one| !(only_new && one.listed)) {
        let name = &revoked.name;
        let (database, mut store) = (&revocation.database, Store::new());
        let targets = Target::all((database, &key), &marks, &mut store, name)?;
        if targets.is_empty() {
            let path = database.path().display();
            return Err(Failure::new(format_args!(
                "{path}: {name}: its secrets are missing"
            )));
        }
        let mut is_listed = true;
        for target in &targets {
            match revocation.listing(name, target, notes)? {
                Listing::Past => {}
                Listing::Later => is_listed = false,
                Listing::Listed(listed) => {
                    all.holders.push(listed.holder);
                    // Other vehicles are revoked all the same.
                    let mismatch = revocation.first_mismatch(&mut store, target, &listed)?;
                    if let Some(why) = mismatch {
                        notes(Note::Warning(format!("{name}: {why}")));
                        all.unconfirmed += 1;
                    }
                }
            }
        }
        if is_listed {
            all.names.push(name.clone());
        }
    }
    Ok(all)
}

impl Revocation {
    /// Returns the seeds of a vehicle, or why it is left out.
    fn listing(&self, name: &str, target: &Target, notes: Notes<'_>) -> Result<Listing, Failure> {
        let week = self.week;
        let recorded = self.database.last_batch(&target.id.0, u32::from(week.0));
        let recorded = recorded.map_err(Failure::new)?;
        let Some((i_max, j_max)) = target.last(week, recorded, self.end) else {
            return Ok(Listing::Past);
        };
        if target.first > week {
            notes(Note::Status(format!(
                "{name}: not on the list yet: its certificates begin in the week {:X}, and this is \
                 {:X}",
                target.first.0, week.0
            )));
            return Ok(Listing::Later);
        }
        let seed = |authority: &LinkageAuthority| {
            let chain = LinkageChain::of(target.id, authority.id());
            let seed = authority.seed(chain, target.first, week);
            Ok::<_, Failure>((authority.id(), seed.map_err(Failure::new)?))
        };
        let seeds = self.linkage.iter().map(seed);
        let seeds: Vec<_> = seeds.collect::<Result<_, Failure>>()?;
        let (Ok(seeds), Ok(i_max), Ok(j_max)) =
            (seeds.try_into(), u16::try_from(i_max), u8::try_from(j_max))
        else {
            return Err(Failure::new(format_args!(
                "{}: {name}: batch {i_max:X}_{j_max:X} is beyond what lists can name",
                self.database.path().display()
            )));
        };
        let recorded = recorded.and_then(|(last, _)| u16::try_from(last).ok());
        Ok(Listing::Listed(Listed {
            holder: RevokedHolder {
                seeds: RevokedSeeds::Two(seeds),
                j_max,
                i_max,
            },
            recorded: recorded.map(Period),
        }))
    }

    /// Compares certificates of the first and the last week with what the list says, where the
    /// database has them.
    fn first_mismatch(
        &self,
        store: &mut Store,
        target: &Target,
        listed: &Listed,
    ) -> Result<Option<String>, Failure> {
        let (RevokedSeeds::Two(seeds), Some(vehicle)) = (&listed.holder.seeds, &target.vehicle)
        else {
            return Ok(None);
        };
        for i in [Some(self.week), listed.recorded].into_iter().flatten() {
            if let Some(why) = self.mismatch(store, vehicle, seeds, i)? {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    /// Opens a certificate of a week and compares it with what the list says; `None` if the list
    /// revokes it, or if there is none.
    fn mismatch(
        &self,
        store: &mut Store,
        vehicle: &RequestingVehicle,
        seeds: &[(LaId, LinkageSeed); 2],
        i: Period,
    ) -> Result<Option<String>, Failure> {
        let batches = self
            .database
            .batches(&vehicle.id.0, u32::from(i.0))
            .map_err(Failure::new)?;
        let first = batches.into_iter().next();
        let Some((j, response)) = first.and_then(|one| Some((one.j, one.response?))) else {
            return Ok(None);
        };
        let position = CertificatePosition {
            i,
            j: u8::try_from(j).unwrap_or(u8::MAX),
        };
        let opened = self.issuers.iter().find_map(|issuer| {
            let opened = vehicle.holder.open(store, issuer, position, &response);
            let opened = opened.ok()?;
            // The list needs the certificate alone.
            let _ = store.retire(opened.key);
            Some((issuer, opened.certificate))
        });
        let Some((issuer, certificate)) = opened else {
            return Ok(Some(format!("its certificate {position} does not open")));
        };
        let view: Certificate<'_> = parse(&certificate).map_err(Failure::new)?;
        let own = &view.to_be_signed;
        let craca = issuer.chain().last().map(|root| root.digest().id_3());
        if (craca, CRL_SERIES) != (Some(own.craca_id), own.crl_series) {
            return Ok(Some(format!(
                "cracaId: its certificate {position} names another CRACA or series, and is on no \
                 list of this PKI"
            )));
        }
        let [one, other] = seeds;
        let later = |(la, seed): &(LaId, LinkageSeed)| later_seed(*la, seed, i.0 - self.week.0);
        let value = value_of_seeds((one.0, other.0), (&later(one), &later(other)), j);
        let is_same =
            matches!(&own.id, CertificateId::LinkageData(linkage) if linkage.value == value);
        Ok((!is_same).then(|| format!("its certificate {position} has another linkage value")))
    }
}
