//! Header fields that are rarely there.

use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, UnknownAdditions};
use waywarden_v2x_wire::ieee1609dot2::{
    BasePublicEncryptionKey, Certificate, CrlSeries, CurvePoint, EncryptionKey, HashedId3,
    HeaderInfo, MissingCrlIdentifier, PublicEncryptionKey, SymmAlgorithm, SymmetricEncryptionKey,
};

/// A change of a header.
pub(crate) type Change = fn(HeaderInfo<'static>) -> HeaderInfo<'static>;

/// The x-coordinate of the base point of P-256.
pub(crate) const BASE: [u8; 32] = [
    0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2,
    0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
];

static REQUEST: [HashedId3; 1] = [HashedId3([1, 2, 3])];

pub(crate) fn learning_request(header: HeaderInfo<'static>) -> HeaderInfo<'static> {
    HeaderInfo {
        p2pcd_learning_request: Some(HashedId3([1, 2, 3])),
        ..header
    }
}

pub(crate) fn missing_crl(header: HeaderInfo<'static>) -> HeaderInfo<'static> {
    HeaderInfo {
        missing_crl: Some(MissingCrlIdentifier {
            craca_id: HashedId3([1, 2, 3]),
            crl_series: CrlSeries(1),
            unknown: UnknownAdditions::default(),
        }),
        ..header
    }
}

pub(crate) fn public_key(header: HeaderInfo<'static>) -> HeaderInfo<'static> {
    HeaderInfo {
        encryption_key: Some(EncryptionKey::Public(PublicEncryptionKey {
            algorithm: SymmAlgorithm::Aes128Ccm,
            key: BasePublicEncryptionKey::EciesNistP256(CurvePoint::CompressedY1(&BASE)),
        })),
        ..header
    }
}

pub(crate) fn symmetric_key(header: HeaderInfo<'static>) -> HeaderInfo<'static> {
    HeaderInfo {
        encryption_key: Some(EncryptionKey::Symmetric(SymmetricEncryptionKey::Aes128Ccm(
            &[7; 16],
        ))),
        ..header
    }
}

pub(crate) fn inline_request(header: HeaderInfo<'static>) -> HeaderInfo<'static> {
    HeaderInfo {
        inline_p2pcd_request: SequenceOf::new(&REQUEST),
        ..header
    }
}

pub(crate) fn requested<'h>(
    header: HeaderInfo<'h>,
    certificate: &'h Certificate<'h>,
) -> HeaderInfo<'h> {
    HeaderInfo {
        requested_certificate: Some(NestedEncoding::Value(certificate)),
        ..header
    }
}
