//! The authorities of an American PKI, loaded from its folder and database.

use std::sync::Arc;

use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_keys::{KeyStore as _, SoftwareStore, Uses};
use waywarden_v2x_pki::pseudonym::{
    CertificatePosition, LinkageAuthority, Period, PseudonymAuthority, PseudonymHolder,
    PseudonymOrder, RegistrationAuthority,
};
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_pki_service::database::{Batch, BatchState, DataKey, Database};
use waywarden_v2x_security::{Capacity, Verifier};
use waywarden_v2x_signing::{Credential, DecryptionKeys, Recipient};
use waywarden_v2x_wire::ieee1609dot2::{Duration, LaId, Psid, SubjectPermissions, Time32, Time64};

use super::linkage;
use crate::issuer::curve_of;
use crate::specification;
use crate::specification::CRL_SERIES;
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, IndexEntry};
use waywarden_pki_folder::key_passphrase::passphrase;
use waywarden_pki_folder::passphrase::{Passphrase, Passphrases};
use waywarden_pki_folder::pseudonyms::certificates::{known, of_role, verified};
use waywarden_pki_folder::pseudonyms::marks::{Mark, Marks};
use waywarden_pki_folder::pseudonyms::vehicle::RequestingVehicle;
use waywarden_pki_folder::random;
use waywarden_pki_folder::{key_file, recorded, validity};

/// Room for the authorities' keys, those of a group of vehicles, and the ephemeral ones.
type Store = SoftwareStore<1_024>;

/// The application of pseudonyms in the built-in American PKI.
const BSM: Psid = Psid(32);

/// The application of misbehaviour reports. Authorities of a PKI that is older than reports cannot
/// give it: its vehicles have basic safety messages alone.
const REPORTS: Psid = Psid(38);

/// The years of a vehicle's enrolment certificate.
const ENROLLED: Duration = Duration::Years(3);

/// All roles, in one process.
pub(crate) struct Authorities {
    store: Store,
    seeds: Seeds,
    database: Database,
    data_key: DataKey,
    enrolment: Authority,
    pseudonym: PseudonymAuthority,
    registration: RegistrationAuthority,
    /// Recipient of the vehicles' encrypted requests.
    recipient: Recipient,
    linkage: [LinkageAuthority; 2],
    marks: Marks,
    now: Time32,
}

impl Authorities {
    /// Loads them. The linkage authorities' secrets are made at the first time.
    pub(crate) fn load(
        directory: &PkiDirectory,
        passphrases: &mut Passphrases<'_>,
        now: Time64,
    ) -> Result<Self, Failure> {
        let pca = directory.issuer(None, HolderRole::Authorization)?;
        let passphrase = passphrase(directory, pca, passphrases)?;
        let mut store = Store::new();
        let eca = directory.issuer(None, HolderRole::Enrolment)?;
        let enrolment = authority(directory, &mut store, eca, passphrases)?;
        let issuing = authority(directory, &mut store, pca, passphrases)?;
        // The authorities' keys have proved the passphrase, under which a new data key is kept.
        let mut database = recorded::open(&directory.path, &directory.index)?;
        let data_key = database
            .data_key(passphrase.as_ref().map(Passphrase::as_bytes))
            .map_err(Failure::new)?;
        let marks = Marks::read(&directory.path)?;
        let mut linkage = Vec::new();
        for entry in linkage::entries(directory)? {
            linkage.push(linkage::load_or_make(
                directory,
                entry,
                &mut database,
                &data_key,
                &marks,
            )?);
        }
        let linkage: Vec<(LinkageAuthority, [u8; 16])> = linkage;
        let shared = [0, 1].map(|at: usize| (linkage[at].0.id(), linkage[at].1));
        // The root revokes them, as it does certificates with a hash: its CRL generator signs both
        // lists.
        let root = issuing.credential().certificate().chain().last();
        let craca = root.ok_or_else(|| Failure::new("no root"))?.digest().id_3();
        let pseudonym = PseudonymAuthority::new(issuing, shared, (craca, CRL_SERIES));
        let pseudonym = pseudonym.map_err(Failure::new)?;
        let ids = [shared[0].0, shared[1].0];
        let (registration, recipient) = registration(directory, &mut store, eca, ids, passphrases)?;
        let mut linkage = linkage.into_iter().map(|(authority, _)| authority);
        let (Some(one), Some(other)) = (linkage.next(), linkage.next()) else {
            return Err(Failure::new("two linkage authorities"));
        };
        Ok(Self {
            store,
            seeds: random::seeds()?,
            database,
            data_key,
            enrolment,
            pseudonym,
            registration,
            recipient,
            linkage: [one, other],
            marks,
            now: validity::start(now).map_err(Failure::new)?,
        })
    }

    /// Loads a vehicle, or makes one: its enrolment certificate, its keys and its request. The
    /// registration authority has taken the request then.
    pub(crate) fn vehicle(
        &mut self,
        name: &str,
        first: Period,
    ) -> Result<RequestingVehicle, Failure> {
        let vehicle =
            RequestingVehicle::load(&self.database, &self.data_key, &mut self.store, name)?;
        let (vehicle, is_new) = match vehicle {
            Some(vehicle) => (vehicle, false),
            None if !self.marks.of(name).is_empty() => {
                return Err(Failure::new(format_args!(
                    "{name}: a vehicle of this name has certificates that the database does not \
                     know since it was restored; give another name, or restore a later database"
                )));
            }
            None => (self.new_vehicle(name, first)?, true),
        };
        if vehicle.first > first {
            return Err(Failure::new(format_args!(
                "{name}: its certificates begin in the week {:X}, and {:X} is before that",
                vehicle.first.0, first.0
            )));
        }
        let taken = self.registration.register(
            &mut self.store,
            &vehicle.request,
            vehicle.first,
            self.now,
            &mut self.seeds,
        );
        taken.map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
        if is_new {
            vehicle.keep(&mut self.database, &self.data_key, &self.store, name)?;
        }
        Ok(vehicle)
    }

    fn new_vehicle(&mut self, name: &str, first: Period) -> Result<RequestingVehicle, Failure> {
        let (store, seeds) = (&mut self.store, &mut self.seeds);
        let curve = self.pseudonym.authority().credential().curve();
        let key = store.generate(curve, Uses::SIGN, &seeds.next());
        let key = key.map_err(Failure::new)?;
        let public = store.public_key(key).map_err(Failure::new)?;
        let (permissions, mut requests) = specification::credential(CertificateShape::Us);
        let issuers = [self.pseudonym.authority(), &self.enrolment];
        let reports = issuers.iter().all(|issuer| may_issue(issuer, REPORTS));
        if reports {
            requests = specification::pseudonym_requests();
        }
        let mut contents = Contents::new(self.now, ENROLLED).named(name);
        (contents.permissions, contents.requests) = (permissions, requests);
        let certificate = self.enrolment.issue(store, &contents, &public, seeds);
        let certificate = certificate.map_err(Failure::new)?;
        let verified = self.enrolment.verifier().verify_certificate(&certificate);
        let enrolment = Credential::new(store, key, verified.map_err(Failure::new)?);
        let enrolment = enrolment.map_err(Failure::new)?;
        let holder = PseudonymHolder::generate(store, curve, seeds).map_err(Failure::new)?;
        let mut asked = Contents::new(self.now, Period::duration()).permitting(BSM, &[]);
        if reports {
            asked = asked.permitting(REPORTS, &[]);
        }
        let request = holder.request(store, &asked, &enrolment, &self.recipient, self.now, seeds);
        let request = request.map_err(Failure::new)?;
        store.retire(key).map_err(Failure::new)?;
        Ok(RequestingVehicle {
            holder,
            id: RegistrationAuthority::id(&request),
            first,
            request,
        })
    }

    /// Marks how far vehicles have certificates, before these are issued.
    pub(crate) fn mark(
        &mut self,
        names: &[String],
        vehicles: &[RequestingVehicle],
        last: CertificatePosition,
    ) -> Result<(), Failure> {
        let mark = |vehicle: &RequestingVehicle| Mark {
            id: vehicle.id,
            first: vehicle.first,
            i_max: last.i.0,
            j_max: last.j,
        };
        let names = names.iter().map(String::as_str);
        let marks: Vec<_> = names.zip(vehicles.iter().map(mark)).collect();
        self.marks.raise(&marks)
    }

    /// Issues the certificates of a week that are missing, and records them together. Returns how
    /// many those were.
    pub(crate) fn issue(
        &mut self,
        vehicles: &[RequestingVehicle],
        i: Period,
        per_week: u8,
    ) -> Result<usize, Failure> {
        let mut orders = Vec::new();
        for vehicle in vehicles {
            let there = self
                .database
                .batches(&vehicle.id.0, u32::from(i.0))
                .map_err(Failure::new)?;
            // They are recorded from the first one on, and together.
            let from = u8::try_from(there.len()).unwrap_or(u8::MAX);
            if from >= per_week {
                continue;
            }
            let j = from..per_week;
            let requests = self.registration.linkage_requests(vehicle.id, i, j.clone());
            let [one, other] = requests.map_err(Failure::new)?;
            let values = [
                self.linkage[0].answer(&one, &mut self.seeds),
                self.linkage[1].answer(&other, &mut self.seeds),
            ];
            let [one, other] = values.map(|values| values.map_err(Failure::new));
            orders.push(PseudonymOrder {
                id: vehicle.id,
                i,
                j,
                values: [one?, other?],
            });
        }
        let requests = self
            .registration
            .requests(&orders, self.now, &mut self.seeds);
        let mut batches = Vec::new();
        for request in requests.map_err(Failure::new)? {
            let answer =
                self.pseudonym
                    .answer(&mut self.store, &request, self.now, &mut self.seeds);
            let answer = answer.map_err(Failure::new)?;
            let collected = self.registration.collect(&answer).map_err(Failure::new)?;
            batches.push(Batch {
                vehicle: collected.id.0.to_vec(),
                i: u32::from(collected.position.i.0),
                j: u32::from(collected.position.j),
                state: BatchState::Issued,
                response: Some(collected.response),
            });
        }
        if !batches.is_empty() {
            self.database
                .record_batches(&batches)
                .map_err(Failure::new)?;
        }
        Ok(batches.len())
    }

    /// Forgets vehicles: their certificates are recorded.
    pub(crate) fn forget(&mut self, vehicles: &[RequestingVehicle]) {
        for vehicle in vehicles {
            self.registration.forget(vehicle.id);
            for key in vehicle.holder.keys() {
                let _ = self.store.retire(key);
            }
        }
    }
}

/// Returns true if an authority may issue certificates for an application.
fn may_issue(authority: &Authority, psid: Psid) -> bool {
    let Ok(view) = authority.credential().certificate().view() else {
        return false;
    };
    let groups = view.to_be_signed.cert_issue_permissions.iter().flatten();
    groups.flatten().any(|group| match group.subject {
        SubjectPermissions::All(_) => true,
        SubjectPermissions::Explicit(ranges) => {
            ranges.iter().flatten().any(|range| range.psid == psid)
        }
    })
}

/// Loads an authority that issues.
fn authority(
    directory: &PkiDirectory,
    store: &mut Store,
    entry: &IndexEntry,
    passphrases: &mut Passphrases<'_>,
) -> Result<Authority, Failure> {
    let chain = directory.chain(entry)?;
    let uses = Uses::SIGN | Uses::ISSUE_IMPLICIT;
    let key = import(directory, store, entry, &chain, uses, passphrases)?;
    let chain: Vec<&[u8]> = chain.iter().map(Vec::as_slice).collect();
    let authority = Authority::new(store, key, &chain).map_err(Failure::new)?;
    Ok(authority.with_implicit_key(key))
}

fn import(
    directory: &PkiDirectory,
    store: &mut Store,
    entry: &IndexEntry,
    chain: &[Vec<u8>],
    uses: Uses,
    passphrases: &mut Passphrases<'_>,
) -> Result<waywarden_v2x_keys::KeyHandle, Failure> {
    let file = match uses == Uses::AGREE {
        true => entry.encryption_key.as_ref(),
        false => entry.key.as_ref(),
    };
    let file = file.ok_or_else(|| {
        let (path, name) = (directory.path.display(), &entry.name);
        match &entry.token {
            None => Failure::new(format_args!("{path}: has no private key of {name}")),
            Some(_) => Failure::new(format_args!(
                "{path}: the key of {name} is in a token, and `pki pseudonyms` takes keys from \
                 files; make a PKI without --token"
            )),
        }
    })?;
    let file = directory.file(file);
    let key = key_file::read(&file, curve_of(chain)?, passphrases)?;
    let handle = store.import(&key, uses);
    handle.map_err(|error| Failure::new(format_args!("{}: {error}", file.display())))
}

/// Loads the registration authority, and to whom vehicles encrypt.
fn registration(
    directory: &PkiDirectory,
    store: &mut Store,
    eca: &IndexEntry,
    ids: [LaId; 2],
    passphrases: &mut Passphrases<'_>,
) -> Result<(RegistrationAuthority, Recipient), Failure> {
    let entry = of_role(directory, HolderRole::Registration)?;
    let chain = directory.chain(entry)?;
    let key = import(directory, store, entry, &chain, Uses::SIGN, passphrases)?;
    let decrypting = import(directory, store, entry, &chain, Uses::AGREE, passphrases)?;
    let own = verified(&chain)?;
    let view = own.view().map_err(Failure::new)?;
    let recipient = Recipient::certificate(&view).map_err(Failure::new)?;
    let keys = DecryptionKeys::new().with_private_key(recipient.clone(), decrypting);
    let credential = Credential::new(store, key, Arc::clone(&own)).map_err(Failure::new)?;
    let mut verifier = Verifier::new(Capacity::MINIMAL).with_borders(CountryBorders::new());
    known(&mut verifier, &directory.chain(eca)?)?;
    let registration = RegistrationAuthority::new(credential, keys, verifier, ids);
    Ok((registration, recipient))
}
