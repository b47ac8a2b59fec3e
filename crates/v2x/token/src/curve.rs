//! Curves and points as PKCS#11 encodes them.

use waywarden_ecverify::{Curve, EncodedPoint, Point};

/// The DER of the object identifier of each curve: `CKA_EC_PARAMS`.
const PARAMETERS: [(Curve, &[u8]); 4] = [
    (
        Curve::P256,
        &[0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07],
    ),
    (Curve::P384, &[0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]),
    (
        Curve::BrainpoolP256r1,
        &[
            0x06, 0x09, 0x2B, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x07,
        ],
    ),
    (
        Curve::BrainpoolP384r1,
        &[
            0x06, 0x09, 0x2B, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x0B,
        ],
    ),
];

pub(crate) fn parameters(curve: Curve) -> &'static [u8] {
    let found = PARAMETERS.iter().find(|(own, _)| *own == curve);
    found.map_or(&[], |(_, parameters)| parameters)
}

pub(crate) fn of_parameters(parameters: &[u8]) -> Option<Curve> {
    let found = PARAMETERS.iter().find(|(_, own)| *own == parameters);
    found.map(|(curve, _)| *curve)
}

/// The bits of a curve, by which tokens state what they can do.
pub(crate) fn bits(curve: Curve) -> usize {
    curve.field_bytes() * 8
}

/// Reads `CKA_EC_POINT`: an OCTET STRING in DER, or with some tokens the point alone.
pub(crate) fn point(curve: Curve, bytes: &[u8]) -> Option<Point> {
    let decode = |sec1: &[u8]| {
        let encoded = EncodedPoint::from_sec1(sec1).ok()?;
        Point::decode(curve, &encoded).ok()
    };
    let wrapped = match bytes {
        [0x04, length, rest @ ..] if usize::from(*length) == rest.len() => decode(rest),
        _ => None,
    };
    wrapped.or_else(|| decode(bytes))
}

/// A point as SEC 1 has it, not compressed.
pub(crate) fn sec1(point: &Point) -> Vec<u8> {
    [&[4], point.x(), point.y()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_in_both_encodings_and_nothing_else() {
        // The base point of P-256 \[FIPS 186-5\].
        let hex = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
                   4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let raw: Vec<u8> = [4]
            .into_iter()
            .chain((0..128).step_by(2).map(byte))
            .collect();
        let wrapped = [&[0x04, 65], &raw[..]].concat();
        let read = point(Curve::P256, &raw).unwrap();
        assert_eq!(sec1(&read), raw);
        assert_eq!(sec1(&point(Curve::P256, &wrapped).unwrap()), raw);
        for wrong in [&raw[..64], &wrapped[..66], &[0x04, 65], &[]] {
            assert!(point(Curve::P256, wrong).is_none(), "{wrong:?}");
        }
        assert!(point(Curve::BrainpoolP256r1, &raw).is_none());
        for (curve, parameters_of) in PARAMETERS {
            assert_eq!(of_parameters(parameters_of), Some(curve));
            assert_eq!(
                usize::from(parameters(curve)[1]) + 2,
                parameters(curve).len()
            );
        }
    }
}
