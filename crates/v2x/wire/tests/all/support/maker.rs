//! Random values of every type, made of the crate's own types; nothing is read for it.
//!
//! A seed gives the same value each time. What lists and points hold is leaked: a few kilobytes a
//! value, gone with the test.

mod certificate;
mod management;
mod messages;
mod revocation;

use waywarden_testkit::Random;
use waywarden_v2x_wire::coer::{
    NestedEncoding, Null, SequenceOf, Unknown, UnknownAdditions, parse,
};
use waywarden_v2x_wire::ieee1609dot2::*;

/// Parts that values may contain, for readers that do not know all of them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Scope {
    /// Extension additions that no version knows. They do not change what else there is.
    pub(crate) unknown_additions: bool,
    /// Alternatives that no version knows, where that is allowed.
    pub(crate) unknown_alternatives: bool,
    /// Additions to the standard of 2022: NIST P-384, SM2, SM3, SM4, certificate extensions.
    pub(crate) of_2022: bool,
    /// Certificate extensions of any kind, and contributions to headers with any content.
    pub(crate) any_extension: bool,
    /// Contributions to headers: ETSI's requests for revocation and trust lists.
    pub(crate) contributed: bool,
    /// Names with more bytes than characters, up to the most characters.
    pub(crate) long_names: bool,
    /// Additions of one byte: the flags of a certificate, the type of a PDU in a header.
    pub(crate) byte_additions: bool,
    /// A certificate that a header brings has nothing that stands after an extension marker.
    pub(crate) plain_requested: bool,
}

pub(crate) struct Maker {
    random: Random,
    /// A generator of its own for unknown additions, so that they change nothing else.
    unknown: Random,
    scope: Scope,
    depth: u32,
    /// Nothing that stands after an extension marker is made.
    plain: bool,
}

/// Maximum nesting of secured data in secured data.
const DEPTH: u32 = 3;

pub(crate) fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

impl Maker {
    pub(crate) fn new(seed: u64, scope: Scope) -> Self {
        Self {
            random: Random::new(seed),
            unknown: Random::new(!seed),
            scope,
            depth: 0,
            plain: false,
        }
    }

    /// Any number; small ones and the ends of ranges are as likely as others.
    fn number(&mut self) -> u64 {
        match self.random.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => (1 << (8 * self.random.below(8))) - 1,
            3 => 1 << (8 * self.random.below(8)),
            _ => self.random.u64() >> self.random.below(64),
        }
    }

    fn array<const N: usize>(&mut self) -> &'static [u8; N] {
        keep(self.own())
    }

    fn own<const N: usize>(&mut self) -> [u8; N] {
        core::array::from_fn(|_| self.random.u64() as u8)
    }

    /// Octets, now and then where the length gets longer.
    fn octets(&mut self, min: usize, max: usize) -> &'static [u8] {
        let length = match self.random.below(12) {
            0 => min,
            1 => max,
            2 => 127,
            3 => 128,
            4 => 255,
            5 => 256,
            _ => min + self.random.below(40) as usize,
        };
        self.random.bytes(length.clamp(min, max)).leak()
    }

    fn opaque(&mut self) -> &'static [u8] {
        self.octets(0, 400)
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.random.once_in(2).then(|| make(self))
    }

    /// Something that is rarely there.
    fn seldom<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.random.once_in(8).then(|| make(self))
    }

    fn list<T, const MIN: usize>(
        &mut self,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> SequenceOf<'static, T, MIN> {
        let more = match self.random.below(16) {
            0 => 9,
            other => other % 4,
        };
        let values: Vec<T> = (0..MIN as u64 + more).map(|_| make(self)).collect();
        SequenceOf::new(values.leak()).unwrap()
    }

    /// One of the first `root` alternatives, which stand before the extension marker; of `known`,
    /// with those that came until 2017; of `all`, with those of 2022: as the scope says.
    fn alternative(&mut self, root: u64, known: u64, all: u64) -> u64 {
        self.random.below(match self.plain {
            true => root,
            false if self.scope.of_2022 => all,
            false => known,
        })
    }

    fn requested_certificate(&mut self) -> Certificate<'static> {
        self.plain = self.scope.plain_requested;
        let certificate = self.certificate();
        self.plain = false;
        certificate
    }

    /// An alternative that no standard has, once in a while.
    fn strange(&mut self) -> Option<(u8, Unknown<'static>)> {
        if !self.scope.unknown_alternatives || !self.random.once_in(8) {
            return None;
        }
        let tag = 10 + self.random.below(53) as u8;
        Some((tag, Unknown(self.opaque())))
    }

    /// Additions that no standard has. There is no way to make them but to read them, as there is
    /// no way for a program to know them: they come out of the emptiest type there is.
    fn additions(&mut self) -> UnknownAdditions<'static> {
        if !self.unknown.once_in(3) || !self.scope.unknown_additions || self.plain {
            return UnknownAdditions::default();
        }
        let count = 1 + self.unknown.below(12) as usize;
        let chosen = self.unknown.below(count as u64) as usize;
        let bits: Vec<bool> = (0..count)
            .map(|bit| bit == chosen || self.unknown.once_in(3))
            .collect();
        let mut map = vec![0; count.div_ceil(8)];
        for (at, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
            map[at / 8] |= 0x80 >> (at % 8);
        }
        // The preamble, then the map with the number of bits that it does not use.
        let mut bytes = vec![0x80, map.len() as u8 + 1, (map.len() * 8 - count) as u8];
        bytes.extend(map);
        for _ in bits.iter().filter(|bit| **bit) {
            let length = self.unknown.below(20) as usize;
            bytes.push(length as u8);
            bytes.extend(self.unknown.bytes(length));
        }
        parse::<CrlPriorityInfo<'_>>(bytes.leak()).unwrap().unknown
    }

    /// Secured data of any kind.
    pub(crate) fn data(&mut self) -> Ieee1609Dot2Data<'static> {
        self.depth += 1;
        let content = match self.random.below(8) {
            0 => Ieee1609Dot2Content::Unsecured(self.opaque()),
            1 => Ieee1609Dot2Content::SignedCertificateRequest(self.opaque()),
            2 if self.scope.of_2022 => {
                Ieee1609Dot2Content::SignedX509CertificateRequest(self.opaque())
            }
            3 | 4 => Ieee1609Dot2Content::Encrypted(self.encrypted()),
            _ if self.depth > DEPTH => Ieee1609Dot2Content::Unsecured(self.opaque()),
            _ => Ieee1609Dot2Content::Signed(self.signed()),
        };
        self.depth -= 1;
        Ieee1609Dot2Data {
            version: Version3,
            content,
        }
    }

    pub(crate) fn signed(&mut self) -> SignedData<'static> {
        SignedData {
            hash_id: self.hash_algorithm(),
            tbs_data: waywarden_v2x_wire::coer::Raw::new(ToBeSignedData {
                payload: self.payload(),
                header_info: self.header(),
            }),
            signer: match self.random.below(3) {
                0 => SignerIdentifier::Digest(HashedId8(self.own())),
                1 => SignerIdentifier::Certificate(self.list(Self::certificate)),
                _ => SignerIdentifier::OwnKey(Null),
            },
            signature: self.signature(),
        }
    }

    fn hash_algorithm(&mut self) -> HashAlgorithm {
        match self.alternative(2, 2, 3) {
            0 => HashAlgorithm::Sha256,
            1 => HashAlgorithm::Sha384,
            _ => HashAlgorithm::Sm3,
        }
    }

    fn payload(&mut self) -> SignedDataPayload<'static> {
        let unknown = self.additions();
        let (has_data, has_hash) = match self.random.below(4) {
            0 => (false, true),
            1 => (true, true),
            _ => (true, false),
        };
        let parts = PayloadParts {
            data: has_data.then(|| NestedEncoding::Value(keep(self.data()))),
            external_hash: has_hash.then(|| match self.alternative(1, 2, 3) {
                0 => HashedData::Sha256(self.array()),
                1 => HashedData::Sha384(self.array()),
                _ => HashedData::Sm3(self.array()),
            }),
            omitted: match self.scope.of_2022 {
                true => self.seldom(|_| Null),
                false => None,
            },
            unknown,
        };
        SignedDataPayload::new(parts).unwrap()
    }

    fn header(&mut self) -> HeaderInfo<'static> {
        HeaderInfo {
            psid: Psid(self.number()),
            generation_time: self.maybe(|own| Time64(own.number())),
            expiry_time: self.maybe(|own| Time64(own.number())),
            generation_location: self.maybe(|own| ThreeDLocation {
                latitude: own.latitude(),
                longitude: own.longitude(),
                elevation: Elevation(own.number() as u16),
            }),
            p2pcd_learning_request: self.maybe(|own| HashedId3(own.own())),
            missing_crl: self.maybe(|own| MissingCrlIdentifier {
                craca_id: HashedId3(own.own()),
                crl_series: CrlSeries(own.number() as u16),
                unknown: own.additions(),
            }),
            encryption_key: self.maybe(|own| match own.random.once_in(2) {
                true => EncryptionKey::Public(own.encryption_key()),
                false => EncryptionKey::Symmetric(own.symmetric_key()),
            }),
            inline_p2pcd_request: self.seldom(|own| own.list(|own| HashedId3(own.own()))),
            requested_certificate: self
                .seldom(|own| NestedEncoding::Value(keep(own.requested_certificate()))),
            pdu_functional_type: match self.scope.byte_additions {
                true => self.seldom(|own| own.number() as u8),
                false => None,
            },
            contributed_extensions: match self.scope.contributed {
                true => self.seldom(|own| own.list(Self::contribution)),
                false => None,
            },
            unknown: self.additions(),
        }
    }

    /// A request for a revocation list or a trust list of TS 102 941, or anything.
    fn contribution(&mut self) -> ContributedExtensionBlock<'static> {
        if self.scope.any_extension {
            return ContributedExtensionBlock {
                contributor: self.number() as u8,
                extensions: self.list(|own| Unknown(own.opaque())),
            };
        }
        ContributedExtensionBlock {
            contributor: 2,
            extensions: self.list(|own| {
                let (id, last) = match own.random.once_in(2) {
                    true => (1, 4),
                    false => (2, 1),
                };
                let last = own.maybe(|own| own.random.bytes(last)).unwrap_or_default();
                let mut content = vec![if last.is_empty() { 0 } else { 0x80 }];
                content.extend(own.random.bytes(8));
                content.extend(last);
                let mut extension = vec![id, content.len() as u8];
                extension.extend(content);
                Unknown(extension.leak())
            }),
        }
    }

    fn encrypted(&mut self) -> EncryptedData<'static> {
        EncryptedData {
            recipients: self.list(Self::recipient),
            ciphertext: self.ciphertext(),
        }
    }

    fn recipient(&mut self) -> RecipientInfo<'static> {
        match self.random.below(5) {
            0 => RecipientInfo::PreSharedKey(HashedId8(self.own())),
            1 => RecipientInfo::Symmetric(SymmRecipientInfo {
                recipient_id: HashedId8(self.own()),
                enc_key: self.ciphertext(),
            }),
            2 => RecipientInfo::Certificate(self.recipient_key()),
            3 => RecipientInfo::SignedData(self.recipient_key()),
            _ => RecipientInfo::ResponseKey(self.recipient_key()),
        }
    }

    fn recipient_key(&mut self) -> PkRecipientInfo<'static> {
        let ecies = |own: &mut Self| EciesP256EncryptedKey {
            v: own.point(),
            c: own.array(),
            t: own.array(),
        };
        PkRecipientInfo {
            recipient_id: HashedId8(self.own()),
            enc_key: match (self.strange(), self.alternative(2, 2, 3)) {
                (Some((tag, bytes)), _) => EncryptedDataEncryptionKey::Unknown(tag, bytes),
                (_, 0) => EncryptedDataEncryptionKey::EciesNistP256(ecies(self)),
                (_, 1) => EncryptedDataEncryptionKey::EciesBrainpoolP256r1(ecies(self)),
                _ => EncryptedDataEncryptionKey::EcencSm2256(EcencP256EncryptedKey {
                    v: self.point(),
                    c: self.array(),
                    t: self.array(),
                }),
            },
        }
    }

    fn ciphertext(&mut self) -> SymmetricCiphertext<'static> {
        let alternative = self.alternative(1, 1, 2);
        let text = One28BitCcmCiphertext {
            nonce: self.array(),
            ciphertext: self.opaque(),
        };
        match alternative {
            0 => SymmetricCiphertext::Aes128Ccm(text),
            _ => SymmetricCiphertext::Sm4Ccm(text),
        }
    }

    fn symmetric_key(&mut self) -> SymmetricEncryptionKey<'static> {
        match (self.strange(), self.alternative(1, 1, 2)) {
            (Some((tag, bytes)), _) => SymmetricEncryptionKey::Unknown(tag, bytes),
            (_, 0) => SymmetricEncryptionKey::Aes128Ccm(self.array()),
            _ => SymmetricEncryptionKey::Sm4Ccm(self.array()),
        }
    }
}
