//! The parties' trust stores: keys, credentials and permissions, as a factory puts them in place.

use std::collections::BTreeMap;
use std::sync::Arc;

use waywarden_group_keys::Address;
use waywarden_key_suites::{Entropy, Secret};
use waywarden_lasan::{
    AddressSet, AnyLasanSuite, CertificateStatement, Credentials, LasanConfiguration, LasanProfile,
    LasanSuite, Name, NetworkSettings, NetworkTime, Party, PartyDirectory, Permission, StreamId,
    SubjectRole, Validity, enrolled_digest, issue, public_key,
};
use waywarden_work::Duration;

use waywarden_vehicle_file::{Attack, GrantedKey, Lasan, VehicleFile};

/// Memory of a part when it leaves its factory.
type Factory = Arc<LasanConfiguration<Vec<u8>, Vec<Party<Vec<u8>>>, Vec<Permission>>>;

/// Trust store of a role in one boot period.
#[derive(Clone)]
pub(super) struct Known {
    factory: Factory,
    /// The factory's settings, except for the time at which this boot period began.
    settings: NetworkSettings,
}

impl PartyDirectory for Known {
    fn settings(&self) -> &NetworkSettings {
        &self.settings
    }

    fn authority(&self) -> (Name, &[u8]) {
        self.factory.authority()
    }

    fn party(&self, index: usize) -> Option<Party<&[u8]>> {
        self.factory.party(index)
    }

    fn permissions(&self) -> &[Permission] {
        self.factory.permissions()
    }
}

/// Parts of all ECUs of a network, with their trust stores.
pub(super) struct Parts {
    factory: Factory,
    /// By address and version: the trust store of a part that replaced another.
    replaced: BTreeMap<(Address, usize), Factory>,
    seed: u64,
    network: usize,
    /// The certificate that an attacker has of an ECU with the security module's name, if one has.
    namesake: Option<Vec<u8>>,
}

/// Provisioned identity of one part: its trust store, and the secret behind its key.
pub(super) struct ProvisionedIdentity {
    pub(super) known: Known,
    pub(super) secret: Secret,
}

/// Room for the longest key and the longest certificate of any suite.
const KEY_MAX: usize = 4_096;
const CREDENTIAL_MAX: usize = 8_192;

/// The authority's address, which no ECU has, where secrets are made.
const AUTHORITY: Address = Address(255);

impl Parts {
    /// Makes keys and credentials from the seed of the vehicle file.
    pub(super) fn of(
        suite: AnyLasanSuite,
        file: &VehicleFile,
        network: usize,
        keys: &[GrantedKey],
        settings: NetworkSettings,
    ) -> Self {
        let (seed, lasan) = (file.seed, &file.lasan[network]);
        let authority = suite.signing_key(&secret(seed, network, AUTHORITY, 0));
        let maker = Maker {
            suite,
            lasan,
            seed,
            network,
            authority,
        };
        let parties = lasan.parties();
        let factory = Arc::new(LasanConfiguration {
            settings,
            authority: (
                name(AUTHORITY),
                filled(KEY_MAX, |out| suite.public_key(&maker.authority, out)),
            ),
            parties: parties
                .map(|party| maker.party(party.address, 0))
                .collect::<Vec<_>>(),
            permissions: permissions(lasan, keys),
        });
        let mut replaced = BTreeMap::new();
        for party in &lasan.members {
            for version in 1..=lasan.replacements(party.ecu).count() {
                let mut known = LasanConfiguration::clone(&factory);
                let mut own = known.parties.iter_mut();
                if let Some(own) = own.find(|one| one.address == party.address) {
                    *own = maker.party(party.address, version);
                }
                replaced.insert((party.address, version), Arc::new(known));
            }
        }
        let module = lasan.security_module.address;
        let namesake = has_namesake(file, network).then(|| {
            let key = filled(KEY_MAX, |out| {
                public_key(
                    &suite,
                    lasan.profile,
                    SubjectRole::Ecu,
                    &attackers_secret(),
                    out,
                )
            });
            maker.certificate(module, SubjectRole::Ecu, &key)
        });
        Parts {
            factory,
            replaced,
            seed,
            network,
            namesake,
        }
    }

    /// Returns the provisioned identity of an attacker that boots at a time: the common trust store
    /// and a secret of its own. A certificate with the security module's name, if it has one,
    /// replaces the genuine one.
    pub(super) fn attackers(&self, has_certificate: bool, at: Duration) -> ProvisionedIdentity {
        let mut factory = self.factory.clone();
        if let Some(namesake) = self.namesake.as_ref().filter(|_| has_certificate) {
            let mut known = LasanConfiguration::clone(&factory);
            let module = factory.settings.security_module;
            let mut parties = known.parties.iter_mut();
            if let Some(module) = parties.find(|party| party.address == module) {
                module.credential.clone_from(namesake);
            }
            factory = Arc::new(known);
        }
        let mut settings = factory.settings;
        settings.time_at_zero = time(at);
        ProvisionedIdentity {
            known: Known { factory, settings },
            secret: attackers_secret(),
        }
    }

    /// Returns what all of them go by.
    pub(super) fn settings(&self) -> &NetworkSettings {
        &self.factory.settings
    }

    /// Returns an ECU's part, the one that it has from the factory or a later one, that boots at a
    /// time: the hardware has a clock that a reset does not touch.
    pub(super) fn booted(
        &self,
        address: Address,
        version: usize,
        at: Duration,
    ) -> ProvisionedIdentity {
        let factory = self.of_version(address, version).clone();
        let mut settings = factory.settings;
        settings.time_at_zero = time(at);
        ProvisionedIdentity {
            known: Known { factory, settings },
            secret: secret(self.seed, self.network, address, version),
        }
    }

    fn of_version(&self, address: Address, version: usize) -> &Factory {
        let replaced = self.replaced.get(&(address, version));
        replaced.unwrap_or(&self.factory)
    }

    /// Returns what the security module takes into its roster: name and digest of the key; without
    /// one where certificates say whose a key is, for there the workshop knows no keys.
    pub(super) fn enrolment(&self, address: Address, version: usize) -> (Name, Option<[u8; 32]>) {
        let known = self.of_version(address, version);
        let mut parties = known.parties.iter();
        let party = parties.find(|party| party.address == address);
        let digest = party.and_then(|party| match known.settings.credentials {
            Credentials::Certificates => None,
            Credentials::Digests => party.key.as_slice().try_into().ok(),
            Credentials::Keys => Some(enrolled_digest(&party.key)),
        });
        (name(address), digest)
    }
}

/// The secret of attackers, whose key is enrolled nowhere.
fn attackers_secret() -> Secret {
    Secret::from_bytes([0xEE; 32])
}

/// Returns true if an attacker has a certificate with the name of this security module.
fn has_namesake(file: &VehicleFile, network: usize) -> bool {
    let mut attackers = file.attackers.iter();
    attackers.any(|one| match one.attack {
        Attack::Masquerade {
            network: of,
            has_certificate,
            ..
        } => of == network && has_certificate,
        _ => false,
    })
}

/// Makes what belongs to one party.
struct Maker<'a> {
    suite: AnyLasanSuite,
    lasan: &'a Lasan,
    seed: u64,
    network: usize,
    authority: <AnyLasanSuite as LasanSuite>::SigningKey,
}

impl Maker<'_> {
    fn party(&self, address: Address, version: usize) -> Party<Vec<u8>> {
        let lasan = self.lasan;
        let role = match address == lasan.security_module.address {
            true => SubjectRole::SecurityModule,
            false => SubjectRole::Ecu,
        };
        let secret = secret(self.seed, self.network, address, version);
        let key = filled(KEY_MAX, |out| {
            public_key(&self.suite, lasan.profile, role, &secret, out)
        });
        let (key, credential) = match (lasan.profile, lasan.credentials) {
            (LasanProfile::Hardened | LasanProfile::Compact, Credentials::Digests) => {
                (enrolled_digest(&key).to_vec(), key)
            }
            (LasanProfile::Hardened | LasanProfile::Compact, Credentials::Keys) => {
                (key, Vec::new())
            }
            _ => {
                let certificate = self.certificate(address, role, &key);
                (key, certificate)
            }
        };
        Party {
            address,
            name: name(address),
            key,
            credential,
        }
    }

    fn certificate(&self, address: Address, role: SubjectRole, key: &[u8]) -> Vec<u8> {
        let validity = self.lasan.validity;
        let statement = CertificateStatement {
            subject: name(address),
            role,
            validity: Validity {
                first: time(validity.from),
                last: validity.until.map_or(NetworkTime::MAX, time),
            },
            key,
            authority: name(AUTHORITY),
        };
        filled(CREDENTIAL_MAX, |out| {
            issue(
                &self.suite,
                self.lasan.profile,
                &statement,
                &self.authority,
                out,
            )
            .ok()
        })
    }
}

/// Returns what a function writes into a buffer and tells the length of.
fn filled(room: usize, write: impl FnOnce(&mut [u8]) -> Option<usize>) -> Vec<u8> {
    let mut bytes = vec![0; room];
    let length = write(&mut bytes);
    debug_assert!(length.is_some(), "{room} bytes are room for every suite's");
    bytes.truncate(length.unwrap_or(0));
    bytes
}

fn permissions(lasan: &Lasan, keys: &[GrantedKey]) -> Vec<Permission> {
    let address = |ecu| {
        let mut parties = lasan.parties();
        parties
            .find(|party| party.ecu == ecu)
            .map_or(Address::NONE, |party| party.address)
    };
    let permission = |key: &GrantedKey| {
        let receivers: AddressSet = key.receivers.iter().map(|ecu| address(*ecu)).collect();
        Permission {
            stream: StreamId::of(key.id),
            sender: address(key.sender),
            receivers,
            from: time(key.window.from),
            until: key.window.until.map_or(NetworkTime::MAX, time),
        }
    };
    keys.iter().map(permission).collect()
}

/// Returns a time of the file: milliseconds from power-on.
pub(super) fn time(at: Duration) -> NetworkTime {
    NetworkTime(at.as_nanos() / 1_000_000)
}

/// Returns the name in certificates of the party that has an address.
fn name(address: Address) -> Name {
    let [hundreds, tens, ones] = [100, 10, 1].map(|power| b'0' + address.0 / power % 10);
    match address {
        AUTHORITY => Name(*b"CAAUTH"),
        _ => Name([b'E', b'C', b'U', hundreds, tens, ones]),
    }
}

/// The secret behind a part's key: what a factory would have put there.
fn secret(seed: u64, network: usize, address: Address, version: usize) -> Secret {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    bytes[8..16].copy_from_slice(&(network as u64).to_be_bytes());
    bytes[16] = address.0;
    bytes[17..25].copy_from_slice(&(version as u64).to_be_bytes());
    bytes[25..].copy_from_slice(b"modules");
    Entropy::new(bytes).draw()
}
