//! Certificates that the user has: a folder of trusted ones, and keys that are known otherwise.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::store::CHAIN_MAX;
use waywarden_v2x_security::{Reason, Refusal, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, IssuerIdentifier};

use super::record::Record;
use super::records;
use crate::exit::Failure;
use crate::files;

/// So many certificates a folder may have.
const CERTIFICATES_MAX: usize = 100_000;

/// The certificates of a folder.
#[derive(Debug, Default)]
pub(crate) struct Trust {
    /// By what they are called by.
    pub(crate) by_id: BTreeMap<HashedId8, Vec<u8>>,
    /// Those that are not taken.
    pub(crate) refused: Vec<Refused>,
    /// How many are trusted of themselves.
    pub(crate) anchors: usize,
}

/// A certificate of the folder that is not taken.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The file and the place in it.
    pub(crate) place: String,
    /// What it is called by.
    id: Option<HashedId8>,
    /// Why it is not taken.
    pub(crate) refusal: Refusal,
}

impl Refused {
    fn new(record: Record, refusal: Refusal) -> Self {
        let certificate = parse::<Certificate<'_>>(&record.bytes);
        Self {
            id: certificate.ok().and_then(|certificate| id_of(&certificate)),
            place: record.place,
            refusal,
        }
    }
}

/// What a certificate is called by.
pub(crate) fn id_of(certificate: &Certificate<'_>) -> Option<HashedId8> {
    certificate_digest(certificate).map(|digest| digest.id_8())
}

impl Trust {
    /// Reads the certificates of a folder into a verifier: those that issued themselves are
    /// trusted, the others are taken if their chain ends at one of those. Other files in it are
    /// passed over.
    pub(crate) fn load(folder: &Path, verifier: &mut Verifier) -> Result<Self, Failure> {
        let mut records = Vec::new();
        let failed = |error| Failure::file(folder.display(), &error);
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            paths.push(entry.map_err(failed)?.path());
        }
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            records::each(path, |record| {
                if records.len() == CERTIFICATES_MAX {
                    return Err(Failure::new(format_args!(
                        "{}: more than {CERTIFICATES_MAX} certificates",
                        folder.display()
                    )));
                }
                records.push(record);
                Ok(())
            })
            // A key or a licence beside certificates is no mistake.
            .or_else(|failure| {
                if records::is_capture(path) {
                    Err(failure)
                } else {
                    Ok(())
                }
            })?;
        }
        let mut trust = Self::default();
        let mut waiting: Vec<Record> = Vec::new();
        for record in records {
            let Ok(certificate) = parse::<Certificate<'_>>(&record.bytes) else {
                continue;
            };
            if let Some(id) = id_of(&certificate) {
                trust.by_id.insert(id, record.bytes.clone());
            }
            if !matches!(certificate.issuer, IssuerIdentifier::SelfIssued(_)) {
                waiting.push(record);
                continue;
            }
            match verifier.add_trust_anchor(&record.bytes) {
                Ok(_) => trust.anchors += 1,
                Err(refusal) => trust.refused.push(Refused::new(record, refusal)),
            }
        }
        if trust.by_id.is_empty() {
            return Err(Failure::new(format_args!(
                "{}: has no certificate of IEEE 1609.2; --trust takes a folder with certificates, \
                 each in a file of its own or in lines of hexadecimal digits",
                folder.display()
            )));
        }
        trust.add(waiting, verifier);
        Ok(trust)
    }

    /// Says what is wrong: where a certificate is missing that the folder has and that is refused
    /// itself, also that.
    pub(crate) fn reason(&self, refusal: &Refusal) -> String {
        refusal.reason.to_string() + &self.behind(refusal)
    }

    /// Says which check failed, and what is wrong.
    pub(crate) fn explain(&self, refusal: &Refusal) -> String {
        refusal.to_string() + &self.behind(refusal)
    }

    /// Why a certificate is missing that the folder has.
    fn behind(&self, refusal: &Refusal) -> String {
        let mut words = String::new();
        let mut reason = refusal.reason;
        // Each names the issuer of the one before.
        for _ in 0..CHAIN_MAX {
            let Reason::Missing(id) = reason else {
                break;
            };
            let Some(one) = self.refused.iter().find(|one| one.id == Some(id)) else {
                break;
            };
            reason = one.refusal.reason;
            words += &format!("; it is in {}, and not taken: {}", one.place, one.refusal);
        }
        words
    }

    /// Adds certificates, issuers before those whom they issued to, until no more can be.
    fn add(&mut self, mut waiting: Vec<Record>, verifier: &mut Verifier) {
        loop {
            let before = waiting.len();
            let mut later = Vec::new();
            for record in waiting {
                match verifier.add_certificate(&record.bytes) {
                    Ok(_) => {}
                    Err(refusal) if is_missing(&refusal) => later.push((record, refusal)),
                    Err(refusal) => self.refused.push(Refused::new(record, refusal)),
                }
            }
            if later.len() == before {
                let own = later.into_iter();
                self.refused
                    .extend(own.map(|(record, why)| Refused::new(record, why)));
                return;
            }
            waiting = later.into_iter().map(|(record, _)| record).collect();
        }
    }
}

fn is_missing(refusal: &Refusal) -> bool {
    refusal.code == ResultCode::ChainNotEnoughInformationToConstructChain
}

/// A signer's key that is known though its chain is not.
#[derive(Debug)]
pub(crate) struct KnownKey {
    /// The certificate.
    pub(crate) certificate: Vec<u8>,
    /// The key.
    pub(crate) key: Point,
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
pub(crate) fn known_keys(path: &Path) -> Result<BTreeMap<HashedId8, KnownKey>, Failure> {
    let text = files::text(path)?;
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Failure::new(format_args!("{}:{line}:{column}: {error}", path.display()))
    })?;
    let keys = entries.iter().enumerate().map(|(at, entry)| {
        known_key(entry).map_err(|why| {
            Failure::new(format_args!("{}, entry {}: {why}", path.display(), at + 1))
        })
    });
    keys.collect()
}

fn known_key(entry: &Entry) -> Result<(HashedId8, KnownKey), String> {
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
    Ok((own, KnownKey { certificate, key }))
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
