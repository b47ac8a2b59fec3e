//! Building blocks of forgeries: certificates with any contents, chains of any length, places.

use waywarden_testkit_v2x::world::{Holder, MessageContents, NO_KEY, NOW, Named, now};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_security::{Limits, ReceptionContext, SIGNATURES_MAX, Verifier};
use waywarden_v2x_wire::coer::{CoerOctets, Null, SequenceOf, Text, UnknownAdditions};
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, CircularRegion, CountryAndRegions, CrlSeries, Duration, Elevation,
    EndEntityType, GeographicRegion, HashedId3, IdentifiedRegion, Latitude, Longitude, Psid,
    PsidGroupPermissions, PsidSsp, PsidSspRange, RectangularRegion, ServiceSpecificPermissions,
    SspRange, SubjectPermissions, ThreeDLocation, Time32, ToBeSignedCertificate, TwoDLocation,
    UnCountryId, ValidityPeriod,
};

pub(crate) type Region = GeographicRegion<'static>;
pub(crate) type Permission = PsidSsp<'static>;
pub(crate) type Range = PsidSspRange<'static>;
pub(crate) type Group = PsidGroupPermissions<'static>;

/// Keeps values for as long as the test runs, so that drafts can be copied.
pub(crate) fn kept<T>(values: Vec<T>) -> &'static [T] {
    values.leak()
}

fn list<T, const MIN: usize>(values: Vec<T>) -> SequenceOf<'static, T, MIN> {
    SequenceOf::new(kept(values)).unwrap()
}

/// Contents of a certificate to be issued.
#[derive(Clone, Copy)]
pub(crate) struct Draft {
    pub(crate) seed: u8,
    pub(crate) implicit: bool,
    pub(crate) start: u32,
    pub(crate) duration: Duration,
    pub(crate) region: Option<Region>,
    pub(crate) craca: HashedId3,
    pub(crate) series: u16,
    pub(crate) app: &'static [Permission],
    pub(crate) issue: &'static [Group],
    pub(crate) request: &'static [Group],
}

impl Draft {
    /// A certificate that may sign messages of some applications.
    pub(crate) fn station(seed: u8) -> Self {
        Self {
            seed,
            implicit: false,
            start: NOW - 3_600,
            duration: Duration::Hours(24),
            region: None,
            craca: HashedId3([0; 3]),
            series: 0,
            app: kept([32, 36, 37, 135].map(plain).to_vec()),
            issue: &[],
            request: &[],
        }
    }

    /// A certificate that may issue others for all applications.
    pub(crate) fn authority(seed: u8) -> Self {
        Self {
            start: NOW - 36_000,
            duration: Duration::Hours(1_000),
            app: &[],
            issue: kept(vec![all(1, -1)]),
            ..Self::station(seed)
        }
    }

    pub(crate) fn implicit(self) -> Self {
        Self {
            implicit: true,
            ..self
        }
    }

    pub(crate) fn within(self, region: Option<Region>) -> Self {
        Self { region, ..self }
    }

    pub(crate) fn issued_by(&self, issuer: Option<&Holder>) -> Holder {
        fn some<T>(values: &'static [T]) -> Option<SequenceOf<'static, T>> {
            (!values.is_empty()).then(|| SequenceOf::new(values).unwrap())
        }
        let tbs = ToBeSignedCertificate {
            id: match self.issue {
                [] => CertificateId::None(Null),
                _ => CertificateId::Name(Text::new("authority").unwrap()),
            },
            craca_id: self.craca,
            crl_series: CrlSeries(self.series),
            validity_period: ValidityPeriod {
                start: Time32(self.start),
                duration: self.duration,
            },
            region: self.region,
            assurance_level: None,
            app_permissions: some(self.app),
            cert_issue_permissions: some(self.issue),
            cert_request_permissions: some(self.request),
            can_request_rollover: None,
            encryption_key: None,
            verify_key_indicator: NO_KEY,
            flags: None,
            app_extensions: None,
            cert_issue_extensions: None,
            cert_request_extensions: None,
            unknown: UnknownAdditions::default(),
        };
        Holder::certify(tbs, self.implicit, self.seed, issuer)
    }
}

/// A root, the authorities under it and a station, each issued by the one before.
pub(crate) struct Pki {
    pub(crate) holders: Vec<Holder>,
}

impl Pki {
    pub(crate) fn new(drafts: &[Draft]) -> Self {
        let mut holders: Vec<Holder> = Vec::new();
        for draft in drafts {
            holders.push(draft.issued_by(holders.last()));
        }
        Self { holders }
    }

    /// Nothing special.
    pub(crate) fn plain() -> Self {
        Self::with(Draft::station(3))
    }

    /// With this station.
    pub(crate) fn with(station: Draft) -> Self {
        Self::new(&[Draft::authority(1), Draft::authority(2), station])
    }

    pub(crate) fn root(&self) -> &Holder {
        &self.holders[0]
    }

    pub(crate) fn station(&self) -> &Holder {
        self.holders.last().unwrap()
    }

    /// Returns the authorities between the station and the root, the station's issuer first.
    pub(crate) fn above(&self) -> Vec<&Holder> {
        let between = &self.holders[1..self.holders.len() - 1];
        between.iter().rev().collect()
    }

    /// Knows the root alone.
    pub(crate) fn verifier(&self) -> Verifier {
        // Chains of every depth are followed, though a message from a radio may have none so deep.
        let limits = Limits {
            signatures: SIGNATURES_MAX,
            work: u32::MAX,
            ..Limits::DEFAULT
        };
        let mut verifier = Verifier::default().with_borders(Italy).with_limits(limits);
        verifier.add_trust_anchor(&self.root().certificate).unwrap();
        verifier
    }

    /// Knows the root and that of another.
    pub(crate) fn verifier_of_both(&self, other: &Self) -> Verifier {
        let mut verifier = self.verifier();
        let root = &other.root().certificate;
        verifier.add_trust_anchor(root).unwrap();
        verifier
    }

    /// Knows the root and the authorities.
    pub(crate) fn knowing(&self) -> Verifier {
        let mut verifier = self.verifier();
        for authority in self.above().into_iter().rev() {
            verifier.add_certificate(&authority.certificate).unwrap();
        }
        verifier
    }

    /// Signs a message as the station, with the whole chain in it.
    pub(crate) fn sign(&self, message: &MessageContents<'_>) -> Vec<u8> {
        let above = self.above();
        let named = Named::Certificates(&above);
        MessageContents { named, ..*message }.sign(self.station())
    }
}

/// Degrees north and east.
pub(crate) type Place = (f64, f64);

/// A place near which everything is.
pub(crate) const HERE: Place = (43.5551, 10.3036);

/// A place in degrees.
pub(crate) fn place((latitude, longitude): Place) -> TwoDLocation {
    TwoDLocation {
        latitude: Latitude((latitude * 1e7).round() as i32),
        longitude: Longitude((longitude * 1e7).round() as i32),
    }
}

pub(crate) fn above_ground(degrees: Place) -> Option<ThreeDLocation> {
    let TwoDLocation {
        latitude,
        longitude,
    } = place(degrees);
    Some(ThreeDLocation {
        latitude,
        longitude,
        elevation: Elevation(4_100),
    })
}

/// A message with a place.
pub(crate) fn made_at(degrees: Place) -> MessageContents<'static> {
    MessageContents {
        place: above_ground(degrees),
        ..MessageContents::new()
    }
}

pub(crate) fn at_now() -> ReceptionContext<'static> {
    ReceptionContext::at(now())
}

pub(crate) fn circle(center: Place, radius: u16) -> Region {
    GeographicRegion::Circular(CircularRegion {
        center: place(center),
        radius,
    })
}

/// Rectangles by their north, west, south and east edges.
pub(crate) fn rectangles(edges: &[[f64; 4]]) -> Region {
    let one = |&[north, west, south, east]: &[f64; 4]| RectangularRegion {
        north_west: place((north, west)),
        south_east: place((south, east)),
    };
    GeographicRegion::Rectangular(list(edges.iter().map(one).collect()))
}

pub(crate) fn polygon(corners: &[Place]) -> Region {
    GeographicRegion::Polygonal(list(corners.iter().copied().map(place).collect()))
}

pub(crate) fn identified(regions: Vec<IdentifiedRegion<'static>>) -> Region {
    GeographicRegion::Identified(list(regions))
}

pub(crate) fn country(number: u16) -> IdentifiedRegion<'static> {
    IdentifiedRegion::CountryOnly(UnCountryId(number))
}

pub(crate) fn regions_of(number: u16, regions: &[u8]) -> IdentifiedRegion<'static> {
    IdentifiedRegion::CountryAndRegions(CountryAndRegions {
        country: UnCountryId(number),
        regions: list(regions.to_vec()),
    })
}

/// The border of one country, as a box.
pub(crate) struct Italy;

/// Its number.
pub(crate) const ITALY: u16 = 380;
/// The number of another one.
pub(crate) const FRANCE: u16 = 250;

impl Borders for Italy {
    fn contains(
        &self,
        country: UnCountryId,
        _: Option<u8>,
        _: Option<u16>,
        place: &TwoDLocation,
    ) -> Option<bool> {
        let is_in = (350_000_000..470_000_000).contains(&place.latitude.0)
            && (60_000_000..185_000_000).contains(&place.longitude.0);
        Some(country.0 == ITALY && is_in)
    }
}

pub(crate) fn plain(psid: u64) -> Permission {
    let psid = Psid(psid);
    PsidSsp { psid, ssp: None }
}

pub(crate) fn opaque(psid: u64, ssp: &[u8]) -> Permission {
    PsidSsp {
        psid: Psid(psid),
        ssp: Some(ServiceSpecificPermissions::Opaque(kept(ssp.to_vec()))),
    }
}

pub(crate) fn bitmap(psid: u64, ssp: &[u8]) -> Permission {
    let octets = CoerOctets::new(kept(ssp.to_vec())).unwrap();
    PsidSsp {
        psid: Psid(psid),
        ssp: Some(ServiceSpecificPermissions::Bitmap(octets)),
    }
}

fn range(psid: u64, range: SspRange<'static>) -> Range {
    PsidSspRange {
        psid: Psid(psid),
        range: Some(range),
    }
}

/// Any permission within an application.
pub(crate) fn any(psid: u64) -> Range {
    range(psid, SspRange::All(Null))
}

/// Permissions with these bits where the mask is 1.
pub(crate) fn bits(psid: u64, value: &[u8], mask: &[u8]) -> Range {
    use waywarden_v2x_wire::ieee1609dot2::BitmapSspRange;
    let [value, mask] = [value, mask].map(|one| CoerOctets::new(kept(one.to_vec())).unwrap());
    range(psid, SspRange::Bitmap(BitmapSspRange { value, mask }))
}

/// One of these permissions.
pub(crate) fn one_of(psid: u64, values: &[&'static [u8]]) -> Range {
    range(psid, SspRange::Opaque(list(values.to_vec())))
}

/// A group for all applications.
pub(crate) fn all(least: i64, range: i64) -> Group {
    PsidGroupPermissions {
        subject: SubjectPermissions::All(Null),
        min_chain_length: least,
        chain_length_range: range,
        ee_type: EndEntityType::APP,
    }
}

/// A group for these applications and chains of any length.
pub(crate) fn group(ranges: Vec<Range>) -> Group {
    Group {
        subject: SubjectPermissions::Explicit(list(ranges)),
        ..all(1, -1)
    }
}
