//! Public keys that are known beforehand: files of hashes and points.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8};

use super::super::records;
use super::id_of;

/// A signer's key that is known though its chain is not.
#[derive(Debug)]
pub struct KnownKey {
    /// The certificate.
    pub certificate: Vec<u8>,
    /// The key.
    pub key: Point,
    /// Which entry of the file it is, counted from 1.
    pub(super) entry: usize,
}

impl KnownKey {
    /// Whether another entry says the same of the signer.
    fn agrees(&self, other: &Self) -> bool {
        let same_key = self.key.curve() == other.key.curve()
            && self.key.to_sec1_compressed().as_ref() == other.key.to_sec1_compressed().as_ref();
        same_key && self.certificate == other.certificate
    }
}

/// An entry of the file.
#[derive(Debug, Deserialize)]
struct Entry {
    hashed_id8: String,
    certificate: String,
    public_key_x: String,
    public_key_y: String,
}

/// Reads keys of signers: a JSON list of objects with `hashed_id8`, `certificate`, `public_key_x`
/// and `public_key_y`, all in hexadecimal digits.
pub fn known_keys(path: &Path) -> Result<BTreeMap<HashedId8, KnownKey>, Failure> {
    let text = files::text(path)?;
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Failure::new(format_args!("{}:{line}:{column}: {error}", path.display()))
    })?;
    let mut keys: BTreeMap<HashedId8, KnownKey> = BTreeMap::new();
    for (at, entry) in (1..).zip(&entries) {
        let wrong =
            |why: String| Failure::new(format_args!("{}, entry {at}: {why}", path.display()));
        let (id, key) = known_key(entry, at).map_err(wrong)?;
        // The same twice says nothing else.
        if let Some(other) = keys.get(&id).filter(|other| !key.agrees(other)) {
            let (id, place) = (records::show(&id.0), other.entry);
            return Err(wrong(format!(
                "another key for {id} than entry {place} has; keep the one that is right"
            )));
        }
        keys.entry(id).or_insert(key);
    }
    Ok(keys)
}

fn known_key(entry: &Entry, at: usize) -> Result<(HashedId8, KnownKey), String> {
    let field = |name: &str, digits: &str| {
        records::hex(digits).ok_or(format!(
            "{name} has no hexadecimal digits, two for each byte"
        ))
    };
    let certificate = field("certificate", &entry.certificate)?;
    let id = field("hashed_id8", &entry.hashed_id8)?;
    let view: Certificate<'_> =
        parse(&certificate).map_err(|error| format!("certificate: {error}"))?;
    let own = id_of(&view).ok_or("certificate: SM2 is not supported")?;
    if own.0 != *id {
        return Err(format!(
            "hashed_id8 is {}, and the certificate's is {}",
            records::show(&id),
            records::show(&own.0)
        ));
    }
    let x = field("public_key_x", &entry.public_key_x)?;
    let y = field("public_key_y", &entry.public_key_y)?;
    let key = point_on_a_curve(&x, &y)?;
    let known = KnownKey {
        certificate,
        key,
        entry: at,
    };
    Ok((own, known))
}

/// Finds the curve that a point lies on: of those with as many bits, one at most for which anybody
/// knows a private key.
fn point_on_a_curve(x: &[u8], y: &[u8]) -> Result<Point, String> {
    let (curves, names) = match x.len() {
        32 => (
            [Curve::P256, Curve::BrainpoolP256r1],
            "P-256 or brainpoolP256r1",
        ),
        48 => (
            [Curve::P384, Curve::BrainpoolP384r1],
            "P-384 or brainpoolP384r1",
        ),
        other => return Err(format!("public_key_x has {other} bytes, not 32 or 48")),
    };
    let point = EncodedPoint::Uncompressed { x, y };
    let mut found = curves.map(|curve| Point::decode(curve, &point)).into_iter();
    found
        .find_map(Result::ok)
        .ok_or_else(|| format!("public_key_x, public_key_y: no point of {names}"))
}
