//! Random contents of certificates: what is issued says what was asked for, is accepted by a
//! receiver, and is written again as it was read. What cannot be issued is refused by its field.

use waywarden_ecverify::{Curve, Point};
use waywarden_testkit::{Random, cases};
use waywarden_v2x_keys::{KeyStore, Uses, ecqv};
use waywarden_v2x_pki::{
    Authority, Contents, GeographicPoint, IssueGroup, PermissionRange, Region, Seeds, SspPermission,
};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CrlSeries, Duration, EndEntityType, GeographicRegion, HashedId3,
    IdentifiedRegion, Psid, PsidGroupPermissions, ServiceSpecificPermissions, SspRange,
    SubjectPermissions, Time32,
};

use crate::support::{START, Store, written};

pub(crate) mod random;

/// Number of certificates in the quick run.
const FEW: usize = 200;

/// A root that may issue everything, of either kind.
pub(crate) struct Root {
    store: Store,
    seeds: Seeds,
    pub(crate) authority: Authority,
}

impl Root {
    pub(crate) fn new(random: &mut Random) -> Self {
        let (mut store, mut seeds) = (Store::new(), Seeds::new(random.array()));
        let uses = Uses::SIGN | Uses::ISSUE_IMPLICIT;
        let key = store.generate(Curve::P256, uses, &seeds.next()).unwrap();
        let contents = Contents::new(START, Duration::Years(10))
            .named("root")
            .issuing_all();
        let authority = Authority::root(&mut store, key, &contents, &mut seeds).unwrap();
        let authority = authority.with_implicit_key(key);
        Self {
            store,
            seeds,
            authority,
        }
    }

    /// Issues both kinds of certificate; in each place why not.
    pub(crate) fn issue(&mut self, contents: &Contents) -> [Result<Vec<u8>, String>; 2] {
        let Self {
            store,
            seeds,
            authority,
        } = self;
        let request = ecqv::request(store, Curve::P256, &seeds.next()).unwrap();
        let explicit = authority.issue(store, contents, &request.public, seeds);
        let implicit = authority.issue_implicit(store, contents, &request.public, seeds);
        store.retire(request.key).unwrap();
        [
            explicit.map_err(|why| why.to_string()),
            implicit
                .map(|one| one.certificate)
                .map_err(|why| why.to_string()),
        ]
    }
}

/// Returns a group of a certificate, in the form in which it was requested.
fn group_of(group: PsidGroupPermissions<'_>) -> IssueGroup {
    let range = |range: Option<SspRange<'_>>| match range {
        Some(SspRange::Opaque(all)) => {
            PermissionRange::Opaque(all.iter().map(|one| one.unwrap().to_vec()).collect())
        }
        Some(SspRange::Bitmap(own)) => PermissionRange::Bitmap {
            value: own.value.as_bytes().to_vec(),
            mask: own.mask.as_bytes().to_vec(),
        },
        Some(SspRange::All(_)) => PermissionRange::All,
        other => panic!("{other:?}"),
    };
    IssueGroup {
        applications: match group.subject {
            SubjectPermissions::All(_) => None,
            SubjectPermissions::Explicit(all) => {
                let all = all.iter().map(Result::unwrap);
                Some(all.map(|one| (one.psid, range(one.range))).collect())
            }
        },
        min_chain_length: group.min_chain_length,
        chain_length_range: group.chain_length_range,
        ee_type: group.ee_type,
    }
}

/// Returns a permission of a certificate, in the form in which it was requested.
fn permission_of(ssp: Option<ServiceSpecificPermissions<'_>>) -> SspPermission {
    match ssp {
        None => SspPermission::Default,
        Some(ServiceSpecificPermissions::Opaque(bytes)) => SspPermission::Opaque(bytes.to_vec()),
        Some(ServiceSpecificPermissions::Bitmap(bits)) => {
            SspPermission::Bitmap(bits.as_bytes().to_vec())
        }
        other => panic!("{other:?}"),
    }
}

/// Returns a region of a certificate, in the form in which it was requested.
fn region_of(region: GeographicRegion<'_>) -> Region {
    let at = |latitude: i32, longitude: i32| GeographicPoint {
        latitude,
        longitude,
    };
    match region {
        GeographicRegion::Circular(own) => {
            let center = at(own.center.latitude.0, own.center.longitude.0);
            Region::Circle(center, own.radius)
        }
        GeographicRegion::Rectangular(all) => {
            let corners = all.iter().map(Result::unwrap).map(|one| {
                let (from, to) = (one.north_west, one.south_east);
                (
                    at(from.latitude.0, from.longitude.0),
                    at(to.latitude.0, to.longitude.0),
                )
            });
            Region::Rectangles(corners.collect())
        }
        GeographicRegion::Polygonal(all) => {
            let corners = all.iter().map(Result::unwrap);
            Region::Polygon(
                corners
                    .map(|one| at(one.latitude.0, one.longitude.0))
                    .collect(),
            )
        }
        GeographicRegion::Identified(all) => {
            let countries = all.iter().map(Result::unwrap).map(|one| match one {
                IdentifiedRegion::CountryOnly(country) => (country.0, Vec::new()),
                IdentifiedRegion::CountryAndRegions(own) => (
                    own.country.0,
                    own.regions.iter().map(Result::unwrap).collect(),
                ),
                other => panic!("{other:?}"),
            });
            Region::Countries(countries.collect())
        }
    }
}

/// The certificate says what was asked for.
fn check(certificate: &[u8], asked: &Contents) {
    let view: Certificate<'_> = parse(certificate).unwrap();
    assert_eq!(written(&view), certificate);
    let own = &view.to_be_signed;
    let named = match own.id {
        CertificateId::Name(name) => Some(name.as_str().to_owned()),
        CertificateId::None(_) => None,
        other => panic!("{other:?}"),
    };
    assert_eq!(named, asked.name);
    let period = own.validity_period;
    assert_eq!(
        (period.start, period.duration),
        (asked.start, asked.duration)
    );
    assert_eq!(own.assurance_level.map(|level| level.0[0]), asked.assurance);
    assert_eq!(
        (own.craca_id, own.crl_series),
        (asked.craca, asked.crl_series)
    );
    assert_eq!(own.encryption_key.is_some(), asked.encryption_key.is_some());
    let permissions = own.app_permissions.iter().flatten().map(Result::unwrap);
    let permissions = permissions.map(|one| (one.psid, permission_of(one.ssp)));
    assert_eq!(permissions.collect::<Vec<_>>(), asked.permissions);
    for (own, asked) in [
        (own.cert_issue_permissions, &asked.issues),
        (own.cert_request_permissions, &asked.requests),
    ] {
        let own = own.iter().flatten().map(|group| group_of(group.unwrap()));
        assert_eq!(&own.collect::<Vec<_>>(), asked);
    }
    assert_eq!(own.region.map(region_of), asked.region);
}

#[test]
fn random_contents_are_issued_as_they_were_asked_for() {
    let mut random = Random::of_test("random_contents_are_issued_as_they_were_asked_for");
    let mut root = Root::new(&mut random);
    let mut verifier = Verifier::default();
    verifier
        .add_trust_anchor(root.authority.credential().certificate().bytes())
        .unwrap();
    for _ in 0..cases(FEW) {
        let asked = random::contents(&mut root, &mut random);
        for issued in root.issue(&asked) {
            let certificate = issued.unwrap_or_else(|why| panic!("{why}: {asked:?}"));
            verifier.verify_certificate(&certificate).unwrap();
            check(&certificate, &asked);
        }
    }
}

/// Contents that can be issued.
fn usual() -> Contents {
    Contents::new(START, Duration::Hours(1)).permitting(Psid(36), &[1])
}

/// Something that cannot be issued, and what the refusal names.
type Wrong = (&'static str, Contents);

fn wrong_regions() -> Vec<Wrong> {
    let (one, other) = (
        GeographicPoint {
            latitude: 1_000,
            longitude: 0,
        },
        GeographicPoint {
            latitude: 0,
            longitude: 9,
        },
    );
    let circle = |latitude, longitude| {
        Region::Circle(
            GeographicPoint {
                latitude,
                longitude,
            },
            5,
        )
    };
    let regions = [
        Region::Circle(one, 0),
        circle(900_000_001, 0),
        Region::Rectangles(Vec::new()),
        Region::Rectangles(vec![(other, one)]),
        Region::Rectangles(vec![(one, other); 65]),
        Region::Polygon(Vec::new()),
        Region::Polygon(vec![one, other]),
        Region::Polygon(vec![one, one, other]),
        Region::Polygon(vec![one; 300]),
        Region::Countries(Vec::new()),
        Region::Countries(vec![(276, vec![1; 100]); 20]),
    ];
    let wrong = regions.map(|region| ("region", region));
    // A number that cannot be written is named itself.
    let unwritable = [
        ("Latitude", circle(900_000_002, 0)),
        ("Longitude", circle(0, i32::MIN)),
    ];
    let all = wrong.into_iter().chain(unwritable);
    all.map(|(field, region)| (field, usual().within(region)))
        .collect()
}

/// Changes the usual contents.
fn with(change: impl FnOnce(&mut Contents)) -> Contents {
    let mut contents = usual();
    change(&mut contents);
    contents
}

/// Names, times, permissions and keys that cannot be issued.
fn wrong_fields(p384: Point) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    let mut add = |field, change: &dyn Fn(&mut Contents)| wrong.push((field, with(change)));
    add("id: ", &|own| own.name = Some("n".repeat(256)));
    add("id: ", &|own| own.name = Some("ä".repeat(256)));
    add("validityPeriod", &|own| own.start = Time32(START.0 - 1));
    add("validityPeriod", &|own| own.start = Time32(u32::MAX));
    add("validityPeriod", &|own| {
        own.duration = Duration::Years(u16::MAX);
    });
    add("appPermissions", &|own| own.permissions.clear());
    add("appPermissions", &|own| {
        own.permissions.push((Psid(36), SspPermission::Default));
    });
    add("appPermissions", &|own| {
        own.permissions[0].1 = SspPermission::Bitmap(vec![1; 32]);
    });
    add("appPermissions", &|own| {
        own.permissions = (0..257)
            .map(|psid| (Psid(psid), SspPermission::Default))
            .collect();
    });
    add("encryptionKey", &|own| own.encryption_key = Some(p384));
    wrong
}

/// Groups of permissions to issue that cannot be issued themselves.
fn wrong_groups() -> Vec<Vec<IssueGroup>> {
    let bitmap = |value, mask| PermissionRange::Bitmap {
        value: vec![0; value],
        mask: vec![0; mask],
    };
    let ranges = [
        bitmap(0, 0),
        bitmap(1, 0),
        bitmap(33, 33),
        bitmap(1, 2),
        bitmap(2, 1),
        PermissionRange::Opaque(Vec::new()),
    ];
    let group = |applications| IssueGroup {
        applications,
        ..IssueGroup::all()
    };
    let mut groups: Vec<Vec<IssueGroup>> = ranges
        .map(|range| vec![group(Some(vec![(Psid(36), range)]))])
        .into();
    groups.push(vec![group(Some(Vec::new()))]);
    groups
}

fn wrong_permissions() -> Vec<Wrong> {
    let mut wrong = Vec::new();
    let mut add = |field, change: &dyn Fn(&mut Contents)| wrong.push((field, with(change)));
    for groups in wrong_groups() {
        add("certIssuePermissions", &|own| {
            own.issues.clone_from(&groups);
        });
        add("certRequestPermissions", &|own| {
            own.requests.clone_from(&groups);
        });
    }
    let lengths = |min_chain_length, chain_length_range| IssueGroup {
        min_chain_length,
        chain_length_range,
        ..IssueGroup::all()
    };
    for (least, range) in [(0, 0), (-1, 0), (i64::MIN, -1), (1, -2), (1, i64::MIN)] {
        add("minChainLength", &|own| {
            own.issues = vec![lengths(least, range)];
        });
    }
    wrong
}

#[test]
fn wrong_contents_are_refused_by_their_field() {
    let mut random = Random::of_test("wrong_contents_are_refused_by_their_field");
    let mut root = Root::new(&mut random);
    let mut others = Vec::new();
    let p384 = root
        .store
        .generate(Curve::P384, Uses::SIGN, &random.array());
    let p384 = root.store.public_key(p384.unwrap()).unwrap();
    let wrong = [wrong_regions(), wrong_fields(p384), wrong_permissions()];
    for (field, contents) in wrong.concat() {
        for refused in root.issue(&contents) {
            match refused {
                Err(why) if why.contains(field) => {}
                Err(why) => others.push(format!("{field}: {why}")),
                Ok(_) => others.push(format!("{field}: issued {contents:?}")),
            }
        }
    }
    assert!(others.is_empty(), "{others:#?}");
    // Nothing is left in the store of what was not issued.
    let left = (0..64).filter(|_| {
        root.store
            .generate(Curve::P256, Uses::SIGN, &random.array())
            .is_ok()
    });
    assert_eq!(left.count(), 62);
}

#[test]
fn long_contents_are_issued_in_either_kind() {
    let mut random = Random::of_test("long_contents_are_issued_in_either_kind");
    let mut root = Root::new(&mut random);
    let mut contents = Contents::new(START, Duration::Hours(1));
    for psid in 0..256 {
        let permission = SspPermission::Opaque(random.bytes(100));
        contents.permissions.push((Psid(psid), permission));
    }
    for issued in root.issue(&contents) {
        check(&issued.unwrap(), &contents);
    }
}
