//! The public key of an implicit certificate, rebuilt from its issuer's \[1609.2 §5.3.2\].

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_ecverify::{Curve, EncodedPoint, Point, rebuild};
use waywarden_v2x_security::encoded;
use waywarden_v2x_security::hash::{HashFunction, hash, hash_canonical};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, IssuerIdentifier, PublicVerificationKey, VerificationKeyIndicator,
};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_v2x_input::records;

/// Certificate hash and public key of an issuer.
#[derive(Debug)]
pub(super) struct Issuer {
    /// The SHA-256 of its whole certificate.
    hash: Vec<u8>,
    /// Its public key.
    key: Point,
}

/// A key in SEC 1's forms, in hexadecimal digits.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rebuilt {
    pub(super) compressed: String,
    pub(super) uncompressed: String,
}

impl Issuer {
    /// Reads the issuer's certificate.
    pub(super) fn load(path: &Path) -> Result<Self, Failure> {
        let wrong =
            |why: &str| Failure::new(format_args!("--issuer-cert {}: {why}", path.display()));
        let mut found = None;
        let file = records::each::<Failure>(path, |record| {
            found = found.take().or(Some(record.bytes));
            Ok(())
        })?;
        file.note.into_iter().for_each(messages::status);
        Failure::if_any(file.wrong.into_iter().map(Failure::from).collect())?;
        let bytes = found.ok_or_else(|| wrong("has no certificate"))?;
        let certificate: Certificate<'_> =
            parse(&bytes).map_err(|error| wrong(&format!("no certificate: {error}")))?;
        let VerificationKeyIndicator::VerificationKey(key) =
            certificate.to_be_signed.verify_key_indicator
        else {
            return Err(wrong(
                "implicit itself, so that its key is not in it; give --issuer-hash and \
                 --issuer-key",
            ));
        };
        let (curve, point) = match &key {
            PublicVerificationKey::EcdsaNistP256(point) => (Curve::P256, point),
            PublicVerificationKey::EcdsaBrainpoolP256r1(point) => (Curve::BrainpoolP256r1, point),
            _ => {
                return Err(wrong(
                    "its key has not 256 bits, as that of implicit ones has",
                ));
            }
        };
        let key = Point::decode(curve, &encoded(point))
            .map_err(|error| wrong(&format!("its key: {error}")))?;
        let hash = hash_canonical(HashFunction::Sha256, &certificate)
            .map_err(|error| wrong(&error.to_string()))?;
        let hash = hash.as_bytes().to_vec();
        Ok(Self { hash, key })
    }

    /// Reads hash and key.
    pub(super) fn given(hash: &str, key: &str) -> Result<Self, Failure> {
        let hash = records::hex(hash)
            .filter(|hash| hash.len() == 32)
            .ok_or_else(|| {
                Failure::new("--issuer-hash: 64 hexadecimal digits, the SHA-256 of a certificate")
            })?;
        let wrong = |why: &str| Failure::new(format_args!("--issuer-key: {why}"));
        let bytes = records::hex(key)
            .ok_or_else(|| wrong("66 hexadecimal digits (compressed) or 130 (uncompressed)"))?;
        let point = EncodedPoint::from_sec1(&bytes).map_err(|error| wrong(&error.to_string()))?;
        let key = Point::decode(Curve::P256, &point).map_err(|error| wrong(&error.to_string()))?;
        Ok(Self { hash, key })
    }

    /// Rebuilds the key of a certificate.
    pub(super) fn rebuild(&self, certificate: &Certificate<'_>) -> Result<Rebuilt, String> {
        let VerificationKeyIndicator::ReconstructionValue(value) =
            certificate.to_be_signed.verify_key_indicator
        else {
            return Err("an explicit certificate has its key: nothing to rebuild".to_owned());
        };
        let named = match certificate.issuer {
            IssuerIdentifier::Sha256AndDigest(id)
            | IssuerIdentifier::Sha384AndDigest(id)
            | IssuerIdentifier::Sm3AndDigest(id) => id.0.to_vec(),
            IssuerIdentifier::SelfIssued(_) => Vec::new(),
        };
        if !self.hash.ends_with(&named) || named.is_empty() {
            let given = records::show(self.hash.get(24..).unwrap_or(&[]));
            let named = records::show(&named);
            return Err(format!(
                "its issuer is {named}, and the one given is {given}"
            ));
        }
        let own = hash_canonical(HashFunction::Sha256, &*certificate.to_be_signed)
            .map_err(|error| error.to_string())?;
        let both = [own.as_bytes(), &self.hash].concat();
        let e = hash(HashFunction::Sha256, &both);
        let issuer = self.key.uncompressed();
        let key = rebuild(self.key.curve(), e.as_bytes(), &encoded(&value), &issuer)
            .map_err(|error| error.to_string())?;
        Ok(Rebuilt {
            compressed: records::show(key.to_sec1_compressed().as_ref()),
            uncompressed: records::show(key.to_sec1_uncompressed().as_ref()),
        })
    }
}
