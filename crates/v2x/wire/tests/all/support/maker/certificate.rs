//! Certificates, keys, signatures, permissions and regions.

use waywarden_v2x_wire::coer::{CoerOctets, Null, Raw, Text, Unknown};
use waywarden_v2x_wire::ieee1609dot2::*;

use super::Maker;

impl Maker {
    pub(crate) fn certificate(&mut self) -> Certificate<'static> {
        let is_explicit = self.random.once_in(2);
        let mut to_be_signed = self.certified();
        to_be_signed.verify_key_indicator = match is_explicit {
            true => VerificationKeyIndicator::VerificationKey(self.verification_key()),
            false => VerificationKeyIndicator::ReconstructionValue(self.point()),
        };
        let parts = CertificateBase {
            version: Version3,
            kind: match is_explicit {
                true => CertificateType::Explicit,
                false => CertificateType::Implicit,
            },
            issuer: match self.alternative(2, 3, 4) {
                0 => IssuerIdentifier::Sha256AndDigest(HashedId8(self.own())),
                1 => IssuerIdentifier::SelfIssued(self.hash_algorithm()),
                2 => IssuerIdentifier::Sha384AndDigest(HashedId8(self.own())),
                _ => IssuerIdentifier::Sm3AndDigest(HashedId8(self.own())),
            },
            to_be_signed: Raw::new(to_be_signed),
            signature: is_explicit.then(|| self.signature()),
        };
        Certificate::new(parts).unwrap()
    }

    pub(super) fn certified(&mut self) -> ToBeSignedCertificate<'static> {
        let of_2022 = self.scope.of_2022 && !self.plain;
        let at_least = self.random.below(3);
        let group = Self::group_permissions;
        ToBeSignedCertificate {
            id: self.certificate_id(),
            craca_id: HashedId3(self.own()),
            crl_series: CrlSeries(self.number() as u16),
            validity_period: ValidityPeriod {
                start: Time32(self.number() as u32),
                duration: self.duration(),
            },
            region: self.maybe(Self::region),
            assurance_level: self.maybe(|own| SubjectAssurance(own.own())),
            app_permissions: (at_least == 0 || self.random.once_in(2))
                .then(|| self.list(Self::permission)),
            cert_issue_permissions: (at_least == 1 || self.random.once_in(4))
                .then(|| self.list(group)),
            cert_request_permissions: (at_least == 2 || self.random.once_in(4))
                .then(|| self.list(group)),
            can_request_rollover: self.maybe(|_| Null),
            encryption_key: self.maybe(Self::encryption_key),
            // The caller's.
            verify_key_indicator: VerificationKeyIndicator::ReconstructionValue(CurvePoint::Fill),
            flags: self
                .seldom(Self::array)
                .filter(|_| of_2022 && self.scope.byte_additions),
            app_extensions: self
                .seldom(|own| own.list(Self::app_extension))
                .filter(|_| of_2022),
            cert_issue_extensions: self
                .seldom(|own| own.list(Self::permitted_extension))
                .filter(|_| of_2022),
            cert_request_extensions: self
                .seldom(|own| own.list(Self::permitted_extension))
                .filter(|_| of_2022),
            unknown: self.additions(),
        }
    }

    fn app_extension(&mut self) -> AppExtension<'static> {
        // What is there stands for an operating organisation: arcs of an object identifier.
        let arcs: &[u8] = match self.random.below(3) {
            0 => &[0x2B, 6, 1, 4, 1, 0x82, 0x37],
            1 => &[0x2B, 0x6F],
            _ => &[0x60, 0x86, 0x48, 1],
        };
        AppExtension {
            id: self.number() as u8,
            content: Unknown(match self.scope.any_extension {
                true => self.opaque(),
                false => arcs,
            }),
        }
    }

    fn permitted_extension(&mut self) -> PermittedExtension<'static> {
        PermittedExtension {
            id: self.number() as u8,
            permissions: match self.scope.any_extension && self.random.once_in(2) {
                true => ExtensionPermissions::Specific(Unknown(self.opaque())),
                false => ExtensionPermissions::All(Null),
            },
        }
    }

    fn certificate_id(&mut self) -> CertificateId<'static> {
        match self.random.below(4) {
            0 => CertificateId::LinkageData(LinkageData {
                period: IValue(self.number() as u16),
                value: LinkageValue(self.own()),
                group: self.maybe(|own| GroupLinkageValue {
                    j: JValue(own.own()),
                    value: LinkageValue(own.own()),
                }),
            }),
            1 => {
                let letters = ['a', 'Z', '.', '-', '\0', 'ß', '車', '🚗'];
                let longest = if self.scope.long_names { 255 } else { 63 };
                let most = [0, 10, 20, longest][self.random.below(4) as usize];
                let length = self.random.below(most + 1);
                let text: String = (0..length)
                    .map(|_| letters[self.random.below(8) as usize])
                    .collect();
                CertificateId::Name(Text::new(text.leak()).unwrap())
            }
            2 => CertificateId::BinaryId(CoerOctets::new(self.octets(1, 64)).unwrap()),
            _ => CertificateId::None(Null),
        }
    }

    fn duration(&mut self) -> Duration {
        let count = self.number() as u16;
        match self.random.below(7) {
            0 => Duration::Microseconds(count),
            1 => Duration::Milliseconds(count),
            2 => Duration::Seconds(count),
            3 => Duration::Minutes(count),
            4 => Duration::Hours(count),
            5 => Duration::SixtyHours(count),
            _ => Duration::Years(count),
        }
    }

    pub(super) fn latitude(&mut self) -> Latitude {
        let span = 1_800_000_002;
        Latitude(match self.random.below(4) {
            0 => -900_000_000,
            1 => LATITUDE_UNKNOWN,
            _ => self.random.below(span) as i32 - 900_000_000,
        })
    }

    pub(super) fn longitude(&mut self) -> Longitude {
        let span = 3_600_000_001;
        Longitude(match self.random.below(4) {
            0 => -1_799_999_999,
            1 => LONGITUDE_UNKNOWN,
            _ => (self.random.below(span) as i64 - 1_799_999_999) as i32,
        })
    }

    fn place(&mut self) -> TwoDLocation {
        TwoDLocation {
            latitude: self.latitude(),
            longitude: self.longitude(),
        }
    }

    fn region(&mut self) -> GeographicRegion<'static> {
        match self.random.below(4) {
            0 => GeographicRegion::Circular(CircularRegion {
                center: self.place(),
                radius: self.number() as u16,
            }),
            1 => GeographicRegion::Rectangular(self.list(|own| RectangularRegion {
                north_west: own.place(),
                south_east: own.place(),
            })),
            2 => GeographicRegion::Polygonal(self.list(Self::place)),
            _ => GeographicRegion::Identified(self.list(Self::identified_region)),
        }
    }

    fn identified_region(&mut self) -> IdentifiedRegion<'static> {
        let country = UnCountryId(self.number() as u16);
        match self.random.below(3) {
            0 => IdentifiedRegion::CountryOnly(country),
            1 => IdentifiedRegion::CountryAndRegions(CountryAndRegions {
                country,
                regions: self.list(|own| own.number() as u8),
            }),
            _ => IdentifiedRegion::CountryAndSubregions(CountryAndSubregions {
                country,
                regions: self.list(|own| RegionAndSubregions {
                    region: own.number() as u8,
                    subregions: own.list(|own| own.number() as u16),
                }),
            }),
        }
    }

    fn permission(&mut self) -> PsidSsp<'static> {
        PsidSsp {
            psid: Psid(self.number()),
            ssp: self.maybe(|own| match (own.strange(), own.alternative(1, 2, 2)) {
                (Some((tag, bytes)), _) => ServiceSpecificPermissions::Unknown(tag, bytes),
                (_, 0) => ServiceSpecificPermissions::Opaque(own.opaque()),
                _ => {
                    ServiceSpecificPermissions::Bitmap(CoerOctets::new(own.octets(0, 31)).unwrap())
                }
            }),
        }
    }

    fn permission_range(&mut self) -> PsidSspRange<'static> {
        PsidSspRange {
            psid: Psid(self.number()),
            range: self.maybe(|own| match (own.strange(), own.alternative(2, 3, 3)) {
                (Some((tag, bytes)), _) => SspRange::Unknown(tag, bytes),
                (_, 0) => SspRange::Opaque(own.list(Self::opaque)),
                (_, 1) => SspRange::All(Null),
                _ => SspRange::Bitmap(BitmapSspRange {
                    value: CoerOctets::new(own.octets(1, 32)).unwrap(),
                    mask: CoerOctets::new(own.octets(1, 32)).unwrap(),
                }),
            }),
        }
    }

    fn group_permissions(&mut self) -> PsidGroupPermissions<'static> {
        let chain = |own: &mut Self, default: i64| match own.random.below(4) {
            0 => own.number() as i64,
            1 => own.random.below(4) as i64 - 1,
            _ => default,
        };
        PsidGroupPermissions {
            subject: match self.random.once_in(4) {
                true => SubjectPermissions::All(Null),
                false => SubjectPermissions::Explicit(self.list(Self::permission_range)),
            },
            min_chain_length: chain(self, 1),
            chain_length_range: chain(self, 0),
            ee_type: match self.random.below(4) {
                0 => EndEntityType::ENROL,
                1 => EndEntityType::new(0xC0).unwrap(),
                2 => EndEntityType::new(1 + self.random.below(255) as u8).unwrap(),
                _ => EndEntityType::APP,
            },
        }
    }

    pub(super) fn point<const N: usize>(&mut self) -> CurvePoint<'static, N> {
        match self.random.below(8) {
            0 => CurvePoint::XOnly(self.array()),
            1 => CurvePoint::Fill,
            2..=4 => CurvePoint::CompressedY0(self.array()),
            5 | 6 => CurvePoint::CompressedY1(self.array()),
            _ => CurvePoint::Uncompressed {
                x: self.array(),
                y: self.array(),
            },
        }
    }

    fn ecdsa<const N: usize>(&mut self) -> EcdsaSignature<'static, N> {
        EcdsaSignature {
            r: self.point(),
            s: self.array(),
        }
    }

    pub(super) fn signature(&mut self) -> Signature<'static> {
        match self.alternative(2, 3, 5) {
            0 => Signature::EcdsaNistP256(self.ecdsa()),
            1 => Signature::EcdsaBrainpoolP256r1(self.ecdsa()),
            2 => Signature::EcdsaBrainpoolP384r1(self.ecdsa()),
            3 => Signature::EcdsaNistP384(self.ecdsa()),
            _ => Signature::Sm2(EcsigP256Signature {
                r: self.array(),
                s: self.array(),
            }),
        }
    }

    pub(super) fn verification_key(&mut self) -> PublicVerificationKey<'static> {
        match self.alternative(2, 3, 5) {
            0 => PublicVerificationKey::EcdsaNistP256(self.point()),
            1 => PublicVerificationKey::EcdsaBrainpoolP256r1(self.point()),
            2 => PublicVerificationKey::EcdsaBrainpoolP384r1(self.point()),
            3 => PublicVerificationKey::EcdsaNistP384(self.point()),
            _ => PublicVerificationKey::EcsigSm2(self.point()),
        }
    }

    pub(super) fn encryption_key(&mut self) -> PublicEncryptionKey<'static> {
        PublicEncryptionKey {
            algorithm: match self.alternative(1, 1, 2) {
                0 => SymmAlgorithm::Aes128Ccm,
                _ => SymmAlgorithm::Sm4Ccm,
            },
            key: match (self.strange(), self.alternative(2, 2, 3)) {
                (Some((tag, bytes)), _) => BasePublicEncryptionKey::Unknown(tag, bytes),
                (_, 0) => BasePublicEncryptionKey::EciesNistP256(self.point()),
                (_, 1) => BasePublicEncryptionKey::EciesBrainpoolP256r1(self.point()),
                _ => BasePublicEncryptionKey::EcencSm2(self.point()),
            },
        }
    }
}
