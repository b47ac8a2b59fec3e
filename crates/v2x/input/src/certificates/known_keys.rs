//! Public keys that are known beforehand: files of hashes and points.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_input_files::{Problem, files};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8};

use super::super::records;
use super::id_of;

/// A signer's key that is known though its chain is not.
#[derive(Debug)]
pub struct KnownKey {
    /// The signer's certificate, encoded.
    pub certificate: Vec<u8>,
    /// The signer's public key.
    pub key: Point,
    /// Number of the file's entry, counted from 1.
    pub(super) entry: usize,
}

impl KnownKey {
    /// Returns true if another entry says the same of the signer.
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

/// Keys of signers in a file.
#[derive(Debug, Default)]
pub struct SignerKeys {
    /// Usable keys, by the signer's HashedId8.
    pub keys: BTreeMap<HashedId8, KnownKey>,
    /// Note on entries that were skipped, with the reasons of the first.
    pub skipped: Option<String>,
}

/// Maximum number of skipped entries for which a note gives a reason.
const REASONS: usize = 5;

impl SignerKeys {
    /// Reads a JSON list of objects with `hashed_id8`, `certificate`, `public_key_x` and
    /// `public_key_y`, all in hexadecimal digits. An entry that cannot be used is skipped, or
    /// refused if `is_strict`; one that contradicts another always is.
    ///
    /// # Errors
    /// The file is no such list, no entry of it can be used, or the above; names the place.
    pub fn load(path: &Path, is_strict: bool) -> Result<Self, Problem> {
        let text = files::text(path)?;
        let failed = |error: serde_json::Error| {
            let (line, column) = (error.line(), error.column());
            let place = format!("{}:{line}:{column}", path.display());
            let line = format!(
                "{place}: {error}; a JSON list of objects with hashed_id8, certificate, \
                 public_key_x and public_key_y is expected"
            );
            Problem::new("signer-keys-not-read", line).at(place)
        };
        let entries: Vec<serde_json::Value> = serde_json::from_str(&text).map_err(failed)?;
        let mut own = Self::default();
        let mut skipped = Vec::new();
        for (at, entry) in (1..).zip(&entries) {
            let wrong = |why: String| {
                let place = format!("{}, entry {at}", path.display());
                let line = format!("{place}: {why}");
                Problem::new("signer-key-not-usable", line).at(place)
            };
            let read = Entry::deserialize(entry).map_err(|error| error.to_string());
            let (id, key) = match read.and_then(|entry| known_key(&entry, at)) {
                Ok(known) => known,
                Err(why) if is_strict => return Err(wrong(why)),
                Err(why) => {
                    skipped.push(format!("entry {at}: {why}"));
                    continue;
                }
            };
            // The same twice says nothing else.
            if let Some(other) = own.keys.get(&id).filter(|other| !key.agrees(other)) {
                let (id, place) = (records::show(&id.0), other.entry);
                return Err(wrong(format!(
                    "another key for {id} than entry {place} has; keep the one that is right"
                )));
            }
            own.keys.entry(id).or_insert(key);
        }
        let note = skipped_note(path, &skipped, entries.len());
        match note {
            Some(note) if own.keys.is_empty() => {
                Err(Problem::new("signer-keys-not-usable", note).at(path.display()))
            }
            note => Ok(Self {
                skipped: note,
                ..own
            }),
        }
    }
}

fn skipped_note(path: &Path, skipped: &[String], entries: usize) -> Option<String> {
    let reasons = skipped.get(..skipped.len().min(REASONS))?.join("; ");
    let more = match skipped.len().saturating_sub(REASONS) {
        0 => String::new(),
        more => format!("; {more} more"),
    };
    let (path, count) = (path.display(), skipped.len());
    (count > 0).then(|| {
        format!(
            "{path}: {count} of {entries} entries cannot be used and are skipped: {reasons}{more}"
        )
    })
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
