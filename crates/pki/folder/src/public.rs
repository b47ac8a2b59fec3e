//! Public keys in files: a point (SEC 1), `PublicEncryptionKey`, or SubjectPublicKeyInfo (DER); as
//! bytes or as hexadecimal digits.

use std::path::Path;

use pkcs8::der::Decode as _;
use pkcs8::spki::SubjectPublicKeyInfoRef;
use waywarden_ecverify::{Curve, EncodedPoint, Point};

use super::key_file::curve_of_parameters;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_v2x_input::records;

const PUBLIC_MAX: usize = 4_096;

/// Reads the bytes of a file with a public key.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = files::bytes(path, PUBLIC_MAX)?;
    let digits = std::str::from_utf8(&bytes).ok();
    let digits = digits.and_then(|text| records::hex(text.trim()));
    Ok(digits.unwrap_or(bytes))
}

/// Reads a public key. A compressed point does not say its curve: then it is `curve`.
pub fn read(path: &Path, curve: Curve) -> Result<Point, Failure> {
    let bytes = bytes(path)?;
    point(&bytes, curve).ok_or_else(|| {
        Failure::new(format_args!(
            "{}: no public key on {curve:?}: give a point (SEC 1, compressed or not) or \
             SubjectPublicKeyInfo (DER), or another --curve",
            path.display()
        ))
    })
}

/// Reads a point, or SubjectPublicKeyInfo, which says its own curve.
pub fn point(bytes: &[u8], curve: Curve) -> Option<Point> {
    if let Ok(info) = SubjectPublicKeyInfoRef::from_der(bytes) {
        let curve = curve_of_parameters(info.algorithm.parameters_oid().ok()?)?;
        return sec1(info.subject_public_key.as_bytes()?, curve);
    }
    sec1(bytes, curve)
}

fn sec1(bytes: &[u8], curve: Curve) -> Option<Point> {
    let (first, rest) = bytes.split_first()?;
    let length = curve.field_bytes();
    let encoded = match (first, rest.len()) {
        (2, own) if own == length => EncodedPoint::CompressedY0(rest),
        (3, own) if own == length => EncodedPoint::CompressedY1(rest),
        (4, own) if own == 2 * length => {
            let (x, y) = rest.split_at(length);
            EncodedPoint::Uncompressed { x, y }
        }
        _ => return None,
    };
    Point::decode(curve, &encoded).ok()
}
