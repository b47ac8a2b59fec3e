//! A vehicle's secrets in the database: one record of bytes.

use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{PrivateKey, SoftwareStore, Uses};
use waywarden_v2x_pki::pseudonym::{Period, PseudonymHolder};
use waywarden_v2x_pki_service::database::{DataKey, Database, SecretKind};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;
use zeroize::Zeroizing;

use waywarden_command_line::exit::Failure;

/// The version of the record.
const VERSION: u8 = 1;

/// Curves with implicit certificates, in the order of their numbers in the record.
const CURVES: [Curve; 2] = [Curve::P256, Curve::BrainpoolP256r1];

/// Version and curve, two private keys, two expansion keys, the first period, the hash of the
/// request.
const FIXED: usize = 2 + 2 * 32 + 2 * 16 + 2 + 8;

/// A vehicle that made a request.
pub struct RequestingVehicle {
    /// The keys of its request, and what they expand to.
    pub holder: PseudonymHolder,
    /// The hash of the request.
    pub id: HashedId8,
    /// The first period for which there are certificates.
    pub first: Period,
    /// The request, as it was sent.
    pub request: Vec<u8>,
}

/// Prefix of the names of vehicles' secrets.
const PREFIX: &[u8] = b"pseudonyms/";

/// Returns the name of a vehicle's secrets in the database.
pub fn secret_name(name: &str) -> Vec<u8> {
    [PREFIX, name.as_bytes()].concat()
}

/// Returns the names of all vehicles, from the oldest to the newest. Needs no key.
pub fn names(database: &Database) -> Result<Vec<String>, Failure> {
    let names = database
        .secret_names(SecretKind::PrivateKey)
        .map_err(Failure::new)?;
    let names = names.iter().filter_map(|name| name.strip_prefix(PREFIX));
    Ok(names
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect())
}

/// Returns true if a vehicle of this name exists. Needs no key.
pub fn is_known(database: &Database, name: &str) -> Result<bool, Failure> {
    database
        .has_secret(SecretKind::PrivateKey, &secret_name(name))
        .map_err(Failure::new)
}

impl RequestingVehicle {
    /// Reads a vehicle, and takes its keys into the store; `None` if there is none of this name.
    pub fn load<const KEYS: usize>(
        database: &Database,
        key: &DataKey,
        store: &mut SoftwareStore<KEYS>,
        name: &str,
    ) -> Result<Option<Self>, Failure> {
        let record = database
            .secret(key, SecretKind::PrivateKey, &secret_name(name))
            .map_err(Failure::new)?;
        let Some(record) = record else {
            return Ok(None);
        };
        let wrong = || {
            Failure::new(format_args!(
                "{}: {name}: its secrets are in a form that this program does not know",
                database.path().display()
            ))
        };
        let (fixed, request) = record.split_at_checked(FIXED).ok_or_else(wrong)?;
        let (&[version, curve], keys) = fixed.split_first_chunk().ok_or_else(wrong)?;
        let curve = CURVES
            .get(usize::from(curve))
            .filter(|_| version == VERSION);
        let curve = *curve.ok_or_else(wrong)?;
        let (signing, rest) = keys.split_first_chunk::<32>().ok_or_else(wrong)?;
        let (encryption, rest) = rest.split_first_chunk::<32>().ok_or_else(wrong)?;
        let (by, rest) = rest.split_first_chunk::<16>().ok_or_else(wrong)?;
        let (encryption_by, rest) = rest.split_first_chunk::<16>().ok_or_else(wrong)?;
        let (first, id) = rest.split_first_chunk::<2>().ok_or_else(wrong)?;
        let mut import = |key: &[u8; 32]| {
            let key = PrivateKey::new(curve, key).ok_or_else(wrong)?;
            store.import(&key, Uses::EXPAND).map_err(Failure::new)
        };
        let keys = [import(signing)?, import(encryption)?];
        Ok(Some(Self {
            holder: PseudonymHolder::new(keys, [*by, *encryption_by]),
            id: HashedId8(id.try_into().map_err(|_| wrong())?),
            first: Period(u16::from_be_bytes(*first)),
            request: request.to_vec(),
        }))
    }

    /// Keeps a vehicle.
    pub fn keep<const KEYS: usize>(
        &self,
        database: &mut Database,
        key: &DataKey,
        store: &SoftwareStore<KEYS>,
        name: &str,
    ) -> Result<(), Failure> {
        let mut record = Zeroizing::new(Vec::with_capacity(FIXED + self.request.len()));
        let mut curve = None;
        let mut keys = Vec::new();
        for handle in self.holder.keys() {
            let private = store.export(handle).map_err(Failure::new)?;
            curve = CURVES.iter().position(|one| *one == private.curve());
            keys.push(private);
        }
        let curve = curve.ok_or_else(|| Failure::new("a curve without implicit certificates"))?;
        record.extend([VERSION, curve as u8]);
        for key in &keys {
            record.extend_from_slice(key.as_bytes());
        }
        for key in self.holder.expansion_keys() {
            record.extend_from_slice(key);
        }
        record.extend_from_slice(&self.first.0.to_be_bytes());
        record.extend_from_slice(&self.id.0);
        record.extend_from_slice(&self.request);
        database
            .keep_secret(key, SecretKind::PrivateKey, &secret_name(name), &record)
            .map_err(Failure::new)?;
        Ok(())
    }
}
